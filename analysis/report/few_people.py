"""Results of few participants: what is said of them, and of participants in general.

With few participants each of them is a replication, as in psychophysics (Smith & Little 2018,
Psychon. Bull. Rev. 25). So the primary result is about these participants: items count as drawn at
random, participants as given. How participants differ is hardly known from a few, so the interval
over participants in general is wide.
"""

_NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def these_people(people: int, noun: str) -> str:
    """Return, e.g., "these three leads"."""
    if people == 1:
        return f"this {noun}"
    return f"these {_number(people)} {noun}s"


def _number(people: int) -> str:
    return _NUMBERS[people] if people < len(_NUMBERS) else str(people)


def why_wide(people: int, noun: str, item: str) -> str:
    """Return why the first result is about these people, and the other interval so wide.

    Parameters
    ----------
    people
        How many there are.
    noun, item
        What a participant and an item are called.
    """
    if people == 1:
        return (
            f"This is about one {noun}: {item}s count as drawn at random. One {noun} says nothing "
            f"about {noun}s in general."
        )
    return (
        f"This is about {these_people(people, noun)}: {item}s count as drawn at random, the "
        f"{noun}s as given. {_number(people).capitalize()} {noun}s say little about how {noun}s "
        "differ, so "
        f"intervals for {noun}s in general are wide."
    )


def few_rule(few: int, noun: str, item: str) -> str:
    """Return the rule for few participants, for a preregistration; empty if there is none."""
    if few < 2:
        return ""
    return (
        f" With fewer than {few} {noun}s the primary result is about these {noun}s ({item}s drawn "
        f"at random, {noun}s as given); the interval for {noun}s in general is given beside it."
    )
