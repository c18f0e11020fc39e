"""Which images a pack shows, and what is known of all others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stimuli.errors import UserError
from stimuli.images.sets import rows_of
from stimuli.studies.human_ai_team.material import AiAnswer
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from xai_backend.explain.precompute import Picture
from xai_backend.models.frame import InputFrame
from xai_backend.models.mostly_wrong import say_if_mostly_wrong
from xai_backend.models.seen import cut_line
from xai_backend.progress import Reporter
from xai_backend.store import TensorStore
from xai_backend.studies.human_ai_team.ai import Ai, Answers
from xai_backend.studies.human_ai_team.attacks import Attacked, attacked
from xai_backend.studies.human_ai_team.disguise import disguised
from xai_backend.studies.human_ai_team.draw import Drawn, Fits, Judged, binned, check, draw
from xai_backend.studies.human_ai_team.images import file_name, gathered
from xai_backend.studies.human_ai_team.neighbours import Examples
from xai_backend.studies.human_ai_team.pool import Pool
from xai_backend.studies.human_ai_team.request import TeamRequest
from xai_backend.studies.human_ai_team.showable import Showable
from xai_backend.studies.human_ai_team.source import Source


@dataclass(frozen=True, slots=True)
class Chosen:
    """The images of a pack.

    Attributes
    ----------
    drawn, attacked
        Images as they are, and attacked ones.
    pictures
        Of all of them, by item.
    showable
        Their samples and examples.
    answers
        The AI alone on all images of the source that the protocol takes.
    found
        How many images fall into each bin.
    dropped
        How many images the protocol leaves out, by the reason.
    """

    drawn: Drawn
    attacked: Attacked
    pictures: Mapping[str, Picture]
    showable: Showable
    answers: Sequence[AiAnswer]
    found: Mapping[str, int]
    dropped: Mapping[str, int]

    @property
    def judged(self) -> tuple[Judged, ...]:
        """All images that people judge."""
        return (*self.drawn.all, *self.attacked.main)


def choose(
    source: Source, request: TeamRequest, ai: Ai, store: TensorStore, reporter: Reporter
) -> Chosen:
    """Return the images of a pack.

    Raises
    ------
    UserError
        If a bin or a level can't be filled: the counts of all.
    """
    protocol = source.protocol
    album = gathered(source.judged, protocol, reporter)
    frame = InputFrame(protocol.images.resize_px, protocol.images.size_px)
    line = cut_line("a person or the network", frame, album.sizes)
    if line:
        reporter.say(line)
    plain = ai.answers(list(album.pictures.values()))
    true = {one.item: one.label for one in source.judged}
    right = sum(one.label == true[item] for item, one in plain.items())
    say_if_mostly_wrong(reporter, source.of.network.name, right, len(plain))
    shown, said = album.pictures, plain
    if protocol.attack.disguise == "borrowed" and protocol.bins.adversarial_per_level:
        shown = disguised(album.pictures, plain, true, protocol, ai)
        said = ai.answers(list(shown.values()))
    labels = set(protocol.images.labels)
    answered = {item: one for item, one in said.items() if not labels or one.label in labels}
    dropped = dict(album.dropped)
    if len(answered) < len(said):
        dropped["given a label outside images.labels"] = len(said) - len(answered)
    if dropped:
        why = ", ".join(f"{count} {reason}" for reason, count in dropped.items())
        reporter.say(f"left out: {why}")
    judged = [Judged(item, true[item], one.label, one.confidence) for item, one in answered.items()]
    pool = Pool(source.train, ai, protocol, reporter)
    showable = Showable(pool, Examples(ai, pool, protocol, store, reporter), protocol)
    listed = _listed(request.validation, judged, protocol) if request.validation else None
    drawn = _drawn(judged, protocol, showable, _Shown(shown, answered, ai), listed)
    used = {one.item for one in drawn.all}
    free = [
        Judged(item, true[item], one.label, one.confidence)
        for item, one in plain.items()
        if one.label == true[item] and item in answered and item not in used
    ]
    attacks = attacked(free, album.pictures, protocol, ai, showable)
    natural = {name: len(some) for name, some in binned(judged, protocol).items()}
    return Chosen(
        drawn,
        attacks,
        {**shown, **attacks.pictures},
        showable,
        [AiAnswer(one.item, one.confidence, one.right) for one in judged],
        {**{name: natural.get(name, 0) for name in NATURAL_BINS}, **attacks.found},
        dropped,
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """Images as people see them, what the AI says of them, by item, and the AI."""

    pictures: Mapping[str, Picture]
    answers: Answers
    ai: Ai


def _drawn(
    judged: Sequence[Judged],
    protocol: HumanAiTeam,
    showable: Showable,
    shown: _Shown,
    listed: Sequence[Judged] | None,
) -> Drawn:
    """Return images as they are; UserError where there are too few."""
    known = sorted({one.true_label for one in judged})

    def wrong_label(one: Judged) -> str | None:
        """Return the label that the AI finds least likely, of those that can be shown."""
        logits = shown.answers[one.item].logits
        others = [label for label in known if label != one.true_label]
        for label in sorted(others, key=lambda label: float(logits[shown.ai.output_of(label)])):
            if showable.fits(replace(one, label=label)):
                return label
        return None

    def once(fits: Fits) -> Drawn:
        return draw(judged, protocol, fits, wrong_label, listed)

    showable.settled(lambda fits: once(fits).all, shown.pictures)
    drawn = once(showable.fits)
    check(drawn, binned(judged, protocol), showable.fits, protocol)
    return drawn


def _listed(path: Path, judged: Sequence[Judged], protocol: HumanAiTeam) -> list[Judged]:
    """Return the validation images of a lab's own CSV ``image``, with ``label`` if it differs.

    Raises
    ------
    UserError
        If it names an image that there isn't, or other numbers than the protocol wants.
    """
    by_name = {file_name(one.item): one for one in judged} | {one.item: one for one in judged}
    found: list[Judged] = []
    for number, row in enumerate(rows_of(path, ("image",)), start=2):
        one = by_name.get(row["image"])
        if one is None:
            raise UserError(
                f"--validation {path}, line {number}: {row['image']} is not an image that can be "
                "shown"
            )
        found.append(replace(one, label=row.get("label") or one.label))
    rule, right = protocol.validation, sum(one.right for one in found)
    if (len(found), right) != (rule.trials, rule.right_trials):
        raise UserError(
            f"--validation {path}: {len(found)} images, {right} with their own label; the "
            f"protocol wants {rule.trials}, {rule.right_trials} (validation.trials, right_trials)"
        )
    return found
