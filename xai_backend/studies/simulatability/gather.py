"""From a trained domain to a pack's material: items are chosen and explained.

Inputs of the data become items, in exact numbers for each cell; both models agree on each item.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final

import numpy as np

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of, keyed_order, seed_of
from stimuli.places import cache_dir
from stimuli.studies.simulatability.fitting import check_counts, needs_explanations
from stimuli.studies.simulatability.material import (
    DomainMaterial,
    Item,
    Use,
    answers_shown_before,
    kind_of,
    kinds_of,
)
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.studies.simulatability.stimulus import Edit, edited
from stimuli.workers import Kept, Workers
from xai_backend.progress import Reporter
from xai_backend.studies.simulatability.explaining import Explaining, Explanations, explain_all
from xai_backend.studies.simulatability.methods.brought import Brought
from xai_backend.studies.simulatability.methods.left_out import with_scores
from xai_backend.studies.simulatability.trained import (
    AnyInput,
    Labelled,
    Split,
    Trained,
    outputs_of,
)

FEW: Final = 8
"""Number of changes of an input on which the models are asked first: often one of them suffices."""
AT_ONCE: Final = 256
"""Most changes on which the models are asked together; the number doubles from call to call."""


def select(
    trained: Trained, protocol: Simulatability, key: str, banned: Collection[str] = ()
) -> list[Item]:
    """Return a domain's items, without explanations.

    Examples come from the validation split, tests from the test split. Where there is a prototype
    network, it and the task model agree on each original and each changed input. No input occurs
    twice, changed or not. Whether a change must flip the output is settled before it is drawn
    (Hase & Bansal 2020, appendix A.2); an input without such a change is passed over. Changes that
    are given aren't drawn; flips and other changes alternate.

    Parameters
    ----------
    trained
        Models and data.
    protocol
        Numbers of items and of edits, and the tests.
    key
        Seed of every keyed draw.
    banned
        Items (`Item.key`) that can't be shown.

    Raises
    ------
    UserError
        If a cell can't be filled; the message has the counts of all cells.
    """
    check_counts(protocol, trained.domain, trained.classes)
    wanted, kinds = _wanted(protocol), kinds_of(trained.classes)
    outputs = {
        split: agreed(trained, [row.instance for row in trained.splits[split]])
        for split in set(trained.uses.values())
    }
    draw = _Draw(trained, protocol, key, banned, outputs, set())
    items, counts = [], {}
    for use in trained.uses:
        for kind in kinds:
            chosen = list(islice(draw.items(use, kind), wanted[use] // len(kinds)))
            counts[f"{use} {kind}"] = len(chosen), wanted[use] // len(kinds)
            items += chosen
    if any(available < needed for available, needed in counts.values()):
        cells = ", ".join(
            f"{cell} {available} of {needed}"
            for cell, (available, needed) in counts.items()
            if needed
        )
        raise UserError(
            f"{trained.domain}: too few inputs{_which(trained)} ({cells}"
            f"{_left_out(banned)}); give more data, or lower items.learning or items.per_test"
        )
    return items


def _which(trained: Trained) -> str:
    return "" if trained.prototypes is None else " on which both models agree"


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
        Outputs by split; None if the two models don't agree.
    used
        Inputs that an item shows or asks about; it grows.
    """

    trained: Trained
    protocol: Simulatability
    key: str
    banned: Collection[str]
    outputs: Mapping[Split, Sequence[str | None]]
    used: set[AnyInput]

    def items(self, use: Use, kind: str) -> Iterator[Item]:
        """Yield items of a kind in a keyed order; every other counterfactual flips the output."""
        if use == "counterfactual" and self.trained.edits is not None:
            yield from self._with_given_changes(kind)
            return
        flips = True
        for item in self._candidates(use, kind):
            if item.original in self.used or item.key(self.trained.domain) in self.banned:
                continue
            if use != "counterfactual":
                self.used.add(item.original)
                yield item
                continue
            if (edits := self._change(item, flips=flips)) is not None:
                self.used.update((item.original, edited(item.original, edits)))
                yield self._with(item, edits)
                flips = not flips

    def _with_given_changes(self, kind: str) -> Iterator[Item]:
        """Yield counterfactuals whose changes are given: flips and others alternately.

        Since changes can't be drawn as needed, all inputs are checked first.
        """
        by_flip: dict[bool, list[tuple[Item, tuple[Edit, ...]]]] = {True: [], False: []}
        for item in self._candidates("counterfactual", kind):
            if item.key(self.trained.domain) not in self.banned:
                possible = {flips: self._change(item, flips=flips) for flips in (True, False)}
                sides = [flips for flips, edits in possible.items() if edits is not None]
                if sides:
                    fewest = min(sides, key=lambda flips: len(by_flip[flips]))
                    by_flip[fewest].append((item, possible[fewest] or ()))
        waiting = {flips: iter(candidates) for flips, candidates in by_flip.items()}
        flips = True
        while (item := self._next_unused(waiting[flips])) is not None:
            yield item
            flips = not flips

    def _next_unused(self, waiting: Iterator[tuple[Item, tuple[Edit, ...]]]) -> Item | None:
        for item, edits in waiting:
            pair = {item.original, edited(item.original, edits)}
            if not pair & self.used:
                self.used.update(pair)
                return self._with(item, edits)
        return None

    def _with(self, item: Item, edits: tuple[Edit, ...]) -> Item:
        (output,) = agreed(self.trained, [edited(item.original, edits)])
        return replace(item, edits=edits, edited_output=output)

    def _candidates(self, use: Use, kind: str) -> Iterator[Item]:
        trained, split = self.trained, self.trained.uses[use]
        possible: dict[str, Item] = {}
        for row, output in zip(trained.splits[split], self.outputs[split], strict=True):
            if output is None or kind_of(row.label, output, trained.classes) != kind:
                continue
            possible[row.source_id] = _item(use, split, row, output)
        for name in keyed_order(possible, self.key, trained.domain, use):
            yield possible[name]

    def _change(self, item: Item, *, flips: bool) -> tuple[Edit, ...] | None:
        """Return the first change that flips the output, or keeps it; None if there is none."""
        trained, limits = self.trained, self.protocol.items
        most = limits.most_edits if trained.domain == "text" else limits.most_edits_tabular
        seed = seed_of(self.key, trained.domain, "change", item.source_id)
        rng = np.random.Generator(np.random.PCG64(seed))
        changes = trained.changes(item.original, most, rng)
        count = FEW
        while batch := list(islice(changes, count)):
            count = min(2 * count, AT_ONCE)
            inputs = {edited(item.original, edits): edits for edits in batch}
            new = [changed_input for changed_input in inputs if changed_input not in self.used]
            for changed_input, output in zip(new, agreed(trained, new), strict=True):
                if output is not None and (output != item.output) == flips:
                    return inputs[changed_input]
        return None


