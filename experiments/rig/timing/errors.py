"""What was recorded against what was really so: errors, sample by sample."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from experiments.engine.input import Device, Press
from experiments.rig.timing.button_box import Injected
from experiments.rig.timing.exclusions import SampleExclusions, Why
from experiments.rig.timing.photodiode import Edge
from experiments.rig.timing.recording import Recording
from experiments.rig.timing.settings import TrialSettings

NEAREST_WITHIN_S = 0.1
EARLIEST_STAMP_S = 0.002
LATEST_STAMP_S = 0.25


@dataclass(frozen=True, slots=True)
class Sample:
    """An error, and why it can't be trusted, if so.

    Attributes
    ----------
    error_s
        Recorded minus true.
    why
        ``gap``: the observer itself missed over 1 ms. ``stolen``: by the kernel's count
        the processor was given to another machine about then. ``standstill``: a witness saw a
        core run nobody just then. Empty: none of these.
    """

    error_s: float
    why: Why = ""


@dataclass(frozen=True, slots=True)
class Errors:
    """All errors of a recording.

    Attributes
    ----------
    onset
        Recorded onset minus photodiode.
    duration
        Time between the photodiode's edges minus the time planned.
    key, button
        Recorded stamp of a press minus the time at which it was made.
    onsets_unseen
        Onsets that were recorded, and never seen.
    presses_sent, presses_lost, presses_extra
        Made; made but never recorded; recorded but never made.
    short_sent, short_lost
        Of presses shorter than a frame.
    frames_dropped
        By the program's own record.
    frames_dropped_seen
        Refreshes by which pictures stayed too long, by the photodiode.
    drops_unrecorded
        Of those, the ones that the record lacks, counted trial by trial. Trials in which the
        machine stood still about an edge, or processor time was stolen, are left out: a picture
        may then come or go later than the program handed it over.
    """

    onset: tuple[Sample, ...]
    duration: tuple[Sample, ...]
    key: tuple[Sample, ...]
    button: tuple[Sample, ...]
    onsets_unseen: int
    presses_sent: int
    presses_lost: int
    presses_extra: int
    short_sent: int
    short_lost: int
    frames_dropped: int
    frames_dropped_seen: int
    drops_unrecorded: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture as the photodiode saw it: its edges, light and dark by turns."""

    edges: tuple[Edge, ...]

    @property
    def duration_s(self) -> float:
        """From the first edge to the last."""
        return self.edges[-1].t_s - self.edges[0].t_s

    def dropped(self, settings: TrialSettings) -> int:
        """Return by how many whole refreshes its parts stayed too long, at the least.

        While the photodiode missed time a part may have come later, or gone earlier.
        """
        planned = 1 if settings.blinking else settings.on_frames
        stays_s = (
            after.seen_s - after.gap_s - before.seen_s for before, after in pairwise(self.edges)
        )
        return sum(max(round(stay_s / settings.period_s) - planned, 0) for stay_s in stays_s)


def errors_of(recording: Recording) -> Errors:
    """Compare a recording with what really happened."""
    seen = pictures_seen(recording.recorded.onsets_s, recording.edges)
    found = [picture for picture in seen if picture is not None]
    dropped_seen = [
        0 if picture is None else picture.dropped(recording.settings) for picture in seen
    ]
    pairs, extra = matched_presses(recording.injected, recording.recorded.presses)
    short = [press for sent, press in pairs if sent.hold_s < recording.settings.period_s]
    recorded_drops = recording.recorded.dropped
    exclusions = SampleExclusions.of(recording.stolen, recording.standstills)
    surely_dropped = [
        0 if picture is None or _was_disturbed(picture, exclusions) else dropped
        for picture, dropped in zip(seen, dropped_seen, strict=True)
    ]
    return Errors(
        onset=tuple(
            Sample(onset_s - picture.edges[0].t_s, _why(picture.edges[:1], exclusions))
            for onset_s, picture in zip(recording.recorded.onsets_s, seen, strict=True)
            if picture is not None
        ),
        duration=tuple(
            Sample(
                picture.duration_s - recording.settings.on_s,
                _why((picture.edges[0], picture.edges[-1]), exclusions),
            )
            for picture in found
        ),
        key=_press_errors(pairs, "keyboard", exclusions),
        button=_press_errors(pairs, "mouse", exclusions),
        onsets_unseen=seen.count(None),
        presses_sent=len(pairs),
        presses_lost=sum(press is None for _, press in pairs),
        presses_extra=extra,
        short_sent=len(short),
        short_lost=short.count(None),
        frames_dropped=sum(recorded_drops),
        frames_dropped_seen=sum(dropped_seen),
        drops_unrecorded=sum(
            max(there - told, 0) for there, told in zip(surely_dropped, recorded_drops, strict=True)
        ),
    )


