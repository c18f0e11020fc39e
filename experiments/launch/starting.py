"""Starting a session from what was entered, and what the experimenter does after it."""

from contextlib import closing, suppress
from dataclasses import dataclass

from experiments.engine.display_lock import display_name
from experiments.launch.child import Outcome, Said, door_command, outcome_of, ran, session_command
from experiments.launch.examination import Examined, Options
from experiments.launch.packs import FoundPack
from experiments.launch.people import comes_again
from experiments.launch.readiness import Entered, override_of, write_answers
from experiments.rig.checklist.files import memory_path, remember
from participants.folder import LabFolder
from participants.overview.notes import note
from participants.registry import Registry
from participants.texts import ChecklistText
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of a session, and from when on the person comes again (ISO 8601; empty: never)."""

    outcome: Outcome
    comes_again_utc: str = ""

    @property
    def overridable(self) -> str:
        """What `run` said where a reason would have let the session begin; else empty."""
        said = " ".join(self.outcome.lines)
        return said if self.outcome.ending == "refused" and "--override" in said else ""


@dataclass(frozen=True, slots=True)
class Start:
    """A session that may begin.

    Attributes
    ----------
    lab, pack, options
        Where people are recorded, what is shown, and what the window was started with.
    found, entered
        What was examined, and what the experimenter entered.
    text
        The checklist as it was shown.
    """

    lab: LabFolder
    pack: FoundPack
    options: Options
    found: Examined
    entered: Entered
    text: ChecklistText

    def run(self) -> Ended:
        """Run the session in a process of its own, to its end."""
        assert self.found.following is not None
        try:
            return self._run(self.found.following.code)
        except UserError as mistake:
            # The checklist's answers couldn't be written.
            return Ended(Outcome("refused", self.found.following.code, lines=(str(mistake),)))

    def _run(self, code: str) -> Ended:
        lab, rig = self.lab, self.lab.settings.rig
        # Another display's window may start a session of this lab folder at the same moment.
        file = f"{rig}.{display_name()}.checklist.toml"
        answers = lab.rigs / file if self.found.checklist else None
        if answers is not None:
            write_answers(answers, self.entered.answers(self.text))
            remember(memory_path(lab.rigs, rig), self.entered.values)
        override = override_of(self.found, self.entered)
        command = session_command(
            lab, self.pack, self.found, self.options, override=override, checklist=answers
        )
        said = ran(command)
        if answers is not None:
            answers.unlink(missing_ok=True)
        again = ""
        # The outcome is shown all the same where the registry can't be reached.
        with suppress(UserError):
            again = comes_again(lab, code)
        return Ended(outcome_of(lab.data, code, said), again)


def keep_note(lab: LabFolder, code: str, kind: str, text: str) -> str:
    """Keep a note on a person, as `participants note` does, and return it; UserError as there."""
    with closing(Registry.open(lab.registry_url)) as registry:
        note(registry, kind, text, code)
    return text.strip()


def withdraw(lab: LabFolder, code: str, *, confirmed: bool) -> Said:
    """Run `participants withdraw`.

    Without a terminal and unconfirmed it shows what there is of the person, and removes nothing.
    """
    words = ("participants", "withdraw", code, "--lab", str(lab.root))
    return ran(door_command(*words, *(("--yes",) if confirmed else ())))
