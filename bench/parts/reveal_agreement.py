"""Robots before uncovered images: the real window and the simulation without one, compared."""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.stats import ks_2samp

from bench.book import Effort, Measured, Part, table
from bench.parts.commands import command_environment
from bench.parts.robot_sessions import ROOT, workplace
from participants.dataset.derive import write_tables
from participants.dataset.table_files import read_table
from participants.folder import DataFolder, LabFolder
from participants.journal import Journal, read_journal
from participants.lists import Assignment
from participants.simulate.presenters import VirtualClock
from participants.simulate.run import Guest, journal_header, take_part
from participants.studies.progressive_reveal.plan import STUDY, plan_session
from participants.studies.progressive_reveal.robots.viewers import viewers
from participants.study import session_kind_of
from stimuli.io.tables import Row
from stimuli.pack import Pack, open_pack, write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.sketch import sketch
from tests.participants.studies.progressive_reveal.viewing import patient

SEED = 1
"""As `run` has it where none is given."""
PATIENCE_S = 3600.0
QUICK_KINDS = ("viewer", "guesser")
KINDS = ("viewer", "viewer", "guesser", "slow_typist")


@dataclass(frozen=True, slots=True)
class Agreement:
    """How alike the same robots' rounds are in a window and without one.

    Attributes
    ----------
    rounds
        Number that both have.
    same_answers, same_recognised, same_step, same_step_first_key
        Shares of these in which the two agree.
    rt_ms
        Window less simulation of the response time: mean, SD and largest, milliseconds, over the
        rounds that both recognised.
    rates
        Shares of recognised rounds: window, simulation.
    step_p, rt_p
        Of Kolmogorov and Smirnov's test that steps, and response times, are of one distribution.
    """

    rounds: int
    same_answers: float
    same_recognised: float
    same_step: float
    same_step_first_key: float
    rt_ms: Mapping[str, float]
    rates: tuple[float, float]
    step_p: float
    rt_p: float


def compared(window: Sequence[Row], simulated: Sequence[Row]) -> Agreement:
    """Return how rows of two trial tables agree, round by round and as distributions."""
    ours, theirs = ({(row["participant"], row["trial"]): row for row in rows}
                    for rows in (window, simulated))  # fmt: skip
    both = [(ours[key], theirs[key]) for key in sorted(set(ours) & set(theirs))]
    if not both:
        raise ValueError("the two tables have no round in common")
    apart_ms = np.array(
        [
            (one["rt_s"] - other["rt_s"]) * 1000
            for one, other in both
            if one["recognised"] and other["recognised"]
        ]
    )

    def same(column: str) -> float:
        return float(np.mean([one[column] == other[column] for one, other in both]))

    def rate(rows: Iterable[Row]) -> float:
        return float(np.mean([row["recognised"] for row in rows]))

    def p_of(column: str) -> float:
        recognised = (
            [row[column] for row in rows if row["recognised"]] for rows in zip(*both, strict=True)
        )
        return float(ks_2samp(*recognised).pvalue)

    return Agreement(
        rounds=len(both),
        same_answers=same("answers"),
        same_recognised=same("recognised"),
        same_step=same("step"),
        same_step_first_key=same("step_first_key"),
        rt_ms={
            "mean": float(apart_ms.mean()),
            "sd": float(apart_ms.std(ddof=1)),
            "largest": float(np.abs(apart_ms).max()),
        },
        rates=(rate(window for window, _ in both), rate(simulated for _, simulated in both)),
        step_p=p_of("step"),
        rt_p=p_of("rt_s"),
    )


def twin(data: DataFolder, pack: Pack, journal: Journal, seed: int) -> None:
    """Let the robot of a window's journal take part once more, without a window."""
    header = journal.header
    code, kind = str(header["participant"]), str(header["robot"])
    given = Assignment(str(header["list"]), str(header["order"]))
    plan = plan_session(pack, given, str(header["language"]), code)
    robot = viewers(pack, plan.language)(kind, code, seed)
    session = session_kind_of(pack)
    own = journal_header(plan, session.role, kind, code, str(header["session"]))
    attends = patient(plan, seed, code)
    take_part(data, plan, Guest(session.load_robots(), robot, attends), own, VirtualClock())


