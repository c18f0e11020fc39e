"""Studies whose trials are timed choices and no more: sessions, tables and robots in one."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from participants.dataset.study_tables import RowMakers, ShownTable, StudyTables, choice_table
from participants.dataset.table_files import choice_cells, main_trials
from participants.journal import Journal
from participants.journal.trials import choice_events
from participants.registry import Assignment
from participants.robots.choosing import Chances, ChoosingRobot
from participants.session import ChoiceTrial, Phase, SessionPlan, TimedChoice, trial_step
from participants.simulate.presenters import SimulatedChoices
from participants.study import Robots, SessionKind, Study
from stimuli.choices import ChoiceRules, answers_of
from stimuli.io.tables import Column, Row, TableSchema
from stimuli.pack import Pack
from stimuli.study import rules_as_pack

ORDERS = ("as_listed",)


def choice_trials(
    items: Iterable[Row], rules: ChoiceRules, phase: Phase = "main", first: int = 1
) -> list[ChoiceTrial]:
    """Return a trial for each item, in order.

    Parameters
    ----------
    items
        Rows of ``items.csv``; each is its trial's stimulus.
    rules
        How they are shown.
    phase, first
        What the trials are for, and the first one's number in the session.
    """
    return [
        ChoiceTrial(
            step=trial_step(first + place),
            trial=first + place,
            phase=phase,
            position=1 + place,
            presentation=str(item["item"]),
            stimulus=item,
            options=dict(zip(rules.keys, answers_of(item), strict=True)),
            device="keyboard",
            fixation_s=rules.fixation_s,
            limit_s=rules.limit_s,
            exposure_s=rules.exposure_s,
        )
        for place, item in enumerate(items)
    ]


def guesses(task: TimedChoice) -> dict[str, float]:
    """Return the chances of a robot that takes any answer."""
    return dict.fromkeys(task.options.values(), 1 / len(task.options))


def choice_study(
    package: str,
    plan: Callable[[Pack, Assignment | None, str, str], SessionPlan],
    robots: Mapping[str, Chances],
    items: TableSchema,
    own: Sequence[Column],
    cells: Callable[[str, Row], Row],
) -> Study:
    """Return what a study of timed choices declares of its people and their records.

    Parameters
    ----------
    package
        The study's package, by whose name the study goes.
    plan
        Returns a person's plan, as in `SessionKind`.
    robots
        What each kind of robot prefers, by the kind's name, the usual one first.
    items
        Columns of ``items.csv``.
    own
        The study's own columns of ``trials.csv``.
    cells
        Returns a row's cells in these, and ``condition``, from decision and item.
    """

    def rows(journal: Journal, shown: Mapping[str, Row]) -> list[Row]:
        return [
            choice_cells(part, end, shown_s)
            | {"item": end["presentation"], "condition": "all"}
            | cells(end["decision"], shown[end["presentation"]])
            for part, end, shown_s in main_trials(journal)
        ]

    return Study(
        package=package,
        sessions={
            "solutions": SessionKind(
                role="participant",
                plan=plan,
                events=choice_events,
                robot_names=tuple(robots),
                load_robots=lambda: Robots(
                    make=lambda pack, language: (
                        lambda name, participant, seed: ChoosingRobot(
                            robots[name], package, name, participant, seed
                        )
                    ),
                    simulated=SimulatedChoices,
                    sketch=rules_as_pack,
                ),
                orders=lambda protocol: ORDERS,
            ),
        },
        tables=StudyTables(
            role="participant",
            trials=choice_table(package, own),
            load_makers=lambda: RowMakers(
                shown=lambda pack: {str(row["item"]): row for row in pack.table(items)},
                trials=rows,
            ),
            of_packs={"items": ShownTable(items, lambda shown: tuple(shown.values()))},
        ),
        outside=("participant", "item", "decision", *(one.name for one in own if not one.optional)),
    )
