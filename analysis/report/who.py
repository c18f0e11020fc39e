"""What reports call those who answered, and those who made what was shown: no robot is a person."""

from typing import Any

from analysis.report.parts import Fact, cell
from analysis.report.wording import count, grouped

Data = Any
"""What was analysed: ``data`` of results.json, as a mapping or as `Described`."""


def called(data: Data, noun: str) -> str:
    """Return what one participant is called: ``lead``, or ``simulated lead`` where all are."""
    return f"simulated {noun}" if all_simulated(data) else noun


def plural(data: Data, noun: str) -> str:
    """Return what those who took part are called, one or several of them."""
    return called(data, noun) + ("" if cell(data, "participants") == 1 else "s")


def counted(data: Data, noun: str) -> str:
    """Return how many took part, such as ``12 simulated leads`` or ``12 leads (3 simulated)``."""
    number, simulated = cell(data, "participants"), cell(data, "simulated_participants")
    said = count(number, called(data, noun))
    return f"{said} ({grouped(simulated)} simulated)" if 0 < simulated < number else said


def sample_facts(data: Data, noun: str, number: int, rows: str, item: str) -> list[Fact]:
    """Return how many took part, and how much they gave on how many items.

    Parameters
    ----------
    data
        As in results.json.
    noun, item
        What a participant is called, and an item.
    number, rows
        How many answers there are, and what they are called, in the plural.
    """
    return [
        Fact(grouped(cell(data, "participants")), plural(data, noun)),
        Fact(grouped(number), f"{rows} on {count(cell(data, 'items'), item)}"),
    ]


def coded_name(row: Any) -> str:
    """Return a participant's code, with the robot's name where there is one."""
    code, robot = cell(row, "participant"), cell(row, "robot")
    return f"{code} ({robot})" if robot else code


def all_simulated(data: Data) -> bool:
    """Return whether every participant is a response model."""
    return cell(data, "simulated_participants") == cell(data, "participants")


def robots_first(data: Data, noun: str) -> list[str]:
    """Return the headline's first sentence where response models answered; none without one.

    Parameters
    ----------
    data
        As in results.json.
    noun
        What a participant is called.
    """
    simulated = cell(data, "simulated_participants")
    if not simulated:
        return []
    if all_simulated(data):
        return [f"Robots answered: {counted(data, noun)} (response models), and no person."]
    people = count(cell(data, "participants"), noun)
    return [
        f"Robots answered in part: {grouped(simulated)} of {people} are simulated (response "
        "models), and the results hold for no group of people."
    ]
