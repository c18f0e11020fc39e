"""Anchor: a rule that is sufficient for the model's output (Ribeiro et al. 2018).

A rule is a set of places that keep their words or values. Its precision is how often the model's
output stays the same if the other places are drawn anew. Its coverage is how often a free draw
meets it. Algorithms 1 and 2 of the paper search for a rule that is precise enough. The bounds of a
share are those of Kaufmann & Kalyanakrishnan (2013), "Information complexity in bandit subset
selection".

Sentences: a word that isn't in the rule is replaced with a probability of one half, by a neighbour
of the same part of speech, as in the published code (which knows more neighbours). Tables: a whole
row is drawn from the training split and takes over the rule's values; the published code draws from
the validation split. A word that can't be replaced is no condition, since it would say nothing.

The published code counts a shorter rule's draws for a longer one that they happen to meet. Where
whole rows are drawn, these draws differ from the longer rule's own, since columns depend on each
other: on Adult most of its rules are less precise than it says. Here this is done for sentences
only.

The published code means to extend four rules of a sentence and ten of a row, but doesn't pass on
the number and extends one (variant ``near_code``). Variant ``near_paper`` extends as many as were
meant. The search for a sentence stops at the first precise rule; the search for a row looks for
coverage.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlog1py, xlogy

from stimuli.studies.simulatability.stimulus import Anchor, Condition, TableInput, TextInput
from xai_backend.studies.simulatability.methods.around import (
    Around,
    CachedAnswers,
    Codes,
    coded,
    drawn_words,
    explained_model,
    is_positive,
    names_of,
    stated,
    values_around,
    words_around,
)
from xai_backend.studies.simulatability.trained import (
    AnyInput,
    Reals,
    TaskModel,
    Trained,
    outputs_of,
)

Rule = tuple[int, ...]
"""Places, in the order in which the search added them."""
Flags = NDArray[np.bool_]
COVERAGE_SAMPLES = 10_000

HALVINGS = 24
"""Number of halvings of a bracket no wider than 1, so that bounds are exact to 6e-8."""

ALPHA, K1 = 1.1, 405.5
"""Constants of the exploration rate, for which the paper proves its bound."""


@dataclass(frozen=True, slots=True)
class Search:
    """Settings of a search.

    Attributes
    ----------
    precision
        The precision that a rule must have.
    delta
        Probability of error of the bounds.
    tolerance
        ε of KL-LUCB: how far the best rules' precision may lie below the others'.
    batch
        Draws for a rule at a time.
    width
        Number of rules of each size that are extended.
    first
        Whether the search stops at the shortest precise rules; else it goes on to look for
        coverage.
    slack
        How far a rule's lower bound may lie below `precision`.
    """

    precision: float
    delta: float
    tolerance: float
    batch: int
    width: int = 1
    first: bool = False
    slack: float = 0.05


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The inputs around an input on which rules are tried.

    Attributes
    ----------
    places
        Places that a rule can contain.
    draw
        Draws n inputs in which a rule's places are kept, as codes (n, places of the input): 0 means
        unchanged.
    same
        Returns for codes whether the model's output is that for the input, shape (n,).
    independent
        Whether places are drawn independently. If so, draws of a rule that also satisfy a longer
        rule by chance are draws of the longer rule, too.
    """

    places: Sequence[int]
    draw: Callable[[Rule, int], Codes]
    same: Callable[[Codes], Flags]
    independent: bool


@dataclass(frozen=True, slots=True)
class EstimatedRule:
    """A rule, with its precision and coverage as estimated from draws."""

    rule: Rule
    precision: float
    coverage: float


class RuleDraws:
    """The draws of each rule so far."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._drawn: Counter[frozenset[int]] = Counter()
        self._right: Counter[frozenset[int]] = Counter()
        self._kept: defaultdict[frozenset[int], list[tuple[Flags, Flags]]] = defaultdict(list)

    def draw(self, rules: Sequence[Rule], n: int) -> None:
        """Draw n inputs of each rule."""
        codes = [self._around.draw(rule, n) for rule in rules]
        same = self._around.same(np.concatenate(codes)).reshape(len(rules), n)
        for rule, code, hits in zip(rules, codes, same, strict=True):
            self._add(rule, code == 0, hits)

    def inherit(self, rule: Rule, parent: Rule) -> None:
        """Take over the parent's draws that satisfy a longer rule, if they count as its draws."""
        for kept, hits in self._kept[frozenset(parent)]:
            meets = kept[:, rule[-1]]
            self._add(rule, kept[meets], hits[meets])

    def counts(self, rules: Sequence[Rule]) -> tuple[Reals, Reals]:
        """Return each rule's number of draws, and its precision in them (0 without draws)."""
        keys = [frozenset(rule) for rule in rules]
        drawn = np.array([self._drawn[key] for key in keys], float)
        right = np.array([self._right[key] for key in keys], float)
        return drawn, right / np.maximum(drawn, 1)

    def _add(self, rule: Rule, kept: Flags, hits: Flags) -> None:
        key = frozenset(rule)
        self._drawn[key] += len(hits)
        self._right[key] += int(hits.sum())
        if self._around.independent:
            self._kept[key].append((kept, hits))


