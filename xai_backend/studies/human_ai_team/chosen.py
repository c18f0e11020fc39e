"""Which images a pack shows, how they are disguised, and what is known of all others.

Images that weren't attacked are disguised. An attack leaves a fine grain, which shows wherever an
image is smooth. A person who learns that grain means an attack knows that the AI is wrong. So each
image gets the change that an attack made to some other image: moved round the image's edges,
mirrored and with either sign, it looks alike, but it wasn't made to mislead the AI here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.studies.human_ai_team.material import AiAnswer
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from stimuli.studies.human_ai_team.tables import NATURAL_BINS
from xai_backend.explain.precompute import Picture
from xai_backend.models.classifier import say_if_mostly_wrong
from xai_backend.models.frame import InputFrame, cut_line
from xai_backend.progress import Reporter
from xai_backend.store import TensorStore, input_sha256
from xai_backend.studies.human_ai_team.ai import Ai, Answers
from xai_backend.studies.human_ai_team.attacks import Attacked, JpegAttack, attacked, codes_in
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
from xai_backend.studies.human_ai_team.images import Codes, Jpeg, codes_of, gathered
from xai_backend.studies.human_ai_team.request import TeamRequest
from xai_backend.studies.human_ai_team.source import Source
from xai_backend.studies.human_ai_team.training_images import Examples, Pool, Showable
from xai_backend.studies.human_ai_team.validation import Labels, line_of, listed

DONORS: Final = 256
"""Most images whose attacks provide grain."""

Grain = NDArray[np.int16]


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
    shown, said = album.pictures, plain
    if protocol.attack.disguise == "borrowed" and protocol.bins.adversarial_per_level:
        shown = disguised(album.pictures, plain, true, protocol, ai)
        said = ai.answers(list(shown.values()))
    answered = {item: one for item, one in said.items() if can_show(one.label, protocol)}
    dropped = dict(album.dropped)
    if len(answered) < len(said):
        dropped["given a label outside images.labels"] = len(said) - len(answered)
    if dropped:
        why = ", ".join(f"{count} {reason}" for reason, count in dropped.items())
        reporter.say(f"left out: {why}")
    judged = [Judged(item, true[item], one.label, one.confidence) for item, one in answered.items()]
    protocol = with_limits(protocol, judged, reporter)
    pool = Pool(source.train, ai, protocol, reporter)
    showable = Showable(pool, Examples(ai, pool, protocol, store, reporter), protocol)
    labels = Labels.of(judged, protocol, ai, answered)
    own = listed(request.validation, judged, protocol, labels) if request.validation else None
    drawn = _drawn(judged, protocol, showable, shown, labels.obvious(own))
    if line := line_of(drawn.validation, protocol.validation):
        reporter.say(line)
    used = {one.item for one in drawn.all}
    free = [
        Judged(item, true[item], one.label, one.confidence)
        for item, one in plain.items()
        if one.label == true[item] and item in answered and item not in used
    ]
    attacks = attacked(free, album.pictures, protocol, ai, showable)
    natural = {name: len(some) for name, some in binned(judged, protocol).items()}
    return Chosen(
        protocol,
        drawn,
        attacks,
        {**shown, **attacks.pictures},
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


@dataclass(frozen=True, slots=True)
class Disguise:
    """The grain of attacks, added to images; a key decides which grain an image gets.

    Attributes
    ----------
    grains
        Changes of RGB codes by attacks, int16 (side, side, 3).
    seed, jpeg
        Seed of the draws; how images are saved.
    """

    grains: Sequence[Grain]
    seed: int
    jpeg: Jpeg

    def of(self, item: str, codes: Codes) -> Codes:
        """Return an image, uint8 (side, side, 3), with a grain, through the JPEG."""
        return codes_of(self.saved(item, codes))

    def saved(self, item: str, codes: Codes) -> bytes:
        """Return the JPEG of an image, uint8 (side, side, 3), with a grain."""
        rng = np.random.Generator(np.random.PCG64(seed_of("disguise", self.seed, item)))
        grain = self.grains[int(rng.integers(len(self.grains)))]
        # Shifts by whole JPEG blocks: on the same blocks a second JPEG changes almost nothing.
        block = self.jpeg.block_px
        down, right = (block * int(rng.integers(side // block)) for side in grain.shape[:2])
        grain = np.roll(grain, (down, right), axis=(0, 1))
        if rng.random() < 0.5:
            grain = grain[:, ::-1]
        if rng.random() < 0.5:
            grain = -grain
        changed = np.clip(codes.astype(np.int16) + grain, 0, 255).astype(np.uint8)
        return self.jpeg.saved(changed)


def disguised(
    pictures: Mapping[str, Picture],
    answers: Answers,
    true_labels: Mapping[str, str],
    protocol: HumanAiTeam,
    ai: Ai,
) -> dict[str, Picture]:
    """Return pictures with the grain of attacks on some of them, by item.

    Parameters
    ----------
    pictures
        Unchanged pictures, by item.
    answers
        The AI's answers to them.
    true_labels
        Their true labels.
    protocol
        How to attack.
    ai
        The AI that is attacked.

    Raises
    ------
    UserError
        If no attack misleads the AI.
    """
    right = {item: one for item, one in answers.items() if one.label == true_labels[item]}
    donors = keyed_order(right, protocol.seed, "disguise")[:DONORS]
    attack = JpegAttack.of(protocol.attack)
    targets = [right[item].output for item in donors]
    found = ai.work.maps(attack, [pictures[item] for item in donors], targets)
    made = {item: Picture.of(f"{item}-donor", codes_in(one)) for item, one in found.items()}
    said = ai.answers(list(made.values()))
    grains = [
        _codes(made[item]).astype(np.int16) - _codes(pictures[item]).astype(np.int16)
        for item in donors
        if item in made and said[made[item].name].label != true_labels[item]
    ]
    if not grains:
        raise UserError(
            'attack.disguise = "borrowed": no attack misleads the AI; raise attack.epsilon_255'
        )
    disguise = Disguise(grains, protocol.seed, Jpeg.of(protocol.attack))
    return {item: _picture(disguise, item, one) for item, one in pictures.items()}


def _picture(disguise: Disguise, item: str, plain: Picture) -> Picture:
    @cache
    def saved() -> bytes:
        return disguise.saved(item, _codes(plain))

    def load() -> Codes:
        return codes_of(saved())

    return Picture(item, input_sha256(load()), load)


def _codes(picture: Picture) -> Codes:
    codes = picture.load()
    assert codes is not None
    return codes
