"""Which inputs of the data become items: exact cells, on which both models agree."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.studies.simulatability.inputs import Edit, edited
from stimuli.studies.simulatability.material import Item, Use
from stimuli.studies.simulatability.outcomes import outcome_of
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.studies.simulatability.tables import OUTCOMES
from xai_backend.studies.simulatability.trained import AnyInput, Labelled, Split, Trained

AT_ONCE: Final = 256
"""Changes of an input that the models are asked about together."""
SPLIT_OF: Final[Mapping[Use, Split]] = {
    "learning": "validation",
    "counterfactual": "test",
    "forward": "test",
}
"""Counterfactuals are chosen first: they ask more of an input."""


def select(
    trained: Trained, protocol: Simulatability, key: str, banned: Collection[str] = ()
) -> list[Item]:
    """Return a domain's items, without explanations.

    Examples come from the validation split, tests from the test split. Task model and prototype
    network agree on each original and each changed input. No input stands in two places, changed
    or not. Whether a change must flip the output is settled before it is drawn (Hase & Bansal 2020,
    appendix A.2); an input without such a change is passed over.

    Parameters
    ----------
    trained
        Models and data.
    protocol
        Numbers of items and of edits, and the tests.
    key
        Root of every keyed draw.
    banned
        Items (`Item.key`) that can't be shown.

    Raises
    ------
    UserError
        If a cell can't be filled: the counts of all cells.
    """
    wanted = _wanted(protocol)
    outputs = {
        split: agreed(trained, [row.given for row in trained.splits[split]])
        for split in set(SPLIT_OF.values())
    }
    draw = _Draw(trained, protocol, key, banned, outputs, set())
    items, counts = [], {}
    for use in SPLIT_OF:
        for outcome in OUTCOMES:
            found = list(islice(draw.items(use, outcome), wanted[use] // len(OUTCOMES)))
            counts[f"{use} {outcome}"] = len(found), wanted[use] // len(OUTCOMES)
            items += found
    if any(found < needed for found, needed in counts.values()):
        told = ", ".join(
            f"{cell} {found} of {needed}" for cell, (found, needed) in counts.items() if needed
        )
        raise UserError(
            f"{trained.domain}: too few inputs on which both models agree ({told}"
            f"{_left_out(banned)}); give more data, or lower items.learning or items.per_test"
        )
    return items


def _left_out(banned: Collection[str]) -> str:
    if not banned:
        return ""
    return f"; {len(banned)} inputs are left out, since an explanation is missing or tells too much"


def _wanted(protocol: Simulatability) -> dict[Use, int]:
    tests, limits = protocol.design.tests, protocol.items
    return {
        "learning": limits.learning,
        "counterfactual": limits.per_test * ("counterfactual" in tests),
        "forward": limits.per_test * ("forward" in tests),
    }


@dataclass(frozen=True, slots=True)
class _Draw:
    """Draws items.

    Attributes
    ----------
    trained, protocol, key, banned
        As in `select`.
    outputs
        On which both models agree, by split; None where they don't.
    used
        Inputs that an item shows or asks about; it grows.
    """

    trained: Trained
    protocol: Simulatability
    key: str
    banned: Collection[str]
    outputs: Mapping[Split, Sequence[str | None]]
    used: set[AnyInput]

    def items(self, use: Use, outcome: str) -> Iterator[Item]:
        """Yield items of an outcome in a keyed order; of counterfactuals every other one flips."""
        flips = True
        for item in self._candidates(use, outcome):
            if item.original in self.used or item.key(self.trained.domain) in self.banned:
                continue
            if use != "counterfactual":
                self.used.add(item.original)
                yield item
                continue
            if (edits := self._change(item, flips=flips)) is not None:
                self.used.update((item.original, edited(item.original, edits)))
                yield _changed(item, edits, self.trained.classes, flips)
                flips = not flips

    def _candidates(self, use: Use, outcome: str) -> Iterator[Item]:
        trained, split = self.trained, SPLIT_OF[use]
        possible: dict[str, Item] = {}
        for row, output in zip(trained.splits[split], self.outputs[split], strict=True):
            if output is None or outcome_of(row.label, output, trained.classes[1]) != outcome:
                continue
            possible[row.source_id] = _item(use, split, row, output)
        for name in keyed_order(possible, self.key, trained.domain, use):
            yield possible[name]

    def _change(self, item: Item, *, flips: bool) -> tuple[Edit, ...] | None:
        """Return the first change that flips the output, or doesn't; None if there is none."""
        trained, limits = self.trained, self.protocol.items
        most = limits.most_edits if trained.domain == "text" else limits.most_edits_tabular
        seed = seed_of(self.key, trained.domain, "change", item.source_id)
        rng = np.random.Generator(np.random.PCG64(seed))
        changes = trained.changes(item.original, most, rng)
        while some := list(islice(changes, AT_ONCE)):
            inputs = {edited(item.original, edits): edits for edits in some}
            new = [one for one in inputs if one not in self.used]
            for one, output in zip(new, agreed(trained, new), strict=True):
                if output is not None and (output != item.output) == flips:
                    return inputs[one]
        return None


def agreed(trained: Trained, inputs: Sequence[AnyInput]) -> list[str | None]:
    """Return the outputs that both models give; None where they differ."""
    if not inputs:
        return []
    task, prototypes = (
        np.asarray(model.margins(inputs)) > 0 for model in (trained.model, trained.prototypes)
    )
    return [
        trained.classes[int(says)] if says == other else None
        for says, other in zip(task, prototypes, strict=True)
    ]


def _item(use: Use, split: Split, row: Labelled, output: str) -> Item:
    return Item(
        use=use,
        split=split,
        source_id=row.source_id,
        original=row.given,
        true_label=row.label,
        output=output,
    )


def _changed(item: Item, edits: tuple[Edit, ...], classes: tuple[str, str], flips: bool) -> Item:
    other = classes[item.output == classes[0]]
    return replace(item, edits=edits, edited_output=other if flips else item.output)
