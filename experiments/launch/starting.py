"""Start a session as a process of its own: its command, its outcome, and what follows it.

The session is started from what was entered in the window. Afterwards the experimenter may keep a
note on the person, or withdraw the data.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from experiments.engine.display import display_name
from experiments.launch.examination import Entered, Examined, Options, override_of, write_answers
from experiments.launch.packs import comes_again
from experiments.rig.checklist import memory_path, remember
from experiments.screening.command import result_lines
from experiments.session.options import WindowOptions
from participants.folder import DataFolder, LabFolder
from participants.journal import Journal, read_journal
from participants.notes import note
from participants.registry import Registry
from participants.registry.sessions import MAIN
from participants.session import LEFT, disqualification_in, has_declined, withdrawal_in
from participants.session.plan import SITTING_END
from participants.session.qualification import Missed, missed_in
from participants.texts import ChecklistText
from participants.watching.following import Followed
from stimuli.console import USER_MISTAKE
from stimuli.errors import UserError

DOOR: Final = Path(__file__).parents[2] / "lab.py"

Ending = Literal[
    "complete", "sitting", "left", "stopped", "ended_early", "disqualified", "left_for_good",
    "declined", "withdrew", "refused", "crashed",
]  # fmt: skip
"""How a session ended.

In order: after its last page; after a sitting; at a break, where the person stopped for now; by
the experimenter; early, since the person doesn't qualify; at any of these points after the person
was disqualified; for good; before it began, without consent; with a no to the use of the data; not
at all, since `run` refused it; by a crash.
"""
REPLACED: Final[frozenset[Ending]] = frozenset(
    {"ended_early", "disqualified", "left_for_good", "declined", "withdrew"}
)
"""Endings after which somebody else is needed in the person's place."""
REASONS: Final[Mapping[str, Ending]] = {SITTING_END: "sitting", LEFT: "left"}
"""Endings by the reason of the abort that ended a session for now."""


@dataclass(frozen=True, slots=True)
class ProcessOutput:
    """Exit status, standard output and standard error of a process."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> tuple[str, ...]:
        """Its output, without empty lines and the frames of boxes."""
        stripped = (line.strip("│╭╮╰╯─ \t") for line in self.err.splitlines())
        return tuple(line for line in stripped if line)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a session.

    Attributes
    ----------
    ending
        How it ended.
    code
        The person's code.
    session
        The session's id; empty if it was refused or crashed.
    lines
        What came of a screening, and what the experimenter must know now; why it was refused.
    sitting, sittings
        Number of the sitting that has ended, and number of sittings.
    trials, flagged, lost
        Number of trials that have ended, of these that are flagged, and of the flagged ones that
        lost a frame.
    purpose
        The session's; only people of purpose main are replaced.
    missed
        Why the person was disqualified; None if they weren't.
    """

    ending: Ending
    code: str
    session: str = ""
    lines: tuple[str, ...] = ()
    sitting: int = 1
    sittings: int = 1
    trials: int = 0
    flagged: int = 0
    lost: int = 0
    purpose: str = MAIN
    missed: Missed | None = None


def session_command(
    lab: LabFolder,
    examination: Examined,
    options: Options,
    *,
    override: str = "",
    checklist: Path | None = None,
) -> list[str]:
    """Return the command that starts a session, as somebody would type it.

    Parameters
    ----------
    lab
        The lab folder with the registry.
    examination
        Examination of a session that may begin.
    options
        What the window was started with.
    override
        Why to continue in spite of failed checks; empty for none.
    checklist
        File with the checklist's answers; None if it isn't asked.
    """
    following, person = examination.following, examination.request.person
    assert following is not None
    folder = str(examination.asked.pack.folder)
    pack_words = ["--pack", folder] if following.verb == "screen" else [folder]
    values = {
        "--participant": following.code,
        "--language": person.language,
        "--robot": options.robot,
        "--seed": str(options.seed) if options.robot else None,
        "--override": override or None,
        "--checklist": None if checklist is None else str(checklist),
        "--lab": str(lab.root),
        **_window(options.window),
    }
    named = [word for name, value in values.items() if value for word in (name, value)]
    flags = [f"--{name}" for name in ("windowed", "marker") if getattr(options.window, name)]
    return door_command(following.verb, *pack_words, *named, *flags, "--json")


def door_command(*words: str) -> list[str]:
    """Return the command line of a verb of ``lab.py``."""
    return [sys.executable, str(DOOR), *words]


def ran(command: Sequence[str]) -> ProcessOutput:
    """Run a command without a terminal, and return its output and exit status."""
    # A console window would cover the session's window.
    hidden: dict[str, Any] = (
        {"creationflags": subprocess.CREATE_NO_WINDOW} if sys.platform == "win32" else {}
    )
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        **hidden,
    )
    return ProcessOutput(done.returncode, done.stdout, done.stderr)


