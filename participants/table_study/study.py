"""What a study from a table declares of its people and their records."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from participants.study import Robots, SessionKind, Study
from participants.table_study.plan import plan_session
from participants.table_study.rows import own_fields, table_study_tables
from participants.table_study.trial import item_events
from stimuli.protocol import load_protocol
from stimuli.study import rules_as_pack
from stimuli.table_study.protocol import TableStudy

if TYPE_CHECKING:
    from participants.robots.choosing import Chances

ROBOTS: Final = ("expected", "first", "follower", "guesser")
"""What robots do: answer as the tests expect, take the first answer, follow the AI, guess."""


def declare(folder: Path, robots: "Mapping[str, Chances] | None" = None) -> Study:
    """Return the declaration of the study in a folder.

    Parameters
    ----------
    folder
        The study's.
    robots
        What robots of the study's own prefer, by their name.

    Raises
    ------
    UserError
        If ``study.toml`` isn't valid.
    """
    own_robots = robots or {}
    protocol = load_protocol(folder.name)
    assert isinstance(protocol, TableStudy)
    columns = (field.column for field in own_fields(protocol))
    required = tuple(column.name for column in columns if not column.optional)
    return Study(
        package=folder,
        sessions={
            "solutions": SessionKind(
                role="participant",
                plan=plan_session,
                events=item_events,
                robot_names=(*ROBOTS, *own_robots),
                load_robots=lambda: _robots(own_robots),
                orders=lambda protocol: protocol.arms,
            ),
        },
        load_tables=lambda: table_study_tables(protocol),
        outside=("participant", "item", "decision", *required),
    )


def _robots(robots: "Mapping[str, Chances]") -> Robots:
    from participants.table_study.robots import SimulatedItems, robots_of

    return Robots(make=robots_of(robots), simulated=SimulatedItems, sketch=rules_as_pack)