def agreement(effort: Effort) -> Measured:
    """Let robots type into a real window by real keys, and once more without one."""
    kinds = QUICK_KINDS if effort.quick else KINDS
    with workplace() as folder:
        pack_folder = _pack(folder / "pack", effort)
        pack = open_pack(pack_folder, "solutions")
        lab = LabFolder.make(folder / "lab")
        for number, kind in enumerate(kinds, start=1):
            effort.say(f"robot {number} of {len(kinds)}: {kind}")
            _run_in_window(lab.root, pack_folder, kind)
        simulated = DataFolder(folder / "simulated").make()
        simulated.copy_pack(pack)
        journals = [read_journal(paths.journal) for paths in lab.data.sessions()]
        for journal in journals:
            twin(simulated, pack, journal, SEED)
        for data in (lab.data, simulated):
            write_tables(data, STUDY)
        found = compared(
            read_table(lab.data, STUDY, "trials"), read_table(simulated, STUDY, "trials")
        )
    protocol = pack.protocol
    figures = asdict(found) | {"robots": list(kinds), "step_s": protocol.reveal.step_s}
    return Measured(_told(found, kinds, protocol.reveal.step_s), figures)


def _pack(folder: Path, effort: Effort) -> Path:
    """Write a sketch whose rounds are short, all in one sitting."""
    images = {"size_px": 128, "classes": 4, "images_per_class": 1 if effort.quick else 5}
    rounds = images["classes"] * images["images_per_class"]
    changes = {
        "images": images,
        "reveal": {"step_s": 0.4},
        "practice": {"answered_share": 0.0, "right_share": 0.0},
        "session": {
            "sittings": 1, "rounds_per_sitting": rounds, "break_every_rounds": rounds,
            "practice_rounds": 1, "catch_rounds": 0, "orders_per_rotation": 1,
            "feedback_s": 0.5, "fixation_s": 0.2,
        },
    }  # fmt: skip
    protocol = load_protocol(STUDY, None, changes)
    made = sketch(protocol)
    files = {path: made.asset(path) for path in made.manifest.files}
    write_pack(folder, protocol, "solutions", files, {"made": "sketch"})
    return folder


def _run_in_window(lab: Path, pack: Path, kind: str) -> None:
    command = [
        sys.executable,
        ROOT / "lab.py",
        "run",
        pack,
        "--robot",
        kind,
        "--lab",
        lab,
        "--json",
    ]
    done = subprocess.run(
        [str(part) for part in command],
        env=command_environment(HOME=str(lab)),
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-800:])
    if not json.loads(done.stdout.splitlines()[-1])["complete"]:
        raise RuntimeError(f"the session of {kind} did not come to its end")


def _told(found: Agreement, kinds: Sequence[str], step_s: float) -> str:
    shares = {
        "answers, word by word": found.same_answers,
        "recognised or not": found.same_recognised,
        "step at the confirming press": found.same_step,
        "step at the first key": found.same_step_first_key,
    }
    rows = [[name, f"{share:.1%}"] for name, share in shares.items()]
    window, simulated = found.rates
    return (
        f"{len(kinds)} robots ({', '.join(dict.fromkeys(kinds))}) named images in a window of "
        f"their own by real keys and clicks, steps of {step_s:g} s; then the same robots had the "
        f"same rounds without a window. {found.rounds} rounds:\n\n"
        f"{table(['', 'the same in both'], rows)}\n\n"
        f"The window's response times are {found.rt_ms['mean']:.2f} ms longer on average (SD "
        f"{found.rt_ms['sd']:.2f}, at most {found.rt_ms['largest']:.1f}). Recognised were "
        f"{window:.1%} in the window and {simulated:.1%} without; Kolmogorov and Smirnov's test "
        f"of one distribution gives p = {found.step_p:.2f} for steps and p = {found.rt_p:.2f} for "
        "response times."
    )


PARTS = (Part("agreement", "Robots with and without a window", agreement),)
