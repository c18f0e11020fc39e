"""Anchor's rules against enumeration of a small table, and beside those of `anchor-exp`."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tests.xai_backend.studies.simulatability.stand_ins import (
    every_row,
    row,
    sentence,
    table_domain,
    text_domain,
)
from xai_backend.studies.simulatability.methods.anchor import (
    RuleDraws,
    Search,
    Surroundings,
    anchor,
    best_rules,
    find_rule,
    rows,
    settings,
    words,
)

SENTENCE = sentence("the good plot is awful , the cast is good .")
SLACK = 0.05
"""A rule's lower bound may lie so far below the precision it must have."""


def rng(number=0):
    return np.random.default_rng(number)


def exact_precision(domain, one, rule):
    """How often the model says the same, over all rows of the training split."""
    changed = [
        row(*(one.values[k] if k in rule else value for k, value in enumerate(own.instance.values)))
        for own in domain.splits["train"]
    ]
    said = domain.model.margins([one])[0] > 0
    return ((domain.model.margins(changed) > 0) == said).mean()


def exact_coverage(domain, one, rule):
    there = [
        all(own.instance.values[place] == one.values[place] for place in rule)
        for own in domain.splits["train"]
    ]
    return np.mean(there)


@pytest.mark.parametrize("variant", ["near_code", "near_paper"])
@pytest.mark.parametrize("number", range(0, 36, 5))
def test_rules_are_as_precise_as_they_say(variant, number):
    domain = table_domain(pair=("Male", "High gains", -2.5))
    one = every_row()[number]
    found = anchor(domain, one, 0.95, variant, rng(number))
    rule = {place for condition in found.conditions for place in condition.places}
    precision = exact_precision(domain, one, rule)
    assert precision > 0.95 - SLACK
    assert found.precision == pytest.approx(precision, abs=0.06)
    assert found.coverage == pytest.approx(exact_coverage(domain, one, rule), abs=0.02)
    said = domain.model.margins([one])[0] > 0
    assert found.outcome == domain.classes[int(said)]


@pytest.mark.parametrize("number", range(0, 36, 3))
def test_the_papers_search_finds_the_largest_coverage(number):
    """No rule that is clearly precise enough covers clearly more than the found one."""
    domain = table_domain(pair=("Male", "High gains", -2.5))
    one = every_row()[number]
    found = anchor(domain, one, 0.95, "near_paper", rng(number))
    for size in range(1, 5):
        for rule in itertools.combinations(range(4), size):
            if exact_precision(domain, one, rule) >= 0.95 + SLACK:
                assert exact_coverage(domain, one, rule) <= found.coverage + 0.03


def test_where_nothing_less_is_enough_the_rule_is_the_whole_input():
    def draw(rule, n):
        return generator.integers(0, 2, (n, 3)) * ~np.isin(np.arange(3), rule)

    generator = rng()
    around = Surroundings((0, 1, 2), draw, lambda codes: ~codes.any(axis=1), True)
    found = find_rule(around, Search(0.95, 0.05, 0.1, 50))
    assert set(found.rule) == {0, 1, 2}
    assert found.precision == 1
    assert found.coverage == pytest.approx(1 / 8, abs=0.02)


def test_a_word_is_named_with_its_number_and_the_rule_holds():
    domain = text_domain()
    found = anchor(domain, SENTENCE, 0.95, "near_code", rng())
    assert found.outcome == "pos"
    assert found.precision > 0.9
    names = {condition.name for condition in found.conditions}
    assert names & {"good (1st)", "good (2nd)"}
    fixed = {condition.places[0] for condition in found.conditions}
    around = words(domain, SENTENCE, rng(9))
    assert around.same(around.draw(tuple(fixed), 4000)).mean() > 0.95 - SLACK


def test_a_sentence_that_can_not_be_changed_has_no_rule():
    assert anchor(text_domain(), sentence("the , a ."), 0.95, "near_code", rng()) is None


def test_draws_that_meet_a_longer_rule_are_draws_of_it():
    """Replacements are independent: what a rule inherits has the precision of its own draws."""
    around = words(text_domain(), SENTENCE, rng())
    tried = RuleDraws(around)
    tried.draw([(4,)], 20_000)
    tried.inherit((4, 1), (4,))
    (inherited,), (precision,) = tried.counts([(4, 1)])
    assert inherited == pytest.approx(10_000, abs=400)
    own = around.same(around.draw((4, 1), 20_000)).mean()
    assert precision == pytest.approx(own, abs=0.02)


