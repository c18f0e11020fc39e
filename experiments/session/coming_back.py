"""Whether somebody may come back: not too early for the next sitting, nor after declining."""

from contextlib import closing
from datetime import UTC, datetime

from experiments.rig.checks.catalogue import DECLINED, SITTING
from experiments.rig.checks.finding import Finding
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.journal import Journal, read_journal
from participants.registry import Registry
from participants.session import has_declined
from participants.session.sittings import next_sitting
from stimuli.pack import Pack


def coming_back(
    request: RunRequest, lab: LabFolder, pack: Pack, now: datetime | None = None
) -> tuple[Finding, Finding]:
    """Check that the person didn't decline, and that the least gap since a sitting is over.

    Parameters
    ----------
    request
        Who takes part.
    lab, pack
        Where the records are, and what is shown.
    now
        The time of day; the machine's by default.
    """
    code = request.person.participant
    if code is None or request.person.robot is not None:
        return DECLINED.passed("a robot"), SITTING.passed("a robot")
    journal = _unfinished_journal(request, lab, pack)
    sitting = _sitting_gap(code, journal, pack.protocol.least_gap_h, now or datetime.now(UTC))
    return _declined(code, journal), sitting


def _unfinished_journal(request: RunRequest, lab: LabFolder, pack: Pack) -> Journal | None:
    """Return the journal with which the person goes on; None before the first session."""
    asked = request.person
    with closing(Registry.open(lab.registry_url)) as registry:
        unfinished = registry.unfinished(
            str(asked.participant),
            study=pack.manifest.study,
            pack_id=pack.pack_id,
            purpose=asked.session_purpose,
        )
    if unfinished is None:
        return None
    path = request.data_folder(lab).session(unfinished.session).journal
    return read_journal(path) if path.exists() else None


def _declined(code: str, journal: Journal | None) -> Finding:
    if journal is None or not has_declined(journal.events):
        return DECLINED.passed("no")
    when = datetime.fromisoformat(journal.of("consent")[-1].t_utc).astimezone()
    return DECLINED.failed(
        f"code {code} declined to take part on {when:%Y-%m-%d %H:%M}",
        "enrol a new code if the person wants to take part after all",
    )


def _sitting_gap(code: str, journal: Journal | None, gap_h: float, now: datetime) -> Finding:
    if gap_h == 0:
        return SITTING.passed("no gap is asked for")
    following = next_sitting(journal, gap_h) if journal is not None else None
    if following is None:
        return SITTING.passed("the first sitting")
    if not following.is_early(now):
        return SITTING.passed(f"{gap_h:g} h or more since the last sitting")
    ended, earliest = (
        f"{moment.astimezone():%Y-%m-%d %H:%M}"
        for moment in (following.stopped_utc, following.earliest_utc)
    )
    return SITTING.failed(
        f"the last sitting of code {code} ended {ended}; sittings must be at "
        f"least {gap_h:g} h apart",
        f"come back from {earliest} on",
    )
