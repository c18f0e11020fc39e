"""Whether somebody comes too early for the next sitting."""

from contextlib import closing
from datetime import UTC, datetime

from experiments.rig.checks.catalogue import SITTING
from experiments.rig.checks.finding import Finding
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.registry import Registry
from participants.session.sittings import next_sitting
from stimuli.pack import Pack


def sitting_gap(
    request: RunRequest, lab: LabFolder, pack: Pack, now: datetime | None = None
) -> Finding:
    """Check that the protocol's least gap since the last sitting is over.

    Parameters
    ----------
    request
        Who takes part.
    lab, pack
        Where the records are, and what is shown.
    now
        The time of day; the machine's by default.
    """
    gap_h, asked = pack.protocol.least_gap_h, request.person
    if gap_h == 0 or asked.participant is None or asked.robot is not None:
        return SITTING.passed("no gap is asked for")
    with closing(Registry.open(lab.registry_url)) as registry:
        unfinished = registry.unfinished(
            asked.participant,
            study=pack.manifest.study,
            pack_id=pack.pack_id,
            purpose=asked.session_purpose,
        )
    if unfinished is None:
        return SITTING.passed("the first sitting")
    path = request.data_folder(lab).session(unfinished.session).journal
    following = next_sitting(read_journal(path), gap_h) if path.exists() else None
    if following is None or not following.is_early(now or datetime.now(UTC)):
        return SITTING.passed(f"{gap_h:g} h or more since the last sitting")
    ended, earliest = (
        f"{moment.astimezone():%Y-%m-%d %H:%M}"
        for moment in (following.stopped_utc, following.earliest_utc)
    )
    return SITTING.failed(
        f"the last sitting of code {asked.participant} ended {ended}; sittings must be at "
        f"least {gap_h:g} h apart",
        f"come back from {earliest} on",
    )