def _was_disturbed(picture: Seen, exclusions: SampleExclusions) -> bool:
    """Return whether the machine speaks against one of a picture's edges.

    Gaps of the observer don't count here: `Seen.dropped` allows for them.
    """
    return bool(exclusions.about((edge.t_s, 0.0) for edge in picture.edges))


def pictures_seen(onsets_s: Sequence[float], edges: Sequence[Edge]) -> list[Seen | None]:
    """Return what the photodiode saw of each picture; None where it saw no onset or no end.

    A picture begins with the light edge nearest its recorded onset, at most .1 s away, and lasts
    until the last dark edge before the next picture.
    """
    lights = [number for number, edge in enumerate(edges) if edge.light]
    times_s = [edges[number].t_s for number in lights]
    starts = [_nearest(onset_s, lights, times_s) for onset_s in onsets_s]
    found: list[Seen | None] = []
    end = len(edges)
    for start in reversed(starts):
        if start is None:
            found.append(None)
            continue
        own = edges[start:end]
        end = start
        found.append(Seen(tuple(own)) if len(own) > 1 and not own[-1].light else None)
    return found[::-1]


def _nearest(onset_s: float, lights: Sequence[int], times_s: Sequence[float]) -> int | None:
    at = bisect_left(times_s, onset_s)
    near = [place for place in (at - 1, at) if 0 <= place < len(lights)]
    best = min(near, key=lambda place: abs(times_s[place] - onset_s), default=None)
    if best is None or abs(times_s[best] - onset_s) > NEAREST_WITHIN_S:
        return None
    return lights[best]


def matched_presses(
    injected: Sequence[Injected], recorded: Sequence[Press]
) -> tuple[list[tuple[Injected, Press | None]], int]:
    """Return each press that was made with its record, if any, and how many records are left.

    A record belongs to the last press of its key before it; stamps may lie up to 2 ms before
    the press, and 250 ms after it.
    """
    stamps: dict[tuple[Device, str], list[Press]] = defaultdict(list)
    for press in sorted(recorded, key=lambda press: press.t_s):
        stamps[press.device, press.key].append(press)
    ends: dict[tuple[Device, str], float] = {}
    pairs: list[tuple[Injected, Press | None]] = []
    for sent in reversed(injected):
        place = (sent.device, sent.key)
        start_s = sent.t_s - EARLIEST_STAMP_S
        end_s = min(sent.t_s + LATEST_STAMP_S, ends.get(place, float("inf")))
        ends[place] = start_s
        pairs.append((sent, _take(stamps[place], start_s, end_s)))
    return pairs[::-1], sum(map(len, stamps.values()))


def _take(presses: list[Press], start_s: float, end_s: float) -> Press | None:
    at = bisect_left(presses, start_s, key=lambda press: press.t_s)
    return presses.pop(at) if at < len(presses) and presses[at].t_s < end_s else None


def _press_errors(
    pairs: Iterable[tuple[Injected, Press | None]], device: Device, exclusions: SampleExclusions
) -> tuple[Sample, ...]:
    return tuple(
        Sample(press.t_s - sent.t_s, exclusions.about([(sent.t_s, sent.span_s)]))
        for sent, press in pairs
        if press is not None and sent.device == device
    )


def _why(edges: Iterable[Edge], exclusions: SampleExclusions) -> Why:
    return exclusions.about((edge.t_s, edge.gap_s) for edge in edges)