def outcome_of(data: DataFolder, code: str, output: ProcessOutput) -> Outcome:
    """Return a session's outcome.

    Parameters
    ----------
    data
        The data folder with its journal.
    code
        The person's code.
    output
        Output of its process.
    """
    if output.status == USER_MISTAKE:
        return Outcome("refused", code, lines=output.lines[-1:])
    try:
        summary: Mapping[str, Any] = json.loads(output.out)
        journal = read_journal(data.session(summary["session"]).journal)
    except (ValueError, KeyError, TypeError, UserError):
        return Outcome("crashed", code, lines=output.lines[-1:])
    results: Sequence[str] = result_lines(summary["found"]) if summary.get("found") else ()
    seen = Followed(data, data.session(summary["session"])).progress()
    assert seen is not None
    flagged = [end.fields for end in journal.of("trial_end") if end.fields.get("flagged")]
    return Outcome(
        _ending(summary, journal),
        code,
        summary["session"],
        (*results, *summary["lines"]),
        sitting=max(1, seen.sitting - 1),
        sittings=seen.sittings,
        trials=seen.done,
        flagged=len(flagged),
        lost=sum(bool(end.get("frames_dropped")) for end in flagged),
        purpose=journal.header["purpose"],
        missed=missed_in(journal),
    )


def _ending(summary: Mapping[str, Any], journal: Journal) -> Ending:
    if withdrawal_in(journal) is not None:
        return "withdrew"
    if summary["declined"] or has_declined(journal.events):
        return "declined"
    if summary["ended_early"]:
        return "ended_early"
    if summary["left"]:
        return "left_for_good"
    if disqualification_in(journal) is not None:
        return "disqualified"
    if summary["complete"]:
        return "complete"
    aborts = journal.of("abort")
    reason = aborts[-1]["reason"] if aborts else ""
    return REASONS.get(reason, "stopped")


def _window(window: WindowOptions) -> dict[str, str | None]:
    size = None if window.size_px is None else f"{window.size_px.width}x{window.size_px.height}"
    display = None if window.display == "auto" else window.display
    shots = None if window.screenshots is None else str(window.screenshots)
    return {"--display": display, "--size": size, "--screenshots": shots}


@dataclass(frozen=True, slots=True)
class Ended:
    """A session's outcome, and from when the person may come again; see `comes_again`."""

    outcome: Outcome
    comes_again_utc: str = ""

    @property
    def overridable(self) -> str:
        """`run`'s refusal, if a reason would have let the session begin; else empty."""
        refusal = " ".join(self.outcome.lines)
        return refusal if self.outcome.ending == "refused" and "--override" in refusal else ""


@dataclass(frozen=True, slots=True)
class Start:
    """A session that may begin.

    Attributes
    ----------
    lab, options
        The lab folder with the registry, and the window's options.
    examination, entered
        Result of the examination, and what the experimenter entered.
    text
        The checklist as it was shown.
    """

    lab: LabFolder
    options: Options
    examination: Examined
    entered: Entered
    text: ChecklistText

    def run(self) -> Ended:
        """Run the session in a separate process, to its end."""
        assert self.examination.following is not None
        try:
            return self._run(self.examination.following.code)
        except UserError as mistake:
            # The checklist's answers couldn't be written.
            return Ended(Outcome("refused", self.examination.following.code, lines=(str(mistake),)))

    def _run(self, code: str) -> Ended:
        lab, rig = self.lab, self.lab.settings.rig
        # A start window on another display may start a session of this lab folder at the same time.
        file = f"{rig}.{display_name()}.checklist.toml"
        answers = lab.rigs / file if self.examination.checklist else None
        if answers is not None:
            write_answers(answers, self.entered.answers(self.text))
            remember(memory_path(lab.rigs, rig), self.entered.values)
        override = override_of(self.examination, self.entered)
        command = session_command(
            lab, self.examination, self.options, override=override, checklist=answers
        )
        output = ran(command)
        if answers is not None:
            answers.unlink(missing_ok=True)
        again = ""
        # The outcome is shown even if the registry can't be reached.
        with suppress(UserError):
            again = comes_again(lab, code)
        return Ended(outcome_of(lab.data, code, output), again)


def keep_note(lab: LabFolder, code: str, kind: str, text: str) -> str:
    """Save a note on a person and return it; same errors as `participants note`."""
    with closing(Registry.of(lab)) as registry:
        note(registry, kind, text, code)
    return text.strip()


def withdraw(lab: LabFolder, code: str, *, confirmed: bool) -> ProcessOutput:
    """Run `participants withdraw`.

    Without a terminal, and unconfirmed, it lists the person's data and removes nothing.
    """
    words = ("participants", "withdraw", code, "--lab", str(lab.root))
    return ran(door_command(*words, *(("--yes",) if confirmed else ())))
