"""What a robot knows of a round: how much of the object each step uncovers, and the classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from participants.studies.progressive_reveal.entry import AnswerEntry, Entered
from stimuli.io.tables import Row, whole_number
from stimuli.names import folded
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CLASSES, CURVES, KEY

TYPED: Final = "text"
DOWN: Final = "down"


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round as a robot sees it.

    Attributes
    ----------
    presentation, item, method
        What is shown, by its opaque id, and of what it is made.
    object_shares
        Share of the object's own pixels that are uncovered at step 1, 2, ..., 0…1.
    step_s
        How long a step lasts.
    right_class
        Id of the image's class.
    classes
        All classes, in the language in which they are typed.
    suggestions_most
        Lines of the list of suggestions.
    """

    presentation: str
    item: str
    method: str
    object_shares: tuple[float, ...]
    step_s: float
    right_class: str
    classes: Classes
    suggestions_most: int

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.object_shares)

    def typed_name(self, class_id: str) -> str:
        """Return the letters by which a class is typed: its name's, without case and accents."""
        return folded(next(one.name for one in self.classes.names if one.class_id == class_id))

    def downs(self, class_id: str, typed: str) -> int | None:
        """Return how often the arrow goes down to a class after a text, before Return confirms it.

        None if the class isn't in the list of suggestions then.
        """
        return downs_to(self.classes, self.suggestions_most, class_id, typed)


@lru_cache(maxsize=4096)
def downs_to(classes: Classes, most: int, class_id: str, typed: str) -> int | None:
    """Return what `RoundView.downs` does, for a field with a list of some lines."""
    field = AnswerEntry(classes, most)
    field.take(Entered(0.0, TYPED, "text", typed))
    if class_id not in [one.class_id for one in field.state.suggestions]:
        return None
    downs = 0
    while field.state.choice is None or field.state.choice.class_id != class_id:
        field.take(Entered(0.0, DOWN, "edit", DOWN))
        downs += 1
    return downs


def views_of(pack: Pack, language: str) -> dict[str, RoundView]:
    """Return what there is to be seen in each presentation of a pack, by its id.

    Reads the key: robots know what they may recognise. Where nobody knows the object's outline
    nor what is relevant to people, the share of what is uncovered in the end stands in for it.
    """
    protocol = pack.protocol
    assert isinstance(protocol, ProgressiveReveal)
    aliases = protocol.answering.accept_aliases
    classes = Classes.of(pack.table(CLASSES), language, aliases=aliases)
    shares = _shares(pack)
    return {
        str(row["presentation"]): RoundView(
            presentation=str(row["presentation"]),
            item=str(row["item"]),
            method=str(row["method"]),
            object_shares=shares[str(row["item"]), str(row["method"])],
            step_s=protocol.reveal.step_s,
            right_class=str(row["class"]),
            classes=classes,
            suggestions_most=protocol.session.suggestions_most,
        )
        for row in pack.table(KEY)
    }


def _shares(pack: Pack) -> Mapping[tuple[str, str], tuple[float, ...]]:
    curves: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(pack.table(CURVES), key=lambda row: whole_number(row["step"])):
        curves.setdefault((str(row["item"]), str(row["method"])), []).append(row)
    return {shown: tuple(map(partial(_share, rows[-1]), rows)) for shown, rows in curves.items()}


def _share(last: Row, row: Row) -> float:
    if row["object_share"] is not None:
        return float(row["object_share"])
    return whole_number(row["pixels"]) / max(1, whole_number(last["pixels"]))
