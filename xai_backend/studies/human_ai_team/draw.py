"""Which images are shown: drawn by the seed for the bins, for validation and for practice."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.studies.human_ai_team.material import bin_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, Validation
from stimuli.studies.human_ai_team.tables import ADVERSARIAL, NATURAL_BINS
from stimuli.studies.human_ai_team.wording import of_cases


@dataclass(frozen=True, slots=True)
class Judged:
    """An image, its true label, and the label that people judge.

    Attributes
    ----------
    item, true_label
        The image.
    label
        The label that is proposed.
    confidence
        The AI's confidence in this label, 0…1.
    adversarial
        Whether the image was attacked.
    swapped
        Whether the label isn't the AI's. This happens only in validation, if the AI makes too few
        errors on the source, or the lab says so.
    """

    item: str
    true_label: str
    label: str
    confidence: float
    adversarial: bool = False
    swapped: bool = False

    @property
    def right(self) -> bool:
        """Whether the proposed label is the true one."""
        return self.label == self.true_label


Fits = Callable[[Judged], bool]


@dataclass(frozen=True, slots=True)
class Obvious:
    """Functions of labels, for choosing validation images that nobody can mistake.

    Attributes
    ----------
    confusion
        Returns how often the AI confuses a wrong label with the image's: a mean probability, 0…1.
    swapped
        Yields an image with each label that the AI didn't give it, the least likely label first.
    listed
        The validation images, if the lab chose them; they are in no other phase.
    """

    confusion: Callable[[Judged], float]
    swapped: Callable[[Judged], Iterable[Judged]]
    listed: Sequence[Judged] | None = None


@dataclass(frozen=True, slots=True)
class Drawn:
    """The images of a pack that weren't attacked."""

    main: tuple[Judged, ...]
    validation: tuple[Judged, ...]
    practice: tuple[Judged, ...]

    @property
    def all(self) -> tuple[Judged, ...]:
        """The images of all phases."""
        return (*self.main, *self.validation, *self.practice)


def binned(judged: Iterable[Judged], protocol: HumanAiTeam) -> dict[str, list[Judged]]:
    """Return images by bin (`tables.BINS`), each bin's in an order drawn by the seed."""
    by_bin: dict[str, dict[str, Judged]] = {}
    for image in judged:
        name = bin_of(image.confidence, image.right, image.adversarial, protocol.bins)
        if name is not None:
            by_bin.setdefault(name, {})[image.item] = image
    return {
        name: [of_bin[item] for item in keyed_order(of_bin, protocol.seed, "images")]
        for name, of_bin in by_bin.items()
    }


def draw(judged: Sequence[Judged], protocol: HumanAiTeam, fits: Fits, obvious: Obvious) -> Drawn:
    """Return images of the six natural bins, then for validation, then for practice.

    Validation shows right labels and errors of the AI, of the confidence that the protocol names
    (`_unmistakable`). Practice shows images of the bins that are left, right and wrong in turn.

    Parameters
    ----------
    judged
        All images of the source.
    protocol
        How many images of each kind.
    fits
        Returns whether an image can be shown: its label has the samples and examples that are asked
        for.
    obvious
        Tells which labels are clearly right or wrong.

    Returns
    -------
    Drawn
        Fewer images than the protocol wants if there are no more (`check`).
    """
    listed = obvious.listed
    chosen = {image.item for image in listed or ()}
    by_bin = binned((image for image in judged if image.item not in chosen), protocol)
    main = [
        image
        for name in NATURAL_BINS
        for image in first(by_bin.get(name, ()), protocol.bins.per_bin, fits)
    ]
    used = {image.item for image in main} | chosen
    if listed is None:
        left = [image for image in judged if image.item not in used]
        listed = _unmistakable(left, protocol, fits, obvious)
        used |= {image.item for image in listed}
    practice = _practice(by_bin, protocol, fits, used)
    return Drawn(tuple(main), tuple(listed), tuple(practice))


def check(
    drawn: Drawn, by_bin: Mapping[str, Sequence[Judged]], fits: Fits, protocol: HumanAiTeam
) -> None:
    """Refuse a draw that lacks natural images.

    Raises
    ------
    UserError
        With the counts of all bins in one line.
    """
    wanted = protocol.bins.per_bin
    usable = {name: sum(map(fits, by_bin.get(name, ()))) for name in NATURAL_BINS}
    if min(usable.values()) < wanted:
        counts = {name: (usable[name], len(by_bin.get(name, ()))) for name in NATURAL_BINS}
        least = min(usable.values())
        todo = remedy("--per-bin", least)
        if protocol.cases == "texts" and not least:
            todo = 'one has none: add texts, or write bins.limits = "quantiles" into the protocol'
        raise UserError(of_cases(protocol.cases, f"{table(counts, wanted)}; {todo}"))
    trials, right = protocol.validation.trials, sum(image.right for image in drawn.validation)
    if len(drawn.validation) < trials or right != protocol.validation.right_trials:
        line = (
            f"validation: {len(drawn.validation)} images are left, {right} with their own label; "
            f"validation.trials is {trials}, right_trials {protocol.validation.right_trials}: add "
            "images, or lower them"
        )
        raise UserError(of_cases(protocol.cases, line))
    if len(drawn.practice) < protocol.session.practice_trials:
        line = (
            f"practice: {len(drawn.practice)} images of the bins are left, "
            f"session.practice_trials is {protocol.session.practice_trials}: add images, or lower "
            "it or --per-bin"
        )
        raise UserError(of_cases(protocol.cases, line))


