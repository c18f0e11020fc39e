"""Which images can be shown: those whose label has samples, and examples where they are asked."""

from collections.abc import Callable, Mapping, Sequence

from stimuli.studies.human_ai_team.protocol import NEIGHBOURS, HumanAiTeam
from xai_backend.explain.precompute import Picture
from xai_backend.studies.human_ai_team.draw import Fits, Judged
from xai_backend.studies.human_ai_team.neighbours import Asked, Examples
from xai_backend.studies.human_ai_team.pool import Known, Pool


class Showable:
    """What is known of which images can be shown; it learns as images are drawn.

    Parameters
    ----------
    pool, examples
        Training images.
    protocol
        What they are wanted for.
    """

    def __init__(self, pool: Pool, examples: Examples, protocol: HumanAiTeam) -> None:
        self._pool, self._examples, self._protocol = pool, examples, protocol
        self._near: dict[tuple[str, str], tuple[Known, ...]] = {}

    def fits(self, one: Judged) -> bool:
        """Say whether an image can be shown, as far as is known."""
        return not self.lacking(one)

    def lacking(self, one: Judged) -> str:
        """Return what keeps an image from being shown (see `Pool.lacking`), as far as is known."""
        if one.label not in self._pool:
            return ""
        if of_label := self._pool.lacking(one.label):
            return of_label
        near = self._near.get((one.item, one.label))
        enough = near is None or len(near) >= self._protocol.help.neighbours
        return "" if enough else NEIGHBOURS

    def examples(self, one: Judged) -> tuple[Known, ...]:
        """Return the examples of an image that `settled` has returned."""
        return self._near[one.item, one.label]

    def samples(self, label: str) -> list[Known]:
        """Return the samples of a label of an image that `settled` has returned."""
        return self._pool.samples(label)

    def settled(
        self, choose: Callable[[Fits], Sequence[Judged]], pictures: Mapping[str, Picture]
    ) -> None:
        """Let images be chosen again until all that are chosen can be shown.

        Parameters
        ----------
        choose
            Draws images among those that fit.
        pictures
            Of all images that may be chosen, by item.
        """
        while True:
            chosen = choose(self.fits)
            unknown = {one.label for one in chosen if one.label not in self._pool}
            if unknown:
                self._pool.ready(unknown)
                continue
            if NEIGHBOURS not in self._protocol.help.arms:
                return
            asked = [one for one in chosen if (one.item, one.label) not in self._near]
            if not asked:
                return
            self._near |= self._examples.of(Asked(pictures[one.item], one.label) for one in asked)
