"""A model that ran away is not given, and page, results and R script say why."""

import numpy as np
import pandas as pd

from analysis.report.parts import Picture
from analysis.report.writer import render
from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT
from analysis.studies.accept_reject.model import PROBABILITY
from tests.analysis.report.page import text_of
from tests.analysis.studies.accept_reject.whole import estimates, results_of

SEED = 1
ACCEPTED = {("E", False): 2, ("E", True): 1, ("S", False): 1, ("S", True): 2}
"""Of six trials each."""


def three_leads(seed=SEED):
    """Return three leads' answers to four plates in both runs, 24 rows."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        [
            {"participant": f"p{lead}", "item": f"i{plate}",
             "explained": (plate + lead + run) % 2 > 0, "solver": "ES"[plate // 2],
             "decision": "reject", "rt_s": 1.0}
            for lead in range(3) for plate in range(4) for run in range(2)
        ]
    )  # fmt: skip
    for cell, own in table.groupby(["solver", "explained"]):
        table.loc[rng.choice(own.index, ACCEPTED[cell], replace=False), "decision"] = "accept"
    return table


def test_a_model_that_ran_away_is_not_given_and_the_page_says_why():
    """Its solver had an odds ratio of 1.8e24 and a likelihood that no other program finds."""
    results = results_of(three_leads(), analysis={"replicates": 60})
    model = results["model"]["fit"]
    assert not model["converged"]
    assert model["reason"].startswith("The model ran away: explained by participant has a standard")
    assert estimates(results, PROBABILITY) == []
    lacking = {row["result"]: row["reason"] for row in results["missing"]}
    reason = lacking["inference from the mixed model, and averaged probabilities"]
    assert reason == model["reason"]
    assert results["usefulness"]["used"] != "model"
    report = ACCEPT_REJECT.build(results)
    names = {p.name: "<svg></svg>" for s in report.sections for p in s.parts
             if isinstance(p, Picture)}  # fmt: skip
    page = text_of(render(report, names))
    assert "The model ran away: explained by participant" in page
    assert "so its estimates are not given" in page
    assert "Odds ratio" not in page
