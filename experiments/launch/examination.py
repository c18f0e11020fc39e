"""What is next for a person with a pack, and what the checks before a session found."""

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Literal

from experiments.engine.display_lock import require_free_display
from experiments.launch.packs import FoundPack
from experiments.launch.people import CANDIDATE
from experiments.rig.checklist.files import known_values, memory_path
from experiments.rig.checks.finding import Finding
from experiments.rig.profile import profile_path, read_rig
from experiments.screening.command import pack_to_screen
from experiments.session.booking import own_language
from experiments.session.command import examined
from experiments.session.options import PersonOptions, WindowOptions
from experiments.session.request import RunRequest
from experiments.study import screens_of
from participants.folder import LabFolder
from participants.registry import Registry, Unfinished
from participants.session.leaving import has_agreed
from participants.watching.following import Followed
from participants.watching.progress import Progress
from stimuli.errors import UserError
from stimuli.pack import Pack

Verb = Literal["run", "annotate", "screen"]
VERBS: dict[str, Verb] = {"solutions": "run", "tasks": "annotate"}


@dataclass(frozen=True, slots=True)
class Options:
    """What the window was started with, and hands on to every session.

    Attributes
    ----------
    robot, seed
        Who answers instead of a person, for training and tests; None for people.
    window
        The session's window.
    """

    robot: str | None = None
    seed: int = 1
    window: WindowOptions = field(default_factory=WindowOptions)


@dataclass(frozen=True, slots=True)
class Next:
    """What is next for a person.

    Attributes
    ----------
    verb
        The command that does it.
    code, role, purpose
        Who, and what the person is enrolled as and for.
    consented
        Whether the person has agreed to take part in the session that goes on.
    progress
        How far the session is that goes on; None where a new one begins.
    language
        The language in which it goes on; None where it can be chosen.
    """

    verb: Verb
    code: str
    role: str
    purpose: str
    consented: bool = False
    progress: Progress | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Examined:
    """What was found out before a session, or why there can be none.

    Attributes
    ----------
    request
        What `run` would be asked for.
    refusal
        Why no session can begin, in `run`'s own words; empty if nothing stands in its way.
    following
        What is next for the person; None where that isn't known.
    findings
        What the checks found.
    checklist
        Whether the colour checklist has to be gone through.
    values
        The rig's distance and light, as far as they are known.
    measured
        Whether the distance is in the rig's profile.
    """

    request: RunRequest
    refusal: str = ""
    following: Next | None = None
    findings: tuple[Finding, ...] = ()
    checklist: bool = False
    values: dict[str, float] = field(default_factory=dict)
    measured: bool = False


def examine(
    lab: LabFolder, found: FoundPack, code: str, language: str | None, options: Options
) -> Examined:
    """Find out what is next for a person, and whether `run` would let the session begin.

    Nothing is recorded. It takes about a second.

    Parameters
    ----------
    lab, found
        Where people are recorded, and what they would see.
    code
        Who, as typed or scanned.
    language
        Of a new session; None for the lab's.
    options
        What the window was started with.
    """
    person = PersonOptions(
        participant=code, robot=options.robot, seed=options.seed, language=language
    )
    request = RunRequest(
        str(found.folder), None, person, options.window, kind=found.kind, lab=lab.root
    )
    following: Next | None = None
    try:
        if found.refusal:
            raise UserError(found.refusal)
        pack = request.find_pack(lab)
        following = next_for(lab, found, pack, code)
        if following.verb == "screen":
            request = replace(request, target="", pack=found.folder, kind="screening")
            pack = pack_to_screen(request, lab)
            following = _gone_on(lab, pack, following)
        person = replace(
            person,
            participant=following.code,
            purpose="robot" if options.robot else None,
            language=None if following.language else language,
        )
        if not request.has_own_display:
            require_free_display()
        request, findings = examined(replace(request, person=person), lab, pack)
        rig = read_rig(profile_path(lab.rigs, lab.settings.rig))
        critical = screens_of(pack).colours == "critical" and options.robot is None
    except UserError as refusal:
        return Examined(request, str(refusal), following)
    return Examined(
        request,
        "",
        following,
        findings,
        checklist=critical and following.purpose != "test",
        values=known_values(memory_path(lab.rigs, lab.settings.rig), rig),
        measured=rig.geometry is not None,
    )


def next_for(lab: LabFolder, found: FoundPack, pack: Pack, code: str) -> Next:
    """Return what is next for a person with a pack; UserError if the code is unknown.

    Who may become a lead or an expert is screened before.
    """
    with closing(Registry.open(lab.registry_url)) as registry:
        person = registry.person(code)
    verb = VERBS[found.kind]
    if found.screens and person.role == CANDIDATE:
        verb = "screen"
    known = Next(verb, person.code, person.role, person.purpose)
    return known if verb == "screen" else _gone_on(lab, pack, known)


def _gone_on(lab: LabFolder, pack: Pack, known: Next) -> Next:
    """Return what is next with the session that goes on, if there is one."""
    unfinished = _unfinished(lab, pack, known)
    if unfinished is None:
        return known
    paths = lab.data.session(unfinished.session)
    if not paths.journal.exists():
        return known
    seen = Followed(lab.data, paths)
    progress = seen.progress()
    return replace(
        known,
        consented=has_agreed(seen.events),
        progress=progress,
        language=own_language(None, known.code, paths),
    )


def _unfinished(lab: LabFolder, pack: Pack, known: Next) -> Unfinished | None:
    with closing(Registry.open(lab.registry_url)) as registry:
        study, purpose = pack.manifest.study, known.purpose
        return registry.unfinished(known.code, study=study, pack_id=pack.pack_id, purpose=purpose)
