"""From material to a pack's files: opaque ids, sheets, robots' strategies, and the key apart."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.io.tables import Row
from stimuli.maps.metrics import NAMES
from stimuli.maps.origin import UNKNOWN, origin_cells
from stimuli.names import METHOD_NAMES, method_title, name_rows
from stimuli.studies.simulatability import tables
from stimuli.studies.simulatability.fitting import check, needs_explanations
from stimuli.studies.simulatability.material import (
    DomainMaterial,
    Item,
    Material,
    Words,
    outcome_of,
    short_half,
)
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.studies.simulatability.sheets import sheets_of
from stimuli.studies.simulatability.stimulus import EDITS

Files = dict[str, bytes]
ID_DIGITS = 12

Strategy = Callable[[Row], object]
"""Returns what it predicts of an item, from the item's row of ``key.csv``."""

BY_ITEM: Final[Mapping[str, tuple[Strategy, tuple[str, ...]]]] = {
    "the true label": (lambda row: row["true_label"], ("forward", "counterfactual")),
    "the model's output on the original": (
        lambda row: row["original_output"],
        ("counterfactual",),
    ),
}
"""Strategies in words, and the tests in which people could use them."""


@dataclass(frozen=True, slots=True)
class _Case:
    """An item of a domain."""

    domain: DomainMaterial
    item: Item

    @property
    def key(self) -> str:
        return self.item.key(self.domain.name)


def compose(protocol: Simulatability, material: Material) -> Files:
    """Return the files of a solution pack.

    Raises
    ------
    UserError
        If the material doesn't fit the protocol: what, and what to do.
    """
    check(protocol, material)
    cases = _cases(protocol, material)
    key = _key(protocol, cases)
    named = _named(cases, key)
    items, keys = list(_item_rows(named)), list(_key_rows(protocol, named, key))
    classes = list(_class_rows(protocol, material))
    check_scores(scores(items, keys, classes))
    return {
        "items.csv": tables.ITEMS.to_csv(items),
        "explanations.csv": tables.EXPLANATIONS.to_csv(_explanation_rows(protocol, named)),
        "methods.csv": tables.METHODS.to_csv(_method_rows(protocol, material)),
        "words.csv": tables.WORDS.to_csv(_word_rows(protocol, material)),
        "classes.csv": tables.CLASSES.to_csv(classes),
        "lists.csv": tables.LISTS.to_csv(_list_rows(protocol, material, named, key)),
        "key.csv": tables.KEY.to_csv(keys),
        "models.csv": tables.MODELS.to_csv(_model_rows(protocol, material)),
    }


def _domains(protocol: Simulatability, material: Material) -> list[DomainMaterial]:
    by_name = {domain.name: domain for domain in material.domains}
    return [by_name[name] for name in protocol.design.domains]


def _cases(protocol: Simulatability, material: Material) -> list[_Case]:
    uses = ("learning", *protocol.design.tests)
    return [
        _Case(domain, item)
        for domain in _domains(protocol, material)
        for item in domain.items
        if item.use in uses
    ]


def _key(protocol: Simulatability, cases: list[_Case]) -> str:
    """Return the root of a pack's keyed draws: the items, and the protocol's seed."""
    content = {
        case.key: [
            case.item.original.model_dump_json(),
            None if case.item.edits is None else [edit.model_dump() for edit in case.item.edits],
            case.item.true_label,
            case.item.output,
            case.item.predicted,
        ]
        for case in cases
    }
    return hash_of([protocol.study, protocol.seed, content])


def _named(cases: list[_Case], key: str) -> dict[str, _Case]:
    """Return the items by their opaque ids, in the ids' order."""
    named = {f"p{hash_of([key, case.key])[:ID_DIGITS]}": case for case in cases}
    if len(named) != len(cases):
        raise UserError("two presentations have the same id; change the protocol's seed")
    return dict(sorted(named.items()))


def _item_rows(named: Mapping[str, _Case]) -> Iterator[Row]:
    for name, case in named.items():
        item, forward = case.item, case.item.use == "forward"
        yield {
            "presentation": name,
            "domain": case.domain.name,
            "use": item.use,
            "input": item.original.model_dump_json(),
            "edits": None if item.edits is None else EDITS.dump_json(item.edits).decode(),
            "shown_label": None if forward else item.true_label,
            "shown_output": None if forward else item.output,
        }


def _explanation_rows(protocol: Simulatability, named: Mapping[str, _Case]) -> Iterator[Row]:
    for name, case in named.items():
        for method in sorted(needs_explanations(protocol, case.item)):
            yield {
                "presentation": name,
                "method": method,
                "explanation": case.item.explanations[method].model_dump_json(),
                **dict.fromkeys(NAMES),
                **case.item.scores.get(method, {}),
            }


def _method_rows(protocol: Simulatability, material: Material) -> Iterator[Row]:
    for method in sorted(protocol.design.methods):
        origin = material.origins.get(method, UNKNOWN)
        for row in name_rows([method], {**_titles(method), **material.method_names}):
            yield {
                "method": method,
                "language": row["language"],
                "name": row["name"],
                **origin_cells("origin", origin),
            }


