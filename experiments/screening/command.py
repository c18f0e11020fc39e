"""What the verb `screen` does before and after a screening, and what it says."""

from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from experiments.session.command import conduct, say_whether_complete
from experiments.session.rehearsal import rehearse_verb
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.registry import Registry, check_code
from participants.registry.sessions import COMPLETE
from participants.registry.tables import sessions
from participants.screening.plan import wants_to_know
from participants.screening.records import check_may_be_screened, screened
from participants.screening.stages import results_in
from stimuli.errors import UserError
from stimuli.pack import Pack, open_pack
from stimuli.pack.model import SCREENING
from stimuli.protocol import Protocol, load_any_protocol
from stimuli.rich_terminal import Console
from stimuli.screening.rules import STAGES, Stage, screening_pack

AXES = ("protan", "deutan", "tritan")


def screen_verb(
    request: RunRequest, protocol: Path | None, only: str | None, *, as_json: bool
) -> None:
    """Screen somebody and print the result, which is for the experimenter only.

    Parameters
    ----------
    request
        The request; its ``pack`` is a pack of the study, or None if there is a protocol.
    protocol
        File of a protocol.
    only
        The only stage to run.
    as_json
        Whether to print JSON.

    Raises
    ------
    UserError
        If the person can't be screened, or there is nothing to screen for.
    """
    lab, console = LabFolder.open(request.lab), Console(stderr=True)
    pack = pack_to_screen(request, lab, protocol, only)
    conducted = conduct(request, lab, console, pack)
    ran = conducted.ran
    journal = read_journal(request.data_folder(lab).session(ran.session).journal)
    events = [(event.event, event.fields) for event in journal.events]
    results = results_in(events)
    if as_json:
        print(conducted.as_json(found=dict(results)))
        return
    say_whether_complete(console, ran)
    if not wants_to_know(events):
        console.print("[yellow]The person would rather not be told what came out.[/]")
    for line in result_lines(results):
        console.print(line, soft_wrap=True, highlight=False)


def rehearse_screening(
    request: RunRequest, protocol: Path | None, only: str | None, *, as_json: bool
) -> None:
    """Show every kind of screen of a screening once; parameters and errors as in `screen_verb`."""
    pack = screening_pack(_rules(request.pack, protocol), _stages(only))
    rehearse_verb(request, pack, as_json=as_json)


def pack_to_screen(
    request: RunRequest, lab: LabFolder, protocol: Path | None = None, only: str | None = None
) -> Pack:
    """Return the pack for a screening; parameters and errors as in `screen_verb`."""
    rules = _rules(request.pack, protocol)
    stages = _stages(only)
    if request.person.participant is None:
        if request.person.robot is None:
            raise UserError("say who is screened: --participant CODE, or --robot NAME")
        if only == "titration":
            raise UserError("--only titration: needs a --participant whose axis is known")
        return screening_pack(rules, stages)
    code = check_code(request.person.participant)
    with closing(Registry.of(lab)) as registry:
        check_may_be_screened(registry, code)
        axis = _axis_of(registry, code) if only == "titration" else None
        return screening_pack(rules, stages, axis, _attempt(registry, code))


def _stages(only: str | None) -> tuple[Stage, ...]:
    stages = tuple(stage for stage in STAGES if only in (None, stage))
    if not stages:
        raise UserError(f"--only {only}: is not one of {', '.join(STAGES)}")
    return stages


def _rules(pack: Path | None, protocol: Path | None) -> Protocol:
    if (pack is None) == (protocol is None):
        raise UserError("screen: say for what, either --pack DIR or --protocol FILE")
    if pack is not None:
        return open_pack(pack.expanduser()).protocol
    assert protocol is not None
    return load_any_protocol(protocol.expanduser())


def _attempt(registry: Registry, code: str) -> int:
    """Return the number of this screening of a person: the completed screenings plus 1."""
    wanted = select(func.count()).where(
        sessions.c.code == code,
        sessions.c.state == COMPLETE,
        sessions.c.pack_id.startswith(SCREENING),
    )
    return 1 + int(registry.transact(lambda connection: connection.scalar(wanted)) or 0)


def _axis_of(registry: Registry, code: str) -> str:
    """Return the axis of somebody's last decision, or else the registry's."""
    decided = [row for row in screened(registry, code) if row.procedure == "decision"]
    axis = decided[-1].result.verdict.axis if decided else registry.person(code).axis
    if axis is None:
        raise UserError(
            f"code {code}: no screening has found a lead's axis; run the whole screening, without "
            "--only"
        )
    return str(axis)


def result_lines(results: Any) -> list[str]:
    """Return the results of a screening, one per line."""
    lines = [outcome] if (outcome := _outcome(results)) else []
    if "trivector" in results:
        thresholds = results["trivector"]["thresholds"]
        values = (f"{axis} {_threshold(thresholds[axis])}" for axis in AXES)
        lines.append(f"Trivector, 10⁻⁴ of u′v′: {', '.join(values)}.")
    if "d15" in results:
        score = results["d15"]
        lines.append(
            f"D-15: confusion index {score['confusion_index']:.2f}, "
            f"selectivity {score['selectivity_index']:.2f}, angle {score['angle_deg']:.0f}°."
        )
    if "ishihara" in results:
        book = results["ishihara"]
        lines.append(f"Ishihara, {book['edition']} plates: {book['read']} read, {book['reading']}.")
    if "decision" in results:
        decision = results["decision"]
        role = decision["role"] + (f" ({decision['axis']})" if decision["axis"] else "")
        why = ", ".join(reason.replace("_", " ") for reason in decision["reasons"])
        lines.append(f"By the rules: {role}, since: {why}.")
    if "titration" in results:
        titration = results["titration"]
        rung, why = titration["rung"], str(titration["failure"]).replace("_", " ")
        line = f"rung {rung}" if rung is not None else f"no rung ({why}), so no lead"
        lines.append(f"Titration, {titration['trials']} plates: {line}.")
    return lines


def _outcome(results: Any) -> str:
    """Return in words whether the screening was passed; empty if it decided nothing."""
    role = results["decision"]["role"] if "decision" in results else None
    if role == "neither":
        return "Not passed: the person fits neither group and can't take part."
    if "titration" in results:
        if results["titration"]["rung"] is None:
            return "Not passed: no plates suit the person, who can't take part as lead."
        return "Passed: the person can take part as lead."
    if role == "lead":
        return "Passed so far: the titration says whether the person can take part as lead."
    return "Passed: the person can take part as expert." if role == "expert" else ""


def _threshold(estimate: Any) -> str:
    return f"{'≥ ' if estimate['at_ceiling'] else ''}{estimate['threshold_1e4']:.0f}"
