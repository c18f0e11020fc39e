"""Errors: what was recorded compared with what really happened, sample by sample and in figures.

The figures are mean, spread and extremes, and ratios of spreads with their intervals.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from experiments.engine.input import Press
from experiments.rig.profile import LATE_S, Grade, grade_of
from experiments.rig.timing.exclusions import REASONS, SampleExclusions, Why
from experiments.rig.timing.instruments import Edge, Injected
from experiments.rig.timing.recording import Recording
from experiments.rig.timing.settings import TrialSettings
from stimuli.devices import DeviceName

NEAREST_WITHIN_S = 0.1
EARLIEST_STAMP_S = 0.002
LATEST_STAMP_S = 0.25


@dataclass(frozen=True, slots=True)
class Sample:
    """An error, and the reason not to trust it, if any.

    Attributes
    ----------
    error_s
        Recorded minus true.
    why
        ``gap``: the observer itself missed over 1 ms. ``stolen``: the kernel counted processor
        time given to another machine at about that time. ``standstill``: a witness saw a core
        run no program at that time. Empty: none of these.
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
        Recorded time stamp of a press minus the time at which it was made.
    onsets_unseen
        Number of onsets that were recorded but never seen.
    presses_sent, presses_lost, presses_extra
        Numbers of presses made; made but never recorded; recorded but never made.
    short_sent, short_lost
        The same for presses shorter than a frame.
    frames_dropped
        Dropped frames in the program's record.
    frames_dropped_seen
        Number of refreshes by which pictures stayed too long, by the photodiode.
    drops_unrecorded
        Those of them that the record lacks, counted trial by trial. Trials in which the machine
        stood still near an edge, or processor time was stolen, are left out: a picture may then
        appear or disappear later than the program presented it.
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
    """A picture as the photodiode saw it: its edges, alternately light and dark."""

    edges: tuple[Edge, ...]

    @property
    def duration_s(self) -> float:
        """Time from the first edge to the last."""
        return self.edges[-1].t_s - self.edges[0].t_s

    def dropped(self, settings: TrialSettings) -> int:
        """Return the least number of whole refreshes by which its parts stayed too long.

        In the photodiode's gaps a part may have come later, or gone earlier.
        """
        planned = 1 if settings.blinking else settings.on_frames
        stays_s = (
            after.seen_s - after.gap_s - before.seen_s for before, after in pairwise(self.edges)
        )
        return sum(max(round(stay_s / settings.period_s) - planned, 0) for stay_s in stays_s)


def errors_of(recording: Recording) -> Errors:
    """Compare a recording with what really happened."""
    seen = pictures_seen(recording.recorded.onsets_s, recording.edges)
    pictures = [picture for picture in seen if picture is not None]
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
            for picture in pictures
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
            max(there - recorded, 0)
            for there, recorded in zip(surely_dropped, recorded_drops, strict=True)
        ),
    )


def _was_disturbed(picture: Seen, exclusions: SampleExclusions) -> bool:
    """Return whether a disturbance of the machine affected one of a picture's edges.

    The observer's gaps don't count here: `Seen.dropped` allows for them.
    """
    return bool(exclusions.about((edge.t_s, 0.0) for edge in picture.edges))


def pictures_seen(onsets_s: Sequence[float], edges: Sequence[Edge]) -> list[Seen | None]:
    """Return what the photodiode saw of each picture; None if it saw no onset or no end.

    A picture begins with the light edge nearest its recorded onset, at most .1 s away, and lasts
    until the last dark edge before the next picture.
    """
    lights = [number for number, edge in enumerate(edges) if edge.light]
    times_s = [edges[number].t_s for number in lights]
    starts = [_nearest(onset_s, lights, times_s) for onset_s in onsets_s]
    pictures: list[Seen | None] = []
    end = len(edges)
    for start in reversed(starts):
        if start is None:
            pictures.append(None)
            continue
        of_picture = edges[start:end]
        end = start
        pictures.append(
            Seen(tuple(of_picture)) if len(of_picture) > 1 and not of_picture[-1].light else None
        )
    return pictures[::-1]


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
    """Return the presses that were made, each with its record, and the number of extra records.

    A record belongs to the last press of its key before it; its time stamp may be up to 2 ms
    before the press, and 250 ms after it.
    """
    stamps: dict[tuple[DeviceName, str], list[Press]] = defaultdict(list)
    for press in sorted(recorded, key=lambda press: press.t_s):
        stamps[press.device, press.key].append(press)
    ends: dict[tuple[DeviceName, str], float] = {}
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
    pairs: Iterable[tuple[Injected, Press | None]], device: DeviceName, exclusions: SampleExclusions
) -> tuple[Sample, ...]:
    return tuple(
        Sample(press.t_s - sent.t_s, exclusions.about([(sent.t_s, sent.span_s)]))
        for sent, press in pairs
        if press is not None and sent.device == device
    )


def _why(edges: Iterable[Edge], exclusions: SampleExclusions) -> Why:
    return exclusions.about((edge.t_s, edge.gap_s) for edge in edges)


Measure = Literal["onset", "duration", "key", "button"]
MEASURES: tuple[Measure, ...] = ("onset", "duration", "key", "button")
COUNTS = tuple(field.name for field in fields(Errors) if field.name not in MEASURES)
COVERAGE = 0.95


