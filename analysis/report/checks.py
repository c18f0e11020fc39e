"""Checks of data before their results are believed; those that every study shares."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

import pandas as pd

from analysis.data.sessions import Sessions
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import count, listed, number, p_equals, shortened
from analysis.statistics.proportions import Count, equal_rates_p
from stimuli.names import method_name

State = Literal["passed", "note", "warning", "not checked"]

_STATE_WORDS: Mapping[str, str] = {
    "passed": "passed",
    "note": "worth a note",
    "warning": "with a warning",
    "not checked": "not possible",
}
_MARKS: Mapping[str, str] = {
    "warning": "▲\u00a0warning",
    "note": "●\u00a0note",
    "not checked": "○\u00a0not\u00a0checked",
}
MOST_NAMED = 6
QUICKEST_S = 0.15
FEW_IMPOSSIBLE = 0.05
"""Up to this share, impossible times are a note; more can change what results mean."""
DIFFERING_P = 0.05
MOST_APART = 2
"""The largest arm may have this many more participants than the smallest."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check of the data."""

    check: Annotated[str, about("What was asked.")]
    state: Annotated[
        State,
        about(
            "passed; note: worth knowing; warning: may change what results mean; not checked: "
            "something that it needs is missing."
        ),
    ]
    finding: Annotated[str, about("What was found, one sentence.")]
    counts: Annotated[Mapping[str, float], about("The finding's numbers.")] = field(
        default_factory=dict
    )
    serious: Annotated[bool, about("Whether the report shows its warning above the headline.")] = (
        True
    )

    @classmethod
    def unless(
        cls, name: str, odd: int, finding: str, otherwise: str = "", state: State = "warning",
        **counts: float,
    ) -> "Check":  # fmt: skip
        """Return a check that passes unless something is odd.

        Parameters
        ----------
        name
            What was asked.
        odd
            How much is odd.
        finding, otherwise
            What was found if anything is, and if nothing is; the same if the second is empty.
        state
            What it is then.
        **counts
            The finding's numbers.
        """
        words = finding if odd or not otherwise else otherwise
        return cls(name, state if odd else "passed", words, counts)