def table(counts: Mapping[str, tuple[int, int]], target: int) -> str:
    """Return usable, found and wanted images of bins in one line."""
    cells = ", ".join(
        f"{name} {usable}" + (f" (of {available} found)" if usable != available else "")
        for name, (usable, available) in counts.items()
    )
    return f"images by bin, {target} wanted in each: {cells}"


def remedy(option: str, least: int) -> str:
    """Return advice on bins that can't be filled; the emptiest one has ``least`` images."""
    if least:
        return f"add images, or lower it with {option} {least}"
    return "one has none: add images (for digits: --source mnist), or take another classifier"


def first(ordered: Iterable[Judged], count: int, fits: Fits) -> list[Judged]:
    """Return the first images that fit, at most ``count``."""
    fitting: list[Judged] = []
    for image in ordered:
        if len(fitting) == count:
            break
        if fits(image):
            fitting.append(image)
    return fitting


def _unmistakable(
    images: Sequence[Judged], protocol: HumanAiTeam, fits: Fits, obvious: Obvious
) -> list[Judged]:
    """Return validation images: right labels, then wrong ones.

    Among right labels, those with the highest confidence come first; among errors, those whose
    labels the AI hardly ever confuses. Both are spread over classes. If too few have the wanted
    confidence, others follow, the nearest to it first; if errors run out, labels are swapped.
    """
    rule = protocol.validation
    ordered = keyed_order((image.item for image in images), protocol.seed, "validation")
    by_item = {image.item: image for image in images}
    drawn = [by_item[item] for item in ordered]
    used: Counter[str] = Counter()
    sure = sorted((image for image in drawn if image.right), key=lambda image: -image.confidence)
    right = _nearest(sure, rule.right_trials, rule, fits, used)
    errors = sorted((image for image in drawn if not image.right), key=obvious.confusion)
    wrong_trials = rule.trials - rule.right_trials
    wrong = _nearest(errors, wrong_trials, rule, fits, used)
    taken = {image.item for image in right}
    for image in sure:
        if len(wrong) == wrong_trials:
            break
        if image.item not in taken:
            wrong += first(obvious.swapped(image), 1, fits)
    return [*right, *wrong]


def _nearest(
    ordered: Sequence[Judged], count: int, rule: Validation, fits: Fits, used: Counter[str]
) -> list[Judged]:
    """Return images of the wanted confidence, alternating classes, then those nearest to it."""
    near = [image for image in ordered if off_range(image, rule) == 0]
    chosen: list[Judged] = []
    while len(chosen) < count and (image := _of_new_class(near, fits, used)) is not None:
        near.remove(image)
        chosen.append(image)
        used.update((image.label, image.true_label))
    far = sorted(
        (image for image in ordered if off_range(image, rule) > 0),
        key=lambda image: off_range(image, rule),
    )
    return [*chosen, *first(far, count - len(chosen), fits)]


def _of_new_class(ordered: Iterable[Judged], fits: Fits, used: Counter[str]) -> Judged | None:
    """Return the first image among those with the least-used labels; None if none fits."""
    best, least = None, None
    for image in ordered:
        uses = used[image.label] + used[image.true_label]
        if (least is None or uses < least) and fits(image):
            best, least = image, uses
            if uses == 0:
                break
    return best


def can_show(label: str, protocol: HumanAiTeam) -> bool:
    """Return whether people may see a label: any, unless ``images.labels`` lists some."""
    allowed = protocol.images.labels
    return not allowed or label in allowed


def off_range(judged: Judged, rule: Validation) -> float:
    """Return how far a confidence lies outside the range that validation wants; 0 within it."""
    low, high = (rule.right_from, 1.0) if judged.right else (rule.wrong_from, rule.wrong_to)
    return max(low - judged.confidence, judged.confidence - high, 0.0)


def _practice(
    by_bin: Mapping[str, Sequence[Judged]], protocol: HumanAiTeam, fits: Fits, used: set[str]
) -> list[Judged]:
    """Return remaining images, easy and medium bins first, right and wrong alternately."""
    turns = {
        right: [
            image
            for name in NATURAL_BINS
            if name.startswith("right") is right
            for image in by_bin.get(name, ())
            if image.item not in used
        ]
        for right in (True, False)
    }
    chosen: list[Judged] = []
    right = True
    while len(chosen) < protocol.session.practice_trials and (turns[True] or turns[False]):
        turn = turns[right] or turns[not right]
        image = turn.pop(0)
        if fits(image):
            chosen.append(image)
            right = not right
    return chosen


def adversarial_levels(protocol: HumanAiTeam) -> tuple[str, ...]:
    """Return the bins of attacked images that a protocol asks for."""
    if not protocol.bins.adversarial_per_level:
        return ()
    return tuple(f"{ADVERSARIAL}_{level}" for level in ("easy", "medium", "hard"))
