"""Whom the protocol's rules leave out of the second analysis, and what they rest on.

Rules look at a person's rounds that weren't left midway: whether a key was pressed, how many
wrong answers came, whether these went through the table of classes one by one, and what became of
the catch rounds. Nothing rests on how much of an image was uncovered by a method.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from analysis.report.declared import ReportTable, Results
from analysis.report.listing import cut
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import NOTHING, count, grouped, number, percent
from stimuli.studies.progressive_reveal.analysis_plan import Exclusion
from stimuli.studies.progressive_reveal.catch import HIDDEN
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CATCH_KINDS

LEAST_CATCH: Final = 2
"""Catch rounds of a kind from which on they are judged."""


def split_catch(rounds: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the main rounds, and the catch rounds; none of these without the column."""
    if "catch" not in rounds or rounds["catch"].isna().all():
        return rounds.reset_index(drop=True), rounds.iloc[:0]
    caught = rounds["catch"].notna()
    return tuple(rounds[own].reset_index(drop=True) for own in (~caught, caught))


def person_rows(
    main: pd.DataFrame, catch: pd.DataFrame, protocol: ProgressiveReveal
) -> list[dict[str, Any]]:
    """Return what the rules find of each person, by code.

    Parameters
    ----------
    main, catch
        Main rounds and catch rounds of the trial table.
    protocol
        Whose rules.

    Returns
    -------
    list of dict
        ``participant, robot``; ``rounds`` that weren't left; ``idle`` (share without a key),
        ``wrong_answers`` (a round) and ``walks`` (share), each None where the table doesn't tell;
        ``failed`` and ``judged`` catch rounds by kind; ``reason``: the rules that are broken,
        empty if none is.
    """
    rules, steps = protocol.exclusion, protocol.reveal.steps
    main, catch = (frame[~_flags(frame, "left")] for frame in (main, catch))
    failed = _failed(catch, rules, steps)
    codes = sorted({*main["participant"], *catch["participant"]})
    keys, runs = _numbers(main, "keystrokes"), _numbers(main, "table_walk")
    wrong = _numbers(main, "attempts") - _flags(main, "recognised")
    robots = main["robot"].dropna() if "robot" in main else pd.Series(dtype=object)
    columns: dict[str, Mapping[str, Any]] = {
        "robot": robots.astype(str).groupby(main["participant"]).first().to_dict(),
        "rounds": main["participant"].value_counts().to_dict(),
        "idle": _mean((keys == 0).where(keys.notna()), main),
        "wrong_answers": _mean(wrong, main),
        "walks": _mean((runs >= rules.walk_answers).where(runs.notna()), main)
        if rules.walk_answers
        else {},
    }
    usual = {"robot": "", "rounds": 0}
    kinds = catch.get("catch", pd.Series(dtype=object, index=catch.index))
    for kind in CATCH_KINDS:
        own = catch["participant"][kinds == kind]
        columns[f"failed_{kind}"] = own[failed[own.index]].value_counts().to_dict()
        columns[f"judged_{kind}"] = own.value_counts().to_dict()
        usual |= {f"failed_{kind}": 0, f"judged_{kind}": 0}
    rows = []
    for code in codes:
        found = {name: column.get(code, usual.get(name)) for name, column in columns.items()}
        row = {"participant": code, **found}
        rows.append({**row, "reason": "; ".join(_reasons(row, rules))})
    return rows


def _mean(values: pd.Series, main: pd.DataFrame) -> dict[str, float]:
    """Return each person's mean of the known values; nobody's who has none."""
    means = values.astype(float).groupby(main["participant"]).mean().dropna()
    return {str(code): float(mean) for code, mean in means.items()}


