"""Which images a pack shows, and what is known of all others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stimuli.studies.human_ai_team.material import AiAnswer
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from xai_backend.explain.precompute import Picture
from xai_backend.models.classifier import say_if_mostly_wrong
from xai_backend.models.frame import InputFrame, cut_line
from xai_backend.progress import Reporter
from xai_backend.store import TensorStore
from xai_backend.studies.human_ai_team.ai import Ai
from xai_backend.studies.human_ai_team.attacks import Attacked, attacked
from xai_backend.studies.human_ai_team.confidence import with_limits
from xai_backend.studies.human_ai_team.draw import (
    Drawn,
    Fits,
    Judged,
    Obvious,
    binned,
    can_show,
    check,
    draw,
)
from xai_backend.studies.human_ai_team.images import gathered
from xai_backend.studies.human_ai_team.request import TeamRequest
from xai_backend.studies.human_ai_team.source import Source
from xai_backend.studies.human_ai_team.training_images import Examples, Pool, Showable
from xai_backend.studies.human_ai_team.validation import Labels, line_of, listed


@dataclass(frozen=True, slots=True)
class Chosen:
    """The images of a pack.

    Attributes
    ----------
    protocol
        With the limits of the bins.
    drawn, attacked
        Images as they are, and attacked ones.
    pictures
        Pictures of all of them, by item.
    showable
        Their samples and examples.
    answers
        The AI's answers to all images of the source that the protocol takes.
    found
        Number of images in each bin.
    dropped
        Number of images that the protocol leaves out, by reason.
    passed_over
        Number of images of the bins that lack samples or an arm's help, by what they lack.
    """

    protocol: HumanAiTeam
    drawn: Drawn
    attacked: Attacked
    pictures: Mapping[str, Picture]
    showable: Showable
    answers: Sequence[AiAnswer]
    found: Mapping[str, int]
    dropped: Mapping[str, int]
    passed_over: Mapping[str, int]

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
        If a bin or a level can't be filled; the message has the counts of all.
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
    if ai.recorded is None:
        say_if_mostly_wrong(reporter, source.of.network.name, right, len(plain))
    answered = {item: one for item, one in plain.items() if can_show(one.label, protocol)}
    dropped = dict(album.dropped)
    if len(answered) < len(plain):
        dropped["given a label outside images.labels"] = len(plain) - len(answered)
    if dropped:
        why = ", ".join(f"{count} {reason}" for reason, count in dropped.items())
        reporter.say(f"left out: {why}")
    judged = [Judged(item, true[item], one.label, one.confidence) for item, one in answered.items()]
    protocol = with_limits(protocol, judged, reporter)
    pool = Pool(source.train, ai, protocol, reporter)
    showable = Showable(pool, Examples(ai, pool, protocol, store, reporter), protocol)
    labels = Labels.of(judged, protocol, ai, answered)
    own = listed(request.validation, judged, protocol, labels) if request.validation else None
    drawn = _drawn(judged, protocol, showable, album.pictures, labels.obvious(own))
    if line := line_of(drawn.validation, protocol.validation):
        reporter.say(line)
    used = {one.item for one in drawn.all}
    free = [one for one in judged if one.right and one.item not in used]
    attacks = attacked(free, album.pictures, protocol, ai, showable)
    natural = {name: len(some) for name, some in binned(judged, protocol).items()}
    return Chosen(
        protocol,
        drawn,
        attacks,
        {**album.pictures, **attacks.pictures},
        showable,
        [AiAnswer(one.item, one.confidence, one.right) for one in judged],
        {**{name: natural.get(name, 0) for name in NATURAL_BINS}, **attacks.found},
        dropped,
        _passed_over([*judged, *attacks.shown], protocol, showable),
    )


def _passed_over(
    judged: Sequence[Judged], protocol: HumanAiTeam, showable: Showable
) -> dict[str, int]:
    """Return the number of images of the bins that can't be shown, by what they lack."""
    lacking = (showable.lacking(one) for own in binned(judged, protocol).values() for one in own)
    return dict(sorted(Counter(filter(None, lacking)).items()))


def _drawn(
    judged: Sequence[Judged],
    protocol: HumanAiTeam,
    showable: Showable,
    pictures: Mapping[str, Picture],
    obvious: Obvious,
) -> Drawn:
    """Return unchanged images; UserError if there are too few."""

    def once(fits: Fits) -> Drawn:
        return draw(judged, protocol, fits, obvious)

    showable.settled(lambda fits: once(fits).all, pictures)
    drawn = once(showable.fits)
    check(drawn, binned(judged, protocol), showable.fits, protocol)
    return drawn
