"""Trial tables of human_ai_team for tests: the published experts' counts, and hand-made answers."""

import pandas as pd

from analysis.data.tables import Dataset
from analysis.questions.question import Whole
from analysis.studies.human_ai_team.inquiry import TEAM
from analysis.studies.human_ai_team.trials import read_answers
from stimuli.protocol import load_protocol

QUICK = {"analysis": {"replicates": 200}}

EXPERTS = {
    "3-NN": {
        "right_of_30": (22, 22, 23, 23, 24, 24),
        # (the AI is right, attacked): answers that are right, answers that are wrong
        "cells": {(True, False): (59, 3), (False, False): (32, 22), (False, True): (47, 17)},
    },
    "GradCAM": {
        "right_of_30": (18, 18, 20, 22, 24),
        "cells": {(True, False): (45, 7), (False, False): (25, 27), (False, True): (32, 14)},
    },
}
"""The counts of the published experts; how cells fall to people isn't theirs."""


def experts():
    """Return a table with the published experts' counts, each image seen once."""
    rows = []
    for method, own in EXPERTS.items():
        pools = [
            [cell for cell, counts in own["cells"].items() for _ in range(counts[wrong])]
            for wrong in (0, 1)
        ]
        for number, right in enumerate(own["right_of_30"]):
            for wrong, share in ((0, right), (1, 30 - right)):
                dealt, pools[wrong] = pools[wrong][:share], pools[wrong][share:]
                for ai_correct, adversarial in dealt:
                    followed = ai_correct != bool(wrong)
                    rows.append((f"{method}{number}", f"i{len(rows)}", method, ai_correct,
                                 "yes" if followed else "no", adversarial))  # fmt: skip
        assert pools == [[], []]
    names = ("participant", "item", "method", "ai_correct", "decision", "adversarial")
    return pd.DataFrame(rows, columns=names)


def crossed(people=20, items=24, methods=("confidence", "gradcam"), seed=1):
    """Return answers of people who all saw the same images, drawn by coin."""
    rng = pd.Series(range(people * items))
    draws = pd.Series(rng.sample(frac=1, random_state=seed).to_numpy() % 100)
    frame = pd.DataFrame(
        {
            "participant": [f"p{n // items}" for n in range(people * items)],
            "item": [f"i{n % items}" for n in range(people * items)],
            "method": [methods[(n // items) % len(methods)] for n in range(people * items)],
            "ai_correct": [n % items % 3 == 0 for n in range(people * items)],
            "adversarial": [n % items % 3 == 1 for n in range(people * items)],
        }
    )
    right = draws < 70
    yes = right == frame["ai_correct"]
    return frame.assign(decision=yes.map({True: "yes", False: "no"}))


def protocol_of(**changes):
    """Return the published protocol with few replicates."""
    return load_protocol("human_ai_team", None, {**QUICK, **changes})


def answers_of(frame, **changes):
    """Return a table's answers."""
    return read_answers(frame, protocol_of(**changes))


def dataset_of(frame, **changes) -> Dataset:
    """Return a table as a dataset with the published protocol, changed."""
    return Dataset(
        "human_ai_team", "hand", frame, None, protocol_of(**changes), "a test", absent=(), notes=()
    )


def results_of(frame, **changes) -> Whole:
    """Return every result of a table, each answer in its own type."""
    dataset = dataset_of(frame, **changes)
    return TEAM.read_results(TEAM.analyse(dataset, None, (), lambda _: None))