def agreed(trained: Trained, inputs: Sequence[AnyInput]) -> list[str | None]:
    """Return the outputs of both models; None if they differ."""
    if not inputs:
        return []
    outputs = outputs_of(trained.model, inputs)
    others = outputs if trained.prototypes is None else outputs_of(trained.prototypes, inputs)
    return [
        output if output == other else None for output, other in zip(outputs, others, strict=True)
    ]


def _item(use: Use, split: Split, row: Labelled, output: str) -> Item:
    return Item(
        use=use,
        split=split,
        source_id=row.source_id,
        original=row.instance,
        true_label=row.label,
        output=output,
    )


@dataclass(frozen=True, slots=True)
class Gathered:
    """A domain's material.

    Attributes
    ----------
    material
        Items with explanations.
    identity
        Identifies the trained models.
    passed_over
        Items that were chosen first, but that some method can't explain, or whose answer an
        explanation reveals.
    """

    material: DomainMaterial
    identity: str
    passed_over: int


def gather(
    trained: Trained,
    protocol: Simulatability,
    brought: Mapping[str, Brought],
    workers: Workers,
    reporter: Reporter,
) -> Gathered:
    """Choose items and explain them, until all chosen items can be shown.

    An item is passed over if a method has no explanation of it, or if a path to the decision
    boundary leads across an input whose output is to be predicted.

    Raises
    ------
    UserError
        If a cell can't be filled, or an explanation from a file doesn't fit.
    """
    identity = trained.identity
    key = key_of(protocol, identity)
    lacking = frozenset(_lacking(trained, brought))
    banned: set[str] = set()
    kept = Kept(cache_dir() / "simulatability" / f"explanations-{identity[:16]}.jsonl")
    explain = partial(
        explain_all,
        trained,
        how=Explaining(protocol.design.methods, protocol, identity, brought),
        workers=workers,
        keeper=kept,
        reporter=reporter,
    )
    with closing(kept):
        while True:
            chosen = select(trained, protocol, key, lacking | banned)
            items = _explained(protocol, trained.domain, chosen, explain)
            unfit = _unfit(protocol, trained.domain, items)
            if not unfit:
                break
            banned |= unfit
    material = DomainMaterial(
        name=trained.domain,
        classes=trained.classes,
        items=with_scores(items, trained),
        accuracy=trained.accuracy,
    )
    return Gathered(material, identity, len(banned))


def key_of(protocol: Simulatability, identity: str) -> str:
    """Return the key of the draws of items, from the protocol's seed and the models' identity."""
    return hash_of([protocol.study, protocol.seed, identity])


def _lacking(trained: Trained, brought: Mapping[str, Brought]) -> Collection[str]:
    """Return the keys of inputs for which a lab's own explanations are missing."""
    lacking = []
    for use, split in trained.uses.items():
        if use == "forward":
            continue
        for row in trained.splits[split]:
            if not all(explanations.has(row, trained.domain) for explanations in brought.values()):
                lacking.append(f"{trained.domain}:{split}:{use}:{row.source_id}")
    return lacking


def _explained(
    protocol: Simulatability,
    domain: str,
    items: Sequence[Item],
    explain: Callable[[Sequence[Labelled]], list[Explanations]],
) -> list[Item]:
    """Return items; those that need explanations have all that are available."""
    needing = [item for item in items if needs_explanations(protocol, item)]
    explained = explain(
        [Labelled(item.source_id, item.original, item.true_label, item.output) for item in needing]
    )
    by_key = {
        item.key(domain): {
            method: explanation
            for method, explanation in explanations.items()
            if explanation is not None
        }
        for item, explanations in zip(needing, explained, strict=True)
    }
    return [replace(item, explanations=by_key.get(item.key(domain), {})) for item in items]


def _unfit(protocol: Simulatability, domain: str, items: Sequence[Item]) -> set[str]:
    """Return the keys of items that can't be shown with the available explanations."""
    unfit = {
        item.key(domain)
        for item in items
        if needs_explanations(protocol, item) - item.explanations.keys()
    }
    methods = protocol.design.methods
    shown_before = answers_shown_before(items, protocol.design.orders, methods)
    return unfit | {repeat.item.key(domain) for repeat in shown_before}