def test_whole_rows_that_meet_a_longer_rule_are_not_draws_of_it():
    """In a table whose columns depend on each other they say too much of its precision."""
    domain = table_domain()
    rich = [own for own in domain.splits["train"] if own.label == "pos"]
    alike = [own for own in rich if own.instance.values[1] == "Male"]
    others = [own for own in domain.splits["train"] if own.instance.values[1] == "Female"]
    domain = replace(domain, splits={"train": [*alike, *others]})
    one = row("28.00 < Age <= 48.00", "Male", "Sales", "No gains")
    around = rows(domain, one, rng())
    free = around.draw((), 20_000)
    meeting = free[free[:, 1] == 0]
    assert around.same(meeting).mean() == 1
    assert exact_precision(domain, one, {1}) < 0.9
    tried = RuleDraws(around)
    tried.draw([()], 100)
    tried.inherit((1,), ())
    assert tried.counts([(1,)])[0] == 0


def test_lucb_finds_the_best_within_its_tolerance():
    shares = np.array([0.5, 0.9, 0.7, 0.88, 0.6, 0.3])
    misses = 0
    for seed in range(20):
        generator = rng(seed)

        def draw(rule, n):
            return np.full((n, len(shares)), rule[0])

        def same(codes):
            return generator.random(len(codes)) < shares[codes[:, 0]]  # noqa: B023

        tried = RuleDraws(Surroundings(range(6), draw, same, False))
        search = Search(0.95, delta=0.1, tolerance=0.1, batch=20)
        best = best_rules(tried, [(k,) for k in range(6)], search, 2)
        misses += min(shares[rule[0]] for rule in best) < shares[3] - 0.1
    assert misses <= 20 * 0.1


def rule_of_anchor_exp(around, search):
    """The places that the package's search finds, on our draws."""
    anchor_base = pytest.importorskip("anchor.anchor_base")

    def sample(present, n, compute_labels=True):
        codes = around.draw(tuple(present), int(n))
        labels = around.same(codes).astype(int) if compute_labels else []
        return codes, (codes == 0).astype(int), labels

    found = anchor_base.AnchorBaseBeam.anchor_beam(
        sample, delta=search.delta, epsilon=search.tolerance, batch_size=search.batch,
        desired_confidence=search.precision, beam_size=search.width, stop_on_first=search.first,
    )  # fmt: skip
    return set(found["feature"])


@pytest.mark.slow
def test_a_rows_rules_stand_beside_those_of_anchor_exp():
    """Both search the same draws; each rule is precise enough by enumeration."""
    domain = table_domain(pair=("Male", "High gains", -2.5))
    search = settings(False, 0.95, "near_paper")
    alike = 0
    for number, one in enumerate(every_row()):
        np.random.seed(number)
        theirs = rule_of_anchor_exp(rows(domain, one, rng(number)), search)
        ours = set(find_rule(rows(domain, one, rng(1000 + number)), search).rule)
        alike += ours == theirs
        exact = [exact_precision(domain, one, rule) for rule in (ours, theirs)]
        print(number, sorted(ours), f"{exact[0]:.3f}", sorted(theirs), f"{exact[1]:.3f}")
        assert exact[0] > 0.95 - SLACK
        assert exact_coverage(domain, one, ours) >= exact_coverage(domain, one, theirs) - 0.1
    print(f"the same rule in {alike} of {len(every_row())}")
    assert alike >= 0.8 * len(every_row())


@pytest.mark.slow
def test_a_sentences_rules_stand_beside_those_of_anchor_exp():
    """Words of equal weight may change places; precision by many draws, and length, agree."""
    domain = text_domain(pair=("film", "awful", 1.5))
    lengths = []
    for number, item in enumerate(domain.splits["train"]):
        around = words(domain, item.instance, rng(number))
        if not around.places:
            continue
        np.random.seed(number)
        search = settings(True, 0.95, "near_code")
        theirs = rule_of_anchor_exp(words(domain, item.instance, rng(1000 + number)), search)
        ours = set(find_rule(around, search).rule)
        exact = [around.same(around.draw(tuple(rule), 20_000)).mean() for rule in (ours, theirs)]
        print(number, sorted(ours), f"{exact[0]:.3f}", sorted(theirs), f"{exact[1]:.3f}")
        lengths.append((len(ours), len(theirs)))
        assert min(exact) > 0.95 - SLACK - 0.01
    means = np.mean(lengths, axis=0)
    print(f"mean length {means[0]:.2f} and {means[1]:.2f} of {len(lengths)} sentences")
    assert means[0] == pytest.approx(means[1], abs=0.25)
