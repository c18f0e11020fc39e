"""Who takes part: a code of the registry, in the role and for the purpose it is enrolled for."""

from dataclasses import replace

from experiments.session.options import PersonOptions
from participants.registry import Person, Registry
from participants.study import session_kind_of
from stimuli.errors import UserError
from stimuli.pack import Pack


def identify(asked: PersonOptions, registry: Registry, pack: Pack) -> PersonOptions:
    """Return who takes part, with code and purpose; a robot without a code is enrolled.

    Raises
    ------
    UserError
        If there is neither a code nor a robot, the code or the robot is unknown, or the code is
        enrolled for another role or purpose.
    """
    kind = session_kind_of(pack)
    if asked.robot is not None and asked.robot not in kind.robot_names:
        known = ", ".join(kind.robot_names)
        raise UserError(f"robot {asked.robot!r}: unknown; take one of {known}")
    if asked.participant is not None:
        return as_enrolled(asked, registry.person(asked.participant), pack)
    if asked.robot is None:
        raise UserError("say who takes part: --participant CODE, or --robot NAME")
    axis, rung = kind.load_robots().place(pack)
    code = registry.enrol(kind.roles[0], axis=axis, rung=rung, purpose="robot")
    return replace(asked, participant=code, purpose=asked.session_purpose)


def as_enrolled(asked: PersonOptions, person: Person, pack: Pack) -> PersonOptions:
    """Return the options with the code, and the purpose, that a person is enrolled for.

    Raises
    ------
    UserError
        If the pack's sessions want another role, or the person is enrolled for another purpose
        than the one asked for: one line.
    """
    code, roles = person.code, session_kind_of(pack).roles
    if person.role not in roles:
        raise UserError(
            f"code {code}: is enrolled as {person.role}, but this session is one of the "
            f"{'s or '.join(roles)}s"
        )
    purpose = asked.session_purpose
    if (person.purpose == "robot") != (purpose == "robot"):
        if person.purpose == "robot":
            raise UserError(f"code {code}: is a robot's; add --robot NAME, or give a person's code")
        raise UserError(
            f"code {code}: is a person's; leave out --participant, and the robot gets its own code"
        )
    if asked.purpose not in (None, person.purpose):
        raise UserError(
            f"code {code}: is enrolled for purpose {person.purpose}, not {purpose}; leave "
            f"--purpose out, or enrol a new code (participants enrol --purpose {purpose})"
        )
    return replace(asked, participant=code, purpose=person.purpose)