def find_rule(around: Surroundings, search: Search) -> EstimatedRule:
    """Return the rule with the largest coverage among those that are precise enough.

    There is always such a rule: with all places in the rule, every draw is the input itself.

    Raises
    ------
    ValueError
        If there are no places.
    """
    if not around.places:
        raise ValueError("no place can be part of a rule")
    draws = RuleDraws(around)
    free = around.draw((), COVERAGE_SAMPLES) == 0

    def coverage(rule: Rule) -> float:
        return float(free[:, rule].all(axis=1).mean())

    best: EstimatedRule | None = None
    beam: list[Rule] = [()]
    for _ in around.places:
        rules = [
            rule
            for rule in _longer(beam, around, draws)
            if best is None or coverage(rule) > best.coverage
        ]
        if not rules:
            break
        beam = best_rules(draws, rules, search, search.width)
        for rule in beam:
            precision, precise = _judged(draws, rule, search, len(around.places))
            if precise and (best is None or coverage(rule) > best.coverage):
                best = EstimatedRule(rule, precision, coverage(rule))
        if best is not None and search.first:
            break
    assert best is not None
    return best


def best_rules(draws: RuleDraws, rules: Sequence[Rule], search: Search, width: int) -> list[Rule]:
    """Return the most precise rules by KL-LUCB, the best first."""
    new = [rule for rule, drawn in zip(rules, draws.counts(rules)[0], strict=True) if drawn == 0]
    if new:
        draws.draw(new, search.batch)
    if len(rules) > width:
        rounds = 1
        while (doubtful := _doubtful(*draws.counts(rules), width, rounds, search)) is not None:
            draws.draw([rules[arm] for arm in doubtful], search.batch)
            rounds += 1
    order = np.argsort(-draws.counts(rules)[1], kind="stable")
    return [rules[arm] for arm in order[:width]]


def _doubtful(
    drawn: Reals, precision: Reals, width: int, rounds: int, search: Search
) -> tuple[int, int] | None:
    """Return the weakest of the best rules and the strongest other; None if they are told apart."""
    order = np.argsort(-precision, kind="stable")
    best, others = order[:width], order[width:]
    rate = exploration(len(drawn), rounds, search.delta)
    low = lower(precision[best], rate / drawn[best])
    high = upper(precision[others], rate / drawn[others])
    if high.max() - low.min() <= search.tolerance:
        return None
    return int(best[np.argmin(low)]), int(others[np.argmax(high)])


def _longer(beam: Sequence[Rule], around: Surroundings, draws: RuleDraws) -> list[Rule]:
    """Return all rules with one more place, each once, ordered by their places."""
    longer: dict[frozenset[int], Rule] = {}
    for parent in beam:
        for place in around.places:
            rule = (*parent, place)
            if place not in parent and frozenset(rule) not in longer:
                longer[frozenset(rule)] = rule
                draws.inherit(rule, parent)
    return sorted(longer.values(), key=sorted)


def _judged(draws: RuleDraws, rule: Rule, search: Search, places: int) -> tuple[float, bool]:
    """Draw for a rule until it is clear whether it is precise enough; return its precision too."""
    level = np.log((1 + (search.width - 1) * places) / search.delta)
    while True:
        (drawn,), (precision,) = draws.counts([rule])
        if precision >= search.precision:
            if lower(precision, level / drawn) > search.precision - search.slack:
                return float(precision), True
        elif upper(precision, level / drawn) < search.precision + search.slack:
            return float(precision), False
        draws.draw([rule], search.batch)


def upper(p: ArrayLike, level: ArrayLike) -> Reals:
    """Return the largest q in 0…1 with KL(p, q) ≤ level, in nats."""
    return _bound(np.asarray(p, float), np.asarray(level, float), 1.0)


