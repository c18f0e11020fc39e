"""How every room's command line ends: one clear line, the right exit status, a log."""

import errno
import logging
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from stimuli.catalogue import LAB_FILE, lab_of, place_of_fault, studies_of_the_lab
from stimuli.errors import UserError
from stimuli.io.files import write_whole
from stimuli.places import LOGS, log_dir
from stimuli.terminal import is_utf8, printing_text

USER_MISTAKE = 2
OUR_FAULT = 1
INTERRUPTED = 130
PIPE_CLOSED = 141  # a shell's exit status for a program that SIGPIPE ended
REFUSED_PATHS = {
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EACCES: "choose another place, or give this account the right to it",
    errno.EROFS: "choose a place that can be written",
    errno.ENOSPC: "free some space on its disk",
}
"""System errors that any path may cause, in whatever code, and their remedies."""
GOES_ON = "interrupted; the same command continues where it stopped"


def new_app(help_text: str) -> typer.Typer:
    """Return a room's Typer application; its verbs are added with ``@app.command()``."""
    app = typer.Typer(
        help=help_text,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help"]},
    )

    # With a callback, Typer keeps the verb's name even if a room has only one verb.
    @app.callback()
    def _room() -> None: ...

    return app


class _Studies(TyperGroup):
    """A verb's sub-commands, one for each study."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the sub-command that the first argument names; UserError if there is none."""
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            known = ", ".join(sorted(self.commands))
            raise UserError(f"{ctx.info_name}: no study {args[0]!r}; take one of {known}")
        return super().resolve_command(ctx, args)


def add_study_verb(
    app: typer.Typer, verb: str, help_text: str, commands: Mapping[str, Callable[..., None]]
) -> None:
    """Add a verb with a sub-command for each study, each with its own options and help.

    Parameters
    ----------
    app
        The room's application.
    verb, help_text
        The verb, and what it does for any study.
    commands
        Each study's command, as Typer takes it, by the study's name.
    """
    group = typer.Typer(
        cls=_Studies,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        subcommand_metavar="STUDY [OPTIONS]",
        options_metavar="",
    )
    group.callback(help=help_text)(lambda: None)
    for name, command in commands.items():
        # A command without a metavar takes its group's, which is empty.
        group.command(name, options_metavar="[OPTIONS]")(command)
    # A process that runs many commands keeps one group for each verb.
    app.registered_groups = [group for group in app.registered_groups if group.name != verb]
    app.add_typer(group, name=verb)


def run_app(
    app: typer.Typer, arguments: Sequence[str], add_verbs: Callable[[], None] = lambda: None
) -> int:
    """Run a room's application and return the exit status.

    Parameters
    ----------
    app
        The room's application.
    arguments
        The verb and everything after it, as typed.
    add_verbs
        Adds verbs whose studies have to be imported first.

    Returns
    -------
    int
        0 on success, 2 after one line on a user's mistake, 1 on an internal error (the traceback
        goes to the log, and the log's path to the screen).
    """
    with printing_text():
        return _run(app, arguments, add_verbs)


def _run(app: typer.Typer, arguments: Sequence[str], add_verbs: Callable[[], None]) -> int:
    if "" in arguments:
        return _say("an argument is empty; is a variable of the shell not set?", USER_MISTAKE)
    studies: list[Path] = []
    try:
        _refuse_bytes(arguments)
        with studies_of_the_lab(arguments) as studies:
            add_verbs()
            command = _flowing(typer.main.get_command(app))
            result = command.main(args=list(arguments), prog_name="lab.py", standalone_mode=False)
    except UserError as mistake:
        return _say(str(mistake), USER_MISTAKE)
    except (typer.Abort, KeyboardInterrupt):
        return _say(GOES_ON, INTERRUPTED)
    except TyperException as mistake:
        return _usage(mistake)
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # `... --help | head`
            return PIPE_CLOSED
        return _say(
            f"a function that isn't part of Plainsight called sys.exit({left.code!r}); remove "
            "the call from your own code",
            USER_MISTAKE,
        )
    except Exception as fault:
        if isinstance(fault, OSError) and fault.errno in REFUSED_PATHS and _is_named(fault):
            where, todo = fault.filename or "a file", REFUSED_PATHS[fault.errno]
            return _say(f"{where}: {fault.strerror}; {todo}", USER_MISTAKE)
        whose = place_of_fault(fault, studies) or "Plainsight"
        return _say(
            f"a fault of {whose}: {fault!r}; the traceback is in {_log_fault(arguments)}", OUR_FAULT
        )
    if result == INTERRUPTED:  # Typer's word for Ctrl+C within a command
        return _say(GOES_ON, INTERRUPTED)
    return result if isinstance(result, int) else 0


def _refuse_bytes(arguments: Sequence[str]) -> None:
    """Refuse names and texts that aren't UTF-8: neither registry nor report can hold them."""
    for text in (*arguments, str(lab_of(arguments)), os.getcwd()):  # noqa: PTH109, a text
        if not is_utf8(text):
            raise UserError(
                f"{text}: isn't UTF-8; give the folder another name, or type the text again"
            )


def _is_named(fault: OSError) -> bool:
    """Return whether an error names a file of the user's; a full disk names none."""
    return bool(fault.filename) or fault.errno == errno.ENOSPC


def _flowing(command: Any) -> Any:
    """Return a command whose help wraps at the terminal's width, not as in our source."""
    paragraphs = (command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for verb in getattr(command, "commands", {}).values():
        _flowing(verb)
    return command


def _usage(mistake: TyperException) -> int:
    """Print what is wrong with the command; a bare verb has already shown its help."""
    message = getattr(mistake, "format_message", mistake.__str__)().strip()
    if not message:
        return 0
    context = getattr(mistake, "ctx", None)
    where = f" (see: {context.command_path} --help)" if context else ""
    return _say(message.rstrip(".") + where, USER_MISTAKE)


def _say(line: str, status: int) -> int:
    print(" ".join(line.split()), file=sys.stderr)
    return status


def _log_fault(arguments: Sequence[str]) -> str:
    story = traceback.format_exc()
    logging.getLogger("plainsight").error(story)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    try:
        # In the lab that was named: a traceback may have a code, and a withdrawal looks there.
        lab = lab_of(arguments).expanduser()
        logs = lab / LOGS if (lab / LAB_FILE).is_file() else log_dir()
        path = logs / f"fault-{stamp}.log"
        write_whole(path, story.encode("utf-8"))
    except OSError:
        print(story, file=sys.stderr)
        return "above (the log folder can't be written)"
    return str(path)
