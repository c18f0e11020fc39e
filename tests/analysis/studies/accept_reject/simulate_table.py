"""Valid accept_reject trial tables whose truth is known: leads who profit and who don't."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from participants.studies.accept_reject.rows import TABLES
from stimuli.io.tables import TableSchema
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol, protocol_hash

CUTOFF_S, LIMIT_S = 3.0, 30.0
SCHEMA: TableSchema = TABLES.trials

# Kinds of controls in the run without and in the run with explanations, per 120 trials.
CONTROLS = {
    False: {
        "wrong_digit": 21,
        "right_digit": 9,
        "no_numeral": 8,
        "high_contrast": 5,
        "no_solution": 5,
    },
    True: {
        "wrong_digit": 7,
        "wrong_digit_true_place": 7,
        "wrong_digit_own_shape": 7,
        "right_digit": 6,
        "right_digit_elsewhere": 1,
        "right_digit_shuffled": 1,
        "right_digit_blank": 1,
        "no_numeral_s_like": 4,
        "no_numeral_e_like": 4,
        "high_contrast": 5,
        "no_solution": 5,
    },
}


@dataclass(frozen=True)
class Truth:
    """Share of readable numerals that the lead reads within the cutoff."""

    without: float = 0.35
    with_s: float = 0.75
    with_e: float = 0.75


def simulate(robots, *, seed=1, per_solver=36, truth=Truth(), scale=1.0, purpose="main"):
    """Return a trial table; `robots` names the response model of each participant."""
    rng = np.random.Generator(np.random.PCG64(seed))
    ease = rng.normal(0, 0.5, size=4 * per_solver)
    rows = []
    for number, robot in enumerate(robots):
        person = rng.normal(0, 0.4)
        code = f"P{number + 1:03d}"
        order = ("without_first", "with_first")[number % 2]
        trial = 0
        for explained in (False, True) if order == "without_first" else (True, False):
            planned = _plan(number, explained, per_solver, scale)
            for position, place in enumerate(rng.permutation(len(planned)), start=1):
                item, solver, kind = planned[place]
                trial += 1
                row = _stimulus(rng, item, solver, kind)
                chance = _reading_chance(row, explained, truth, person + ease[row.pop("place")])
                row["decision"], row["rt_s"] = _answer(robot, row, explained, chance, rng)
                row |= {
                    "participant": code,
                    "trial": trial,
                    "order": order,
                    "explained": explained,
                    "run": 1 if explained == (order == "with_first") else 2,
                    "position": position,
                    "robot": robot,
                    "purpose": purpose,
                    "list": f"L{number % 4}",
                    "session": f"{code}-1",
                }
                rows.append(row)
    return _complete(pd.DataFrame(rows))


def leads(count=8, per_solver=12, **changes):
    """Return a trial table of leads alone, with few controls."""
    return simulate(["lead"] * count, per_solver=per_solver, scale=0.3, **changes)


def _plan(number, explained, per_solver, scale):
    plan = []
    for group in range(4):
        cell = (group + number) % 4
        if (cell >= 2) == explained:
            solver = "SE"[cell % 2]
            plan += [(group * per_solver + k, solver, None) for k in range(per_solver)]
    offset = 0
    for run in (False, True):
        for kind, count in CONTROLS[run].items():
            count = max(1, round(count * scale))
            if run == explained:
                plan += [(1000 + offset + k, "control", kind) for k in range(count)]
            offset += count
    return plan


def _stimulus(rng, item, solver, kind):
    digit = str(item % 10)
    other = str((item + int(rng.integers(1, 10))) % 10)
    true, shown = digit, digit
    if kind is None:
        wrong = rng.random() < (0.1 if solver == "S" else 0.03)
        shown = other if wrong else digit
    elif kind.startswith("wrong"):
        shown = other
    elif kind.startswith("no_numeral"):
        true = "no_numeral"
    elif kind == "no_solution":
        shown = "no_solution"
    return {
        "item": f"plate-{item:04d}",
        "place": item if kind is None else 0,
        "solver": solver,
        "control_kind": kind,
        "true_label": true,
        "shown_label": shown,
    }


def _reading_chance(row, explained, truth, effect):
    base = truth.without
    if explained and row["control_kind"] in (None, "right_digit", "wrong_digit_true_place"):
        base = truth.with_e if row["solver"] == "E" else truth.with_s
    return 1 / (1 + np.exp(-(np.log(base / (1 - base)) + effect)))


def _answer(robot, row, explained, chance, rng):
    """Return decision and time of one robot."""
    kind = row["control_kind"]
    right = row["true_label"] == row["shown_label"]
    quick = 0.6 + rng.exponential(0.8)
    slow = CUTOFF_S + rng.exponential(4.0)
    if robot == "lazy":
        return "accept", quick
    if robot == "rejecting":
        return "reject", quick
    if robot == "random":
        return ("accept", "reject")[rng.integers(2)], quick
    if kind == "high_contrast":
        return "accept", min(quick, 2.9)
    if robot == "contour_reader":
        shaped = explained and (
            kind is None
            or kind
            in ("no_numeral_s_like", "no_numeral_e_like", "wrong_digit_own_shape", "right_digit")
        )
        return ("accept" if shaped and rng.random() < 0.95 else "reject"), min(quick, 2.9)
    if robot == "dichromat":
        return "reject", 1.5 + rng.exponential(3.0)
    if rng.random() < 0.01:
        return "none", float("nan")
    if row["true_label"] == "no_numeral":
        return ("accept" if rng.random() < 0.02 else "reject"), quick + 2
    in_time = rng.random() < chance
    read = in_time or rng.random() < 0.85
    time = CUTOFF_S * rng.beta(3, 2) if in_time else min(slow, LIMIT_S)
    return ("accept" if read and right else "reject"), float(time)


def _complete(frame):
    protocol = load_protocol("accept_reject")
    quick = frame["rt_s"] <= CUTOFF_S
    frame = frame.assign(
        rig="rig-1",
        condition=np.where(frame["explained"], "with", "without"),
        onset_s=frame["trial"] * 6.0,
        shown_s=None,
        frames_planned=None,
        frames_dropped=0,
        pack_id="sketch-0",
        protocol_hash=protocol_hash(protocol),
        presentation=[f"x{k:05d}" for k in range(len(frame))],
        solver_id=frame["solver"].map({"S": "plate_cnn", "E": "X001", "control": None}),
        solver_origin=frame["solver"].map({"S": "network", "E": "people", "control": None}),
        method=np.where(frame["explained"], "occlusion", None),
        rung=4,
        axis="deutan",
        cutoff_mode="internal",
        repeat_of=None,
        counts=True,
        cutoff_s=CUTOFF_S,
        rt_corrected_s=frame["rt_s"] - 0.012,
        in_time=quick,
        accepted=quick & (frame["decision"] == "accept"),
    )
    return _answers_at_the_end(frame)[list(SCHEMA.names)]


def _answers_at_the_end(frame):
    """Every lead guesses by lot: of twelve explained solutions, and of all."""
    rng = np.random.Generator(np.random.PCG64(7))
    choices = {
        "relied_on": ("numeral", "both"),
        "noticed_kinds": ("yes", "no", "unsure"),
        "source_guess": ("all_people", "some_machine", "cannot_say"),
        "source_which": ("both_alike", "cannot_say"),
    }
    frame = frame.assign(guessed_source=None, **dict.fromkeys(choices))
    for _, own in frame.groupby("participant"):
        for name, answers in choices.items():
            frame.loc[own.index, name] = answers[rng.integers(len(answers))]
        asked = own.index[own["explained"]][:12]
        guesses = rng.choice(["person", "machine", "cannot_say"], size=len(asked))
        frame.loc[asked, "guessed_source"] = guesses
    return frame


def write_csv(frame, path: Path):
    """Write a table as the dataset's own writer does."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(SCHEMA.to_csv(rows))
    return path


def write_dataset(frame, folder: Path):
    """Write a dataset folder: the trial table and the pack that was shown, few replicates."""
    protocol = load_protocol("accept_reject", changes={"analysis": {"replicates": 200}})
    aside = folder / "packs" / "aside"
    manifest = write_pack(aside, protocol, "solutions", {"items.csv": b"x\n"}, {})
    aside.rename(folder / "packs" / manifest.pack_id)
    write_csv(frame.assign(pack_id=manifest.pack_id), folder / "tables" / "trials.csv")
    return folder