@dataclass(frozen=True, slots=True)
class Spread:
    """Errors in milliseconds.

    Attributes
    ----------
    mean
        Mean of the signed errors: the constant lag.
    sd
        SD within runs: from the runs' variances, weighted by their degrees of freedom.
    p95, max
        95th percentile and maximum of the absolute errors.
    n
        Number of errors.
    """

    mean: float
    sd: float
    p95: float
    max: float
    n: int


def spread(runs: Sequence[Sequence[float]]) -> Spread | None:
    """Return the spread of errors (seconds) from one or more runs; None if there are none."""
    runs_ms = [np.asarray(run) * 1000 for run in runs if len(run)]
    if not runs_ms:
        return None
    every_ms = np.concatenate(runs_ms)
    freedom = sum(len(run) - 1 for run in runs_ms)
    squares = sum(float(((run - run.mean()) ** 2).sum()) for run in runs_ms)
    size_ms = np.abs(every_ms)
    return Spread(
        mean=float(every_ms.mean()),
        sd=math.sqrt(squares / freedom) if freedom else 0.0,
        p95=float(np.quantile(size_ms, 0.95)),
        max=float(size_ms.max()),
        n=len(every_ms),
    )


def trusted(samples: Iterable[Sample]) -> list[float]:
    """Return the errors of the trusted samples, in seconds."""
    return [sample.error_s for sample in samples if not sample.why]


def summary(runs: Sequence[Errors]) -> dict[str, Any]:
    """Return the figures of one program's runs, as plain JSON values.

    Spreads are of trusted samples; the other samples are reported under ``apart``.
    """
    spreads = {
        f"{measure}_error_ms": _spread_figures(
            spread([trusted(getattr(run, measure)) for run in runs])
        )
        for measure in MEASURES
    }
    counts = {name: sum(getattr(run, name) for run in runs) for name in COUNTS}
    apart = {measure: _apart(runs, measure) for measure in MEASURES}
    return {**spreads, **counts, "apart": apart}


def _apart(runs: Sequence[Errors], measure: Measure) -> dict[str, Any]:
    samples = [sample for run in runs for sample in getattr(run, measure)]
    why = [sample.why for sample in samples]
    left_out = [sample.error_s for sample in samples if sample.why]
    figures = _spread_figures(spread([left_out]))
    return {reason: why.count(reason) for reason in REASONS} | {"error_ms": figures}


def _spread_figures(measured: Spread | None) -> dict[str, float] | None:
    return None if measured is None else asdict(measured)


@dataclass(frozen=True, slots=True)
class Ratio:
    """The suite's SD divided by the plain script's, over interleaved pairs of runs.

    Attributes
    ----------
    estimate
        Geometric mean of the pairs' ratios.
    ci_low, ci_high
        95 % interval: Student's t on the logarithms of the pairs' ratios. None with one pair.
    pairs
        Number of pairs.
    each
        Ratio of each pair, in the order of the runs.
    """

    estimate: float
    ci_low: float | None
    ci_high: float | None
    pairs: int
    each: tuple[float, ...]


def ratio(pairs: Iterable[tuple[float, float]]) -> Ratio | None:
    """Return the ratio of paired spreads (first by second); None if no pair has both."""
    by_pair = tuple(first / second for first, second in pairs if first and second)
    if not by_pair:
        return None
    logs = np.log(by_pair)
    middle = float(logs.mean())
    if len(logs) == 1:
        return Ratio(math.exp(middle), None, None, 1, by_pair)
    from scipy import stats

    error = float(logs.std(ddof=1)) / math.sqrt(len(logs))
    reach = float(stats.t.ppf((1 + COVERAGE) / 2, len(logs) - 1)) * error
    low, high = math.exp(middle - reach), math.exp(middle + reach)
    return Ratio(math.exp(middle), low, high, len(logs), by_pair)


def ratios(suite: Sequence[Errors], plain: Sequence[Errors]) -> dict[str, Any]:
    """Return the ratio of each measure's SD over interleaved pairs of runs, as JSON values."""
    by_measure: dict[str, Any] = {}
    for measure in MEASURES:
        pairs = [
            (_sd(getattr(ours, measure)), _sd(getattr(theirs, measure)))
            for ours, theirs in zip(suite, plain, strict=True)
        ]
        by = ratio(pairs)
        by_measure[f"{measure}_error_ms"] = None if by is None else asdict(by)
    return by_measure


def _sd(samples: Sequence[Sample]) -> float:
    pooled = spread([trusted(samples)])
    return 0.0 if pooled is None else pooled.sd


def graded(runs: Sequence[Errors]) -> Grade | Literal[""]:
    """Return the grade of a program's runs on a rig; empty if the photodiode saw nothing.

    The grade depends on the SD of onsets or durations, whichever is larger, and on the share of
    durations with an error of more than 0.5 ms.
    """
    onset = spread([trusted(run.onset) for run in runs])
    duration = spread([trusted(run.duration) for run in runs])
    if onset is None or duration is None:
        return ""
    sizes_s = [abs(error_s) for run in runs for error_s in trusted(run.duration)]
    late = sum(size_s > LATE_S for size_s in sizes_s) / len(sizes_s)
    return grade_of(max(onset.sd, duration.sd), late)


def missing(figures: Mapping[str, Any]) -> list[str]:
    """Return the measures in a summary without any trusted sample."""
    return [measure for measure in MEASURES if figures[f"{measure}_error_ms"] is None]
