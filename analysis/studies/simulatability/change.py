"""Change as published, condition by condition."""

from typing import Any

from analysis.studies.simulatability.block_draws import Plan
from analysis.studies.simulatability.published_bootstrap import (
    MEAN_REPLICATES,
    NAME,
    change_rows,
    pre_row,
)
from analysis.studies.simulatability.trials import Predictions, inside
from analysis.studies.simulatability.words import ALL
from stimuli.io.canonical import seed_of
from stimuli.studies.simulatability.protocol import Simulatability

Row = dict[str, Any]


def conditions(predictions: Predictions) -> list[tuple[str, str]]:
    """Return the domains and tests that have rows of their own.

    Each domain (the paper's Table 1), each test (Table 2), and each test of each domain; ``all``
    only where there are two.
    """
    domains, tests = predictions.domains, predictions.tests
    both_tests = [ALL] if len(tests) > 1 else []
    both_domains = [ALL] if len(domains) > 1 else []
    return [
        *((domain, test) for domain in domains for test in (*both_tests, *tests)),
        *((domain, test) for domain in both_domains for test in tests),
    ]


def plan_of(protocol: Simulatability, domain: str, test: str, what: str, most: int) -> Plan:
    """Return how often is drawn for a value of a condition, `most` times at most."""
    rules = protocol.analysis
    seed = seed_of(NAME, what, rules.seed, domain, test)
    return Plan(min(rules.published_replicates, most), seed)


def published_change(predictions: Predictions, protocol: Simulatability) -> dict[str, list[Row]]:
    """Return Change and accuracy before explanations by the published bootstrap.

    Returns
    -------
    dict
        ``change``: rows of `change_rows` with ``domain`` and ``test``; ``pre_accuracies``: rows of
        `pre_row` likewise. All in percentage points.
    """
    change, before = [], []
    for domain, test in conditions(predictions):
        pairs = predictions.pairs
        own = pairs[inside(pairs, domain, test)].reset_index(drop=True)
        if own.empty:
            continue
        head = {"domain": domain, "test": test}
        plan = plan_of(protocol, domain, test, "change", protocol.analysis.published_replicates)
        change += [{**head, **row} for row in change_rows(own, predictions.methods, plan)]
        plan = plan_of(protocol, domain, test, "pre", MEAN_REPLICATES)
        before.append({**head, **pre_row(own, plan)})
    return {"change": change, "pre_accuracies": before}