def lower(p: ArrayLike, level: ArrayLike) -> Reals:
    """Return the smallest q in 0…1 with KL(p, q) ≤ level, in nats."""
    return _bound(np.asarray(p, float), np.asarray(level, float), 0.0)


def exploration(arms: int, rounds: int, delta: float) -> float:
    """Return β(t, δ) of KL-LUCB; divided by an arm's draws, it is the level of the arm's bounds."""
    inner = np.log(K1 * arms * rounds**ALPHA / delta)
    return float(inner + np.log(inner))


def _bound(p: Reals, level: Reals, end: float) -> Reals:
    """Return a bound, by halving the bracket from p (within the level) to ``end``."""
    # KL(p, q) = p log p + (1 − p) log(1 − p) − p log q − (1 − p) log(1 − q)
    rest, most = 1 - p, level - xlogy(p, p) - xlog1py(1 - p, -p)
    inside, outside = p, np.full_like(p, end)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        within = -xlogy(p, middle) - xlog1py(rest, -middle) <= most
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return inside


CHANCE = 0.5
TEMPERATURE = 0.4
TEXT_WIDTH, TABLE_WIDTH = 4, 10
TEXT: Final = Search(precision=0.95, delta=0.1, tolerance=0.15, batch=100, first=True)
TABLE: Final = Search(precision=0.95, delta=0.05, tolerance=0.1, batch=50)


def anchor(
    trained: Trained, instance: AnyInput, precision: float, variant: str, rng: np.random.Generator
) -> Anchor | None:
    """Return the rule of an input.

    Parameters
    ----------
    trained
        The domain.
    instance
        The input.
    precision
        The precision that the rule must have, 0…1.
    variant
        ``near_code`` or ``near_paper``; it determines how many rules are extended.
    rng
        Draws the samples.

    Returns
    -------
    Anchor | None
        A table's conditions are ordered by column, a sentence's in the order in which the search
        added them. None if nothing in the input can be changed.
    """
    is_text = isinstance(instance, TextInput)
    around = words(trained, instance, rng) if is_text else rows(trained, instance, rng)
    if not around.places:
        return None
    best = find_rule(around, settings(is_text, precision, variant))
    names = names_of(instance)
    return Anchor(
        outcome=outputs_of(trained.model, [instance])[0],
        conditions=tuple(
            Condition(name=names[place], places=(place,))
            for place in (best.rule if is_text else sorted(best.rule))
        ),
        precision=stated(best.precision),
        coverage=stated(best.coverage),
    )


def settings(is_text: bool, precision: float, variant: str) -> Search:
    """Return the settings of a search."""
    search = replace(TEXT if is_text else TABLE, precision=precision)
    meant = TEXT_WIDTH if is_text else TABLE_WIDTH
    return search if variant == "near_code" else replace(search, width=meant)


def words(trained: Trained, sentence: TextInput, rng: np.random.Generator) -> Surroundings:
    """Return the sentences around a sentence."""
    around = words_around(sentence, trained.words)

    def draw(rule: Rule, n: int) -> Codes:
        codes = drawn_words(around, n, CHANCE, TEMPERATURE, rng)
        codes[:, rule] = 0
        return codes

    return Surroundings(around.changeable.tolist(), draw, _same(trained, around), True)


def rows(trained: Trained, row: TableInput, rng: np.random.Generator) -> Surroundings:
    """Return the rows of the training split around a row."""
    around = values_around(row, trained.table)
    training = coded(around, [example.instance for example in trained.splits["train"]])

    def draw(rule: Rule, n: int) -> Codes:
        codes = training[rng.integers(len(training), size=n)]
        codes[:, rule] = 0
        return codes

    return Surroundings(around.changeable.tolist(), draw, _same(trained, around), False)


def _same(trained: Trained, around: Around) -> "_Same":
    return _Same(explained_model(trained, around.original), around)


class _Same:
    """Tells whether a model's output for changed inputs is that for the input itself."""

    def __init__(self, model: TaskModel, around: Around) -> None:
        self._model = CachedAnswers(model.margins, around.inputs)
        original = np.zeros((1, len(around.options)), np.int16)
        self._positive = is_positive(self._model.values(original))[0]

    def __call__(self, codes: Codes) -> NDArray[np.bool_]:
        return is_positive(self._model.values(codes)) == self._positive
