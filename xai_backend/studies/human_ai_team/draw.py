"""Which images are shown: drawn by the seed for the bins, for validation and for practice."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.studies.human_ai_team.bins import bin_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.tables import ADVERSARIAL, NATURAL_BINS


@dataclass(frozen=True, slots=True)
class Judged:
    """An image, what it shows and which label people are to judge.

    Attributes
    ----------
    item, true_label
        The image.
    label
        The label that is proposed: the AI's, but for validation images that are given a
        label that is clearly wrong.
    confidence
        The AI's, 0…1.
    adversarial
        Whether the image was attacked.
    """

    item: str
    true_label: str
    label: str
    confidence: float
    adversarial: bool = False

    @property
    def right(self) -> bool:
        """Whether the proposed label is the image's."""
        return self.label == self.true_label


Fits = Callable[[Judged], bool]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The images of a pack that weren't attacked."""

    main: tuple[Judged, ...]
    validation: tuple[Judged, ...]
    practice: tuple[Judged, ...]

    @property
    def all(self) -> tuple[Judged, ...]:
        """Of all phases."""
        return (*self.main, *self.validation, *self.practice)


def binned(judged: Iterable[Judged], protocol: HumanAiTeam) -> dict[str, list[Judged]]:
    """Return images by bin (`tables.BINS`), each bin's in the order of the seed's draw."""
    by_bin: dict[str, dict[str, Judged]] = {}
    for one in judged:
        name = bin_of(one.confidence, one.right, one.adversarial, protocol.bins)
        if name is not None:
            by_bin.setdefault(name, {})[one.item] = one
    return {
        name: [own[item] for item in keyed_order(own, protocol.seed, "images")]
        for name, own in by_bin.items()
    }


def draw(
    judged: Sequence[Judged],
    protocol: HumanAiTeam,
    fits: Fits,
    wrong_label: Callable[[Judged], str | None],
    listed: Sequence[Judged] | None = None,
) -> Drawn:
    """Return images of the six natural bins, then for validation, then for practice.

    Validation shows images that the AI gets right with the most confidence: some with its
    label, the others with a label that is clearly wrong. Practice shows images of the bins
    that are left, right and wrong in turn.

    Parameters
    ----------
    judged
        All images of the source.
    protocol
        How many of each.
    fits
        Which can be shown: their label has the samples and examples that are asked for.
    wrong_label
        Gives a label that is clearly wrong, None where there is none.
    listed
        The validation images, if the lab chose them; they are in nothing else.

    Returns
    -------
    Drawn
        Fewer than the protocol wants where there are no more (`check`).
    """
    chosen = {one.item for one in listed or ()}
    by_bin = binned((one for one in judged if one.item not in chosen), protocol)
    main = [
        one
        for name in NATURAL_BINS
        for one in first(by_bin.get(name, ()), protocol.bins.per_bin, fits)
    ]
    used = {one.item for one in main} | chosen
    left = [one for one in judged if one.item not in used]
    if listed is None:
        listed = _unmistakable(left, protocol, fits, wrong_label)
        used |= {one.item for one in listed}
    practice = _practice(by_bin, protocol, fits, used)
    return Drawn(tuple(main), tuple(listed), tuple(practice))


def check(
    drawn: Drawn, by_bin: Mapping[str, Sequence[Judged]], fits: Fits, protocol: HumanAiTeam
) -> None:
    """Refuse a draw that lacks natural images.

    Raises
    ------
    UserError
        With the counts of every bin in one line.
    """
    wanted = protocol.bins.per_bin
    usable = {name: sum(map(fits, by_bin.get(name, ()))) for name in NATURAL_BINS}
    if min(usable.values()) < wanted:
        counts = {name: (usable[name], len(by_bin.get(name, ()))) for name in NATURAL_BINS}
        raise UserError(f"{table(counts, wanted)}; {remedy('--per-bin', min(usable.values()))}")
    trials, right = protocol.validation.trials, sum(one.right for one in drawn.validation)
    if len(drawn.validation) < trials or right != protocol.validation.right_trials:
        raise UserError(
            f"validation: {len(drawn.validation)} images, {right} of them with their own label; "
            f"validation.trials is {trials}, right_trials {protocol.validation.right_trials}: add "
            "images, or lower them"
        )
    if len(drawn.practice) < protocol.session.practice_trials:
        raise UserError(
            f"practice: {len(drawn.practice)} images of the bins are left, "
            f"session.practice_trials is {protocol.session.practice_trials}: add images, or lower "
            "it or --per-bin"
        )


def table(counts: Mapping[str, tuple[int, int]], wanted: int) -> str:
    """Return usable, found and wanted images of bins in one line."""
    cells = ", ".join(
        f"{name} {usable}" + (f" (of {found} found)" if usable != found else "")
        for name, (usable, found) in counts.items()
    )
    return f"images by bin, {wanted} wanted in each: {cells}"


def remedy(option: str, least: int) -> str:
    """Return what to do about bins of which one has this few images."""
    if least:
        return f"add images, or lower it with {option} {least}"
    return "one has none: add images (for digits: --source mnist), or take another classifier"


def first(ordered: Iterable[Judged], count: int, fits: Fits) -> list[Judged]:
    """Return the first images that fit, at most so many."""
    found: list[Judged] = []
    for one in ordered:
        if len(found) == count:
            break
        if fits(one):
            found.append(one)
    return found


def _unmistakable(
    left: Iterable[Judged],
    protocol: HumanAiTeam,
    fits: Fits,
    wrong_label: Callable[[Judged], str | None],
) -> list[Judged]:
    rule = protocol.validation
    order = keyed_order((one.item for one in left), protocol.seed, "validation")
    place = {item: number for number, item in enumerate(order)}
    surest = sorted(
        (one for one in left if one.right), key=lambda one: (-one.confidence, place[one.item])
    )
    right, wrong = rule.right_trials, rule.trials - rule.right_trials
    found: list[Judged] = []
    # In turn, so that neither kind has the surer images.
    for one in surest:
        if right == wrong == 0:
            break
        if right >= wrong:
            if fits(one):
                found.append(one)
                right -= 1
            continue
        label = wrong_label(one)
        if label is not None and fits(replace(one, label=label)):
            found.append(replace(one, label=label))
            wrong -= 1
    return found


def _practice(
    by_bin: Mapping[str, Sequence[Judged]], protocol: HumanAiTeam, fits: Fits, used: set[str]
) -> list[Judged]:
    """Return images that are left, of easy and middling bins first, right and wrong in turn."""
    turns = {
        right: [
            one
            for name in NATURAL_BINS
            if name.startswith("right") is right
            for one in by_bin.get(name, ())
            if one.item not in used
        ]
        for right in (True, False)
    }
    found: list[Judged] = []
    right = True
    while len(found) < protocol.session.practice_trials and (turns[True] or turns[False]):
        own = turns[right] or turns[not right]
        one = own.pop(0)
        if fits(one):
            found.append(one)
            right = not right
    return found


def adversarial_levels(protocol: HumanAiTeam) -> tuple[str, ...]:
    """Return the bins of attacked images that a protocol asks for."""
    if not protocol.bins.adversarial_per_level:
        return ()
    return tuple(f"{ADVERSARIAL}_{level}" for level in ("easy", "medium", "hard"))