def excluded(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the codes of those who are left out."""
    return [row["participant"] for row in rows if row["reason"]]


def _reasons(row: dict[str, Any], rules: Exclusion) -> list[str]:
    broken = {
        "too many rounds without a key": _above(row["idle"], rules.idle_share),
        "too many wrong answers": bool(rules.wrong_answers)
        and _above(row["wrong_answers"], rules.wrong_answers),
        "goes through the table of classes": _above(row["walks"], rules.walks_share),
    }
    for kind, said in (("hidden", "guesses in catch rounds"), ("whole", "misses catch rounds")):
        judged = row[f"judged_{kind}"]
        share = row[f"failed_{kind}"] / judged if judged >= LEAST_CATCH else None
        broken[said] = _above(share, rules.catch_share)
    return [said for said, is_broken in broken.items() if is_broken]


def _above(value: float | None, most: float) -> bool:
    return value is not None and value > most


def _failed(catch: pd.DataFrame, rules: Exclusion, steps: int) -> pd.Series:
    """Return whether each catch round is failed.

    A hidden one by more answers than are allowed, of which one at the last step may be right; one
    that is shown whole by going unrecognised.
    """
    if catch.empty:
        return pd.Series(False, catch.index, dtype=bool)
    seen = _flags(catch, "recognised") & (catch["step"].astype(float) >= steps)
    guesses = _numbers(catch, "attempts") - seen
    hidden = catch["catch"] == HIDDEN
    return (hidden & (guesses > rules.catch_answers)) | (~hidden & ~_flags(catch, "recognised"))


def _flags(frame: pd.DataFrame, name: str) -> pd.Series:
    if name not in frame:
        return pd.Series(False, frame.index, dtype=bool)
    return frame[name].fillna(False).astype(bool)


def _numbers(frame: pd.DataFrame, name: str) -> pd.Series:
    if name not in frame:
        return pd.Series(float("nan"), frame.index)
    return frame[name].astype(float)


def rules_sentence(results: Results) -> Paragraph:
    """Return the rules in words, and how many they leave out."""
    rules, found = results["protocol"]["exclusion"], results["exclusions"]
    asked = {
        f"presses no key in more than {percent(rules['idle_share'])} of their rounds": (
            rules["idle_share"] < 1
        ),
        f"gives more than {rules['wrong_answers']:g} wrong answers a round on average": (
            rules["wrong_answers"] > 0
        ),
        f"goes through the table of classes, {rules['walk_answers']} answers in a row, in more "
        f"than {percent(rules['walks_share'])} of their rounds": (
            rules["walk_answers"] > 0 and rules["walks_share"] < 1
        ),
        f"fails more than {percent(rules['catch_share'])} of the catch rounds of a kind, of which "
        f"there must be {found['least_catch']}": rules["catch_share"] < 1,
    }
    said = [text for text, is_asked in asked.items() if is_asked]
    if not said:
        return Paragraph("The protocol has no rule that leaves anybody out.")
    gone = len(found["by_rule"])
    return Paragraph(
        "All results are by intention to treat, with everybody, unless they say otherwise. The "
        f"second analysis leaves out whoever {'; or '.join(said)}. A catch round that can’t be "
        "recognised before its last step is failed by more than "
        f"{count(rules['catch_answers'], 'guess', 'guesses')}; one that is shown whole is failed "
        "if it isn’t recognised. The rules leave out "
        f"{count(gone, 'participant') if gone else 'nobody'}."
    )


def _of(kind: str) -> Any:
    def said(row: dict[str, Any]) -> str:
        judged = row[f"judged_{kind}"]
        return f"{row[f'failed_{kind}']} of {judged}" if judged else NOTHING

    return said


def _name(row: dict[str, Any]) -> str:
    """Return a code, with the robot's name where there is one; it doesn't break."""
    return f"{row['participant']}\u00a0({row['robot']})" if row["robot"] else row["participant"]


PEOPLE = ReportTable(
    "exclusions",
    "exclusions.people",
    "What the exclusion rules find of each participant.",
    (
        Column("Participant", _name),
        Column("Rounds", "rounds", grouped, "n"),
        Column("No key", "idle", percent, "of rounds"),
        Column("Wrong", "wrong_answers", number, "a round"),
        Column("Walks", "walks", percent, "of rounds"),
        Column("Hidden", _of("hidden"), str, "failed"),
        Column("Whole", _of("whole"), str, "failed"),
        Column("Left out because", lambda row: row["reason"] or NOTHING),
    ),
    "Rounds that weren’t left midway. Wrong: answers. Walks: rounds in which answers in a row go "
    "through the table of classes. Hidden: catch rounds that can’t be recognised before the last "
    "step; whole: those that are shown whole at once.",
    cut=lambda rows: cut(
        rows,
        "participants",
        "exclusions",
        lambda row: bool(row["reason"]),
        "those left out, by code",
    ),
)