def _marked(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """Return the checks that didn't pass with their states in words, warnings first."""
    order = list(_MARKS)
    odd = (check for check in checks if check.state != "passed")
    rows = sorted(odd, key=lambda check: order.index(check.state))
    return [_row(check) | {"state": _MARKS[check.state]} for check in rows]


def _row(check: Check) -> dict[str, Any]:
    return {"check": check.check, "state": check.state, "finding": check.finding}


CHECKS = ReportTable(
    "checks",
    lambda frame: [_row(check) for check in frame.checks],
    "Checks that didn’t pass.",
    (Column("Asked", "check"), Column("State", "state"), Column("Found", "finding")),
    shown=lambda frame: _marked(frame.checks),
    strong=changes("state"),
)


def check_counts(checks: Sequence[Check]) -> dict[str, int]:
    """Return how many checks ended in each state."""
    states: list[str] = [check.state for check in checks]
    return {state: states.count(state) for state in _STATE_WORDS}


def check_summary(checks: Sequence[Check]) -> Paragraph:
    """Return how many checks ended in each state, and which of them passed, in words."""
    counts = check_counts(checks)
    states = ", ".join(f"{counts[state]} {word}" for state, word in _STATE_WORDS.items())
    passed = "; ".join(check.check for check in checks if check.state == "passed")
    more = f" Passed (tables/checks.csv says more): {passed}." if passed else ""
    return Paragraph(f"Of {len(checks)} checks: {states}.{more}")


def warning_sentences(checks: Sequence[Check]) -> list[str]:
    """Return the warnings of serious checks, which the page shows above the headline."""
    return [
        f"{check.check}: no. {check.finding}"
        for check in checks
        if check.serious and check.state == "warning"
    ]


def general_checks(
    everyone: pd.DataFrame, frame: pd.DataFrame, sessions: Sessions | None, limit_s: float
) -> list[Check]:
    """Return the checks that any study's trial table allows.

    Parameters
    ----------
    everyone
        The whole table.
    frame
        The analysed trials.
    sessions
        What the journals say; None without journals.
    limit_s
        The longest decision time that the protocol allows.
    """
    return [
        *_journals(sessions),
        _rigs_fit(sessions),
        _checklists(sessions),
        _rows_once(frame),
        _purposes(everyone),
        _one_of(frame, "pack_id", "One pack", "pack", "packs"),
        _one_of(frame, "protocol_hash", "One set of rules", "protocol hash", "protocol hashes"),
        _robots(frame),
        *_left_out(sessions, set(frame["participant"])),
        _times(frame, limit_s),
    ]


FROM_ELSEWHERE: Final = (
    "These tables have no journals, so nobody can notice rows that were changed or deleted."
)
"""The first warning where nobody knows of a journal that the tables were made from."""


def suspect_sentence(sessions: Sessions) -> str:
    """Return the first warning where sessions or tables can't be trusted.

    It doesn't say that they were left out, since their rows may be missing.
    """
    numbers = {
        "session": len(sessions.suspect),
        "table": len(sessions.suspect_tables),
        "tombstone": len(sessions.disputes),
    }
    named = listed([count(n, noun) for noun, n in numbers.items() if n])
    left = "isn’t" if sum(numbers.values()) == 1 else "aren’t"
    return (
        f"{named} can’t be trusted and {left} analysed: rows or journals were changed, or are "
        f"missing ({sessions.all_suspect[0]})."
    )


def _journals(sessions: Sessions | None) -> list[Check]:
    names = ("Journals are whole and unchanged", "The trial table agrees with the journals")
    if sessions is None:
        return [Check(name, "not checked", "There are no journals.") for name in names]
    facts = sessions.facts
    bad, torn = len(sessions.unreadable), sum(fact.torn for fact in facts)
    unfinished = sum(not fact.complete for fact in facts)
    counts = {
        "journals": len(facts) + bad,
        "unreadable": bad,
        "torn": torn,
        "unfinished": unfinished,
    }
    text = f"{count(len(facts) + bad, 'journal')} read, every line checked against its chain"
    if bad:
        text += f"; {count(bad, 'journal')} can’t be trusted, first {sessions.unreadable[0]}"
    if unfinished or torn:
        text += f"; {unfinished} of an unfinished session, {torn} with a last line cut short"
    state: State = "warning" if bad else "note" if unfinished or torn else "passed"
    finding = " ".join([text + ".", sessions.not_confirmed]).strip()
    # These checks aren't serious, since `suspect_sentence` warns of them in one sentence.
    whole = Check(names[0], state, finding, counts, serious=False)
    missing, changed = (
        sum(getattr(fact, name) for fact in facts) for name in ("missing", "changed")
    )
    contradicted = sum(fact.contradicted for fact in facts)
    counts = {
        "missing_rows": missing,
        "changed_rows": changed,
        "contradicted_trials": contradicted,
        "sessions_without_journal": len(sessions.without_journal),
        "suspect_tables": len(sessions.suspect_tables),
    }
    if not any(counts.values()):
        return [whole, Check(names[1], "passed", "Every row does.", counts)]
    disagreement = (
        f"{count(missing, 'missing row')}; {count(changed, 'changed row')}; "
        f"{count(contradicted, 'decision')} not of the key that was pressed; "
        f"{count(counts['sessions_without_journal'], 'session')} of the table without a journal; "
        f"{count(counts['suspect_tables'], 'table')} beside the trials not as in the packs. "
        "Something was changed or deleted, or the tables are older than the journals. Sessions and "
        "tables that can’t be trusted aren’t analysed."
    )
    return [whole, Check(names[1], "warning", disagreement, counts, serious=False)]


def _rigs_fit(sessions: Sessions | None) -> Check:
    name = "Sessions began on rigs that passed their checks"
    known = [fact for fact in (sessions.facts if sessions else ()) if fact.checked]
    if not known:
        return Check(name, "not checked", "No journal says what was checked.")
    overridden = [fact for fact in known if fact.overridden]
    counts = {"sessions": len(known), "overridden_sessions": len(overridden)}
    if not overridden:
        return Check(name, "passed", f"{count(len(known), 'session')}, none overridden.", counts)
    which = sorted({check for fact in overridden for check in fact.overridden})
    reasons = dict.fromkeys(reason for fact in overridden for reason in fact.override_reasons)
    text = (
        f"{count(len(overridden), 'session')} began in spite of a failed check "
        f"({listed(which)}), for this reason: "
        + shortened([f"“{reason}”" for reason in reasons], MOST_NAMED, "different reason")
    )
    return Check(name, "warning", text + ".", counts, serious=False)


def _checklists(sessions: Sessions | None) -> Check:
    name = "The colour checklist was answered"
    people = [fact for fact in (sessions.facts if sessions else ()) if not fact.robot]
    asked = [fact for fact in people if fact.checklist not in ("", "skipped")]
    if people and all(fact.checklist == "skipped" for fact in people):
        return Check(name, "not checked", "Nothing in these sessions depends on colours.")
    if not asked:
        return Check(name, "not checked", "No journal of a person’s session has one.")
    silent = sum(fact.checklist == "unanswered" for fact in asked)
    unmet = [fact for fact in asked if fact.checklist_unmet]
    counts = {"sessions": len(asked), "unanswered": silent, "with_unmet_points": len(unmet)}
    if not silent and not unmet:
        return Check(name, "passed", "Before every session, and every point held.", counts)
    points = sorted({point for fact in unmet for point in fact.checklist_unmet})
    which = f" ({listed(points)})" if points else ""
    text = (
        f"Not before {count(silent, 'session')}; in {count(len(unmet), 'session')} a point "
        f"didn’t hold{which}."
    )
    return Check(name, "warning" if silent else "note", text, counts, serious=False)


def _unknown(name: str, frame: pd.DataFrame, column: str) -> Check | None:
    """Return that a check isn't possible, if its column is missing or empty."""
    if column not in frame:
        return Check(name, "not checked", f"The table has no column {column}.")
    if frame[column].isna().all():
        return Check(name, "not checked", f"The column {column} is empty.")
    return None


def _rows_once(frame: pd.DataFrame) -> Check:
    keys = ["participant", *(name for name in ("session", "trial") if name in frame)]
    if (unknown := _unknown("Each trial occurs once", frame, "trial")) is not None:
        return unknown
    twice = int(frame.duplicated(keys).sum())
    text = f"{count(twice, 'row')} repeat a trial of the same person."
    return Check.unless(
        "Each trial occurs once", twice, text, "No row repeats.", repeated_rows=twice
    )


def _purposes(everyone: pd.DataFrame) -> Check:
    asked = "Sessions of one purpose"
    if (unknown := _unknown(asked, everyone, "purpose")) is not None:
        return unknown
    counts = {str(k): int(n) for k, n in everyone["purpose"].value_counts().sort_index().items()}
    purposes = listed([f"{count(n, 'trial')} of purpose {name}" for name, n in counts.items()])
    return Check(
        asked, "passed" if len(counts) < 2 else "note", f"The table holds {purposes}.", counts
    )


def _one_of(frame: pd.DataFrame, column: str, name: str, noun: str, many: str) -> Check:
    if (unknown := _unknown(name, frame, column)) is not None:
        return unknown
    distinct = int(frame[column].nunique())
    if distinct < 2:
        return Check(name, "passed", f"All trials have the same {noun}.", {many: distinct})
    text = f"{distinct} {many} are mixed; results pool what was recorded under them."
    return Check(name, "warning", text, {many: distinct})


def _robots(frame: pd.DataFrame) -> Check:
    name = "No robots among the participants"
    if "robot" not in frame:
        return Check(name, "not checked", "The table has no column robot.")
    marked = frame["robot"].notna()
    robots = frame.loc[marked, "participant"].nunique()
    people = frame.loc[~marked, "participant"].nunique()
    counts = {"robots": int(robots), "people": int(people)}
    if not robots:
        return Check(name, "passed", "All participants are people.", counts)
    if not people:
        return Check(name, "note", "All participants are simulated (response models).", counts)
    who = shortened(sorted(frame.loc[marked, "participant"].unique()), MOST_NAMED, "participant")
    # Not serious, since the headline's first sentence says it.
    text = f"Answers of response models are mixed in: {who}."
    return Check(name, "warning", text, counts, serious=False)


def _left_out(sessions: Sessions | None, participants: Collection[str]) -> list[Check]:
    """Check that as many failed to qualify in each arm, if the study asks who qualifies."""
    looked_at = [
        fact
        for fact in (sessions.facts if sessions else ())
        if fact.qualified is not None and fact.participant in participants
    ]
    arms = sorted({fact.arm for fact in looked_at})
    if len(arms) < 2:
        return []
    failed = {
        method_name(arm): [not fact.qualified for fact in looked_at if fact.arm == arm]
        for arm in arms
    }
    return [
        exclusion_check(
            {arm: Count(sum(failures), len(failures)) for arm, failures in failed.items()}
        )
    ]


def exclusion_check(
    left_out: Mapping[str, Count], name: str = "Each arm lost about the same number of people"
) -> Check:
    """Return the check that as many are left out in each arm (`equal_rates_p`).

    Parameters
    ----------
    left_out
        How many of an arm's participants are left out, by the arm's name.
    name
        Name of the check.
    """
    counts = {"left_out": sum(counted.successes for counted in left_out.values())}
    counts |= {"participants": sum(counted.n for counted in left_out.values())}
    if not counts["left_out"]:
        return Check(name, "passed", "Nobody is left out.", counts)
    p = equal_rates_p(tuple(left_out.values()))
    by_arm = listed(
        [f"{arm} {counted.successes} of {counted.n}" for arm, counted in left_out.items()]
    )
    text = f"Left out: {by_arm} (exact test, {p_equals(p)})."
    if p >= DIFFERING_P:
        return Check(name, "passed", text, {**counts, "p": p})
    text += (
        " Those who stay may differ between arms, too: the analysis of everybody is the one to "
        "trust."
    )
    return Check(name, "warning", text, {**counts, "p": p})


def arm_sizes_check(name: str, sizes: pd.Series) -> Check:
    """Return the check that arms have about the same size, from their numbers of participants."""
    apart = int(sizes.max() - sizes.min())
    text = f"The largest arm has {sizes.max()} participants, the smallest {sizes.min()}."
    state: State = "note" if apart > MOST_APART else "passed"
    return Check(name, state, text, {"apart": apart})


def _times(frame: pd.DataFrame, limit_s: float) -> Check:
    name = "Decision times are possible"
    if (unknown := _unknown(name, frame, "rt_s")) is not None:
        return unknown
    times = frame["rt_s"].dropna()
    quick, late = int((times < QUICKEST_S).sum()), int((times > limit_s).sum())
    state: State = "passed"
    if quick or late:
        state = "note" if quick + late <= FEW_IMPOSSIBLE * len(times) else "warning"
    counts = {"quick": quick, "late": late, "quickest_s": QUICKEST_S, "limit_s": limit_s}
    text = (
        f"{count(quick, 'trial')} quicker than {number(QUICKEST_S)} s, "
        f"{count(late, 'trial')} slower than {limit_s:g} s."
    )
    return Check(name, state, text, counts)
