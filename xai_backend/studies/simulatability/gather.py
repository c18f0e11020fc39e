"""From a trained domain to a pack's material: items are chosen and explained."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from stimuli.io.canonical import hash_of
from stimuli.places import cache_dir
from stimuli.studies.simulatability.fitting import needs_explanations
from stimuli.studies.simulatability.material import DomainMaterial, Item, answers_shown_before
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.workers import Kept, Workers
from xai_backend.progress import Reporter
from xai_backend.studies.simulatability.explaining import Explaining, Explanations, explain_all
from xai_backend.studies.simulatability.methods.brought import Brought
from xai_backend.studies.simulatability.selection import select
from xai_backend.studies.simulatability.trained import Labelled, Trained


@dataclass(frozen=True, slots=True)
class Gathered:
    """A domain's material.

    Attributes
    ----------
    material
        Items with explanations.
    identity
        What the trained models are known by.
    passed_over
        Items that were chosen at first, but can't be explained by every method, or whose answer
        an explanation tells.
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
    """Choose items and explain them, until each can be shown.

    An item is passed over if a method has no explanation of it, or if a path to the decision
    boundary leads across an input whose output is to be predicted.

    Raises
    ------
    UserError
        If a cell can't be filled, or a brought explanation doesn't fit.
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
        kept=kept,
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
        name=trained.domain, classes=trained.classes, items=items, accuracy=trained.accuracy
    )
    return Gathered(material, identity, len(banned))


def key_of(protocol: Simulatability, identity: str) -> str:
    """Return the root of the draws of items: the seed, and what the models are known by."""
    return hash_of([protocol.study, protocol.seed, identity])


def _lacking(trained: Trained, brought: Mapping[str, Brought]) -> Collection[str]:
    """Return the keys of inputs that a lab's own explanations leave out."""
    found = []
    for use, split in trained.uses.items():
        if use == "forward":
            continue
        for row in trained.splits[split]:
            if not all(own.has(row, trained.domain) for own in brought.values()):
                found.append(f"{trained.domain}:{split}:{use}:{row.source_id}")
    return found


def _explained(
    protocol: Simulatability,
    domain: str,
    items: Sequence[Item],
    explain: Callable[[Sequence[Labelled]], list[Explanations]],
) -> list[Item]:
    """Return items with the explanations that there are of those that need any."""
    needing = [item for item in items if needs_explanations(protocol, item)]
    found = explain(
        [Labelled(one.source_id, one.original, one.true_label, one.output) for one in needing]
    )
    said = {
        item.key(domain): {method: one for method, one in own.items() if one is not None}
        for item, own in zip(needing, found, strict=True)
    }
    return [replace(item, explanations=said.get(item.key(domain), {})) for item in items]


def _unfit(protocol: Simulatability, domain: str, items: Sequence[Item]) -> set[str]:
    """Return the keys of items that can't be shown, with the explanations that there are."""
    unfit = {
        item.key(domain)
        for item in items
        if needs_explanations(protocol, item) - item.explanations.keys()
    }
    methods = protocol.design.methods
    return unfit | {
        one.item.key(domain) for one in answers_shown_before(items, protocol.design.tests, methods)
    }
