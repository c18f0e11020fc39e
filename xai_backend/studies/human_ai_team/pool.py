"""Training images: what a label means, and what an image resembles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from stimuli.io.canonical import keyed_order
from stimuli.studies.human_ai_team.protocol import NEIGHBOURS, HumanAiTeam
from xai_backend.explain.precompute import Picture
from xai_backend.progress import Reporter
from xai_backend.studies.human_ai_team.ai import Ai, Said
from xai_backend.studies.human_ai_team.images import Candidate, gathered

SAMPLES: Final = "prior.samples"
"""What a label may lack, beside the help of an arm."""


@dataclass(frozen=True, slots=True)
class Known:
    """A training image to which the AI gives its own label."""

    candidate: Candidate
    picture: Picture
    answer: Said


class Pool:
    """Training images by label, read and answered when a label is asked for.

    Parameters
    ----------
    candidates
        The training images; nobody judges one of them.
    ai
        Who answers.
    protocol
        How many samples and examples a label needs.
    reporter
        Told how far it is.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        ai: Ai,
        protocol: HumanAiTeam,
        reporter: Reporter,
    ) -> None:
        self._ai, self._protocol, self._reporter = ai, protocol, reporter
        self._by_label: dict[str, list[Candidate]] = {}
        for one in candidates:
            self._by_label.setdefault(one.label, []).append(one)
        self._known: dict[str, tuple[Known, ...]] = {}

    def __contains__(self, label: str) -> bool:
        """Say whether a label's images are answered."""
        return label in self._known

    def ready(self, labels: Iterable[str]) -> None:
        """Read and answer the images of labels that weren't asked for before; UserError as `Ai`."""
        asked = sorted(set(labels) - set(self._known))
        wanted = [one for label in asked for one in self._by_label.get(label, ())]
        self._known |= dict.fromkeys(asked, ())
        if not wanted:
            return
        album = gathered(wanted, self._protocol, self._reporter)
        said = self._ai.answers(list(album.pictures.values()))
        right = [
            Known(one, album.pictures[one.item], said[one.item])
            for one in wanted
            if one.item in said and said[one.item].label == one.label
        ]
        for label in asked:
            self._known[label] = tuple(one for one in right if one.candidate.label == label)

    def right(self, label: str) -> tuple[Known, ...]:
        """Return a label's images to which the AI gives it, sorted by item."""
        return self._known.get(label, ())

    def samples(self, label: str) -> list[Known]:
        """Return images that show what a label means: the AI is right and confident."""
        rule, own = self._protocol.prior, self.right(label)
        sure = {one.candidate.item: one for one in own if one.answer.confidence >= rule.sample_from}
        order = keyed_order(sure, self._protocol.seed, "samples")
        return [sure[item] for item in order[: rule.samples]]

    def lacking(self, label: str) -> str:
        """Return what a label has too few images for: `SAMPLES` or an arm; else an empty text."""
        rule, arms = self._protocol.prior, self._protocol.help.arms
        if rule.asked and len(self.samples(label)) < rule.samples:
            return SAMPLES
        if NEIGHBOURS in arms and len(self.right(label)) < self._protocol.help.neighbours:
            return NEIGHBOURS
        return ""