def _titles(method: str) -> Words:
    """Return what a method of the suite is called, by method and language."""
    languages = [language for name, language in METHOD_NAMES if name == method]
    return {(method, language): method_title(method, language) for language in languages}


def _word_rows(protocol: Simulatability, material: Material) -> Iterator[Row]:
    for domain in _domains(protocol, material):
        for row in name_rows(domain.classes, domain.class_names):
            term, language, word = row["label"], row["language"], row["name"]
            common: Row = {"domain": domain.name, "language": language, "word": word}
            yield {**common, "kind": "class", "term": term}
        for (term, tag), word in sorted(domain.terms.items()):
            common = {"domain": domain.name, "language": tag or None, "word": word}
            yield {**common, "kind": "term", "term": term}


def _class_rows(protocol: Simulatability, material: Material) -> Iterator[Row]:
    for domain in _domains(protocol, material):
        positive = domain.classes[1] if len(domain.classes) == 2 else None
        for name in domain.classes:
            yield {"domain": domain.name, "class": name, "positive": name == positive}


def _list_rows(
    protocol: Simulatability, material: Material, named: Mapping[str, _Case], key: str
) -> Iterator[Row]:
    name_of = {case.key: name for name, case in named.items()}
    for entry in sheets_of(protocol, material, key):
        yield {
            "list": entry.sheet,
            "arm": entry.arm,
            "section": entry.section,
            "position": entry.position,
            "presentation": name_of[entry.item],
        }


def _key_rows(protocol: Simulatability, named: Mapping[str, _Case], key: str) -> Iterator[Row]:
    short = _short(protocol, named, key)
    for name, case in named.items():
        item = case.item
        yield {
            "presentation": name,
            "item": case.key,
            "source_id": item.source_id,
            "true_label": item.true_label,
            "original_output": item.output,
            "output": item.predicted,
            "outcome": outcome_of(item.true_label, item.output, case.domain.classes),
            "flips": item.flips,
            "short": case.key in short,
        }


def _short(protocol: Simulatability, named: Mapping[str, _Case], key: str) -> frozenset[str]:
    chosen: frozenset[str] = frozenset()
    for domain in {case.domain.name: case.domain for case in named.values()}.values():
        for test in protocol.design.tests:
            items = [item for item in domain.items if item.use == test]
            chosen |= short_half(items, domain.name, domain.classes, key)
    return chosen


def _model_rows(protocol: Simulatability, material: Material) -> Iterator[Row]:
    for domain in _domains(protocol, material):
        model, prototypes = domain.accuracy or (None, None)
        yield {"domain": domain.name, "accuracy": model, "prototype_accuracy": prototypes}


@dataclass(frozen=True, slots=True)
class Score:
    """How often a strategy is right.

    Attributes
    ----------
    domain, use, short
        The test, and whether it is its short half.
    strategy
        What is predicted, in words.
    right, items
        Counts.
    classes
        How many answers there are.
    """

    domain: str
    use: str
    short: bool
    strategy: str
    right: int
    items: int
    classes: int = 2

    @property
    def fits(self) -> bool:
        """Whether it is right on half; where there are more than two classes, on no more."""
        return 2 * self.right == self.items or (self.classes > 2 and 2 * self.right < self.items)


def scores(items: Iterable[Row], key: Iterable[Row], classes: Iterable[Row]) -> Iterator[Score]:
    """Yield scores from the rows of ``items.csv``, ``key.csv`` and ``classes.csv``."""
    known = {row["presentation"]: row for row in key}
    tests: dict[tuple[str, str], list[Row]] = {}
    for row in items:
        if row["use"] != "learning":
            tested = tests.setdefault((str(row["domain"]), str(row["use"])), [])
            tested.append(known[row["presentation"]])
    answers = list(classes)
    for (domain, use), rows in sorted(tests.items()):
        own_classes = [str(row["class"]) for row in answers if row["domain"] == domain]
        for short in (False, True):
            judged = [row for row in rows if row["short"] or not short]
            for name, says in _strategies(use, own_classes):
                right = sum(says(row) == row["output"] for row in judged)
                yield Score(domain, use, short, name, right, len(judged), len(own_classes))


def check_scores(measured: Iterable[Score]) -> None:
    """Refuse items of which a strategy gets more or fewer right than half (`Score.fits`).

    Raises
    ------
    UserError
        Names the test, the strategy and its score.
    """
    for score in measured:
        if not score.fits:
            half = ", short" if score.short else ""
            raise UserError(
                f"{score.domain}, {score.use}{half}: a person who always predicts "
                f"{score.strategy} is right on {score.right} of {score.items} items; balance the "
                "items so that it is half"
            )


def _strategies(use: str, classes: Iterable[str]) -> Iterator[tuple[str, Strategy]]:
    for name, (says, uses) in BY_ITEM.items():
        if use in uses:
            yield name, says
    for name in classes:
        yield f"the class {name}", lambda row, name=name: name
