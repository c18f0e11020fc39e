"""Controls: what was accepted within the decision time that should not be, and d′."""

from typing import Any

import numpy as np
from scipy.stats import norm

from analysis.report.estimates import limits_row, named_row
from analysis.statistics.bootstrap import Resampling, Units, cell_means, percentile_interval
from analysis.statistics.detection import detect
from analysis.statistics.proportions import LEVEL, UNKNOWN, Count, Interval, mover, wilson
from analysis.studies.accept_reject.trials import MISLEADING, NOISE, SIGNAL, ScoredTrials
from stimuli.studies.accept_reject.tables import CONTROL_KINDS

Array = np.ndarray
_Cell = tuple[str, bool]


class Controls:
    """Acceptances within the decision time of every kind of control, by explained."""

    def __init__(self, judged: ScoredTrials, plan: Resampling) -> None:
        frame = judged.frame[(judged.frame["solver"] == "control") & ~judged.aside]
        self.cells: list[_Cell] = [
            (kind, explained)
            for explained in (False, True)
            for kind in CONTROL_KINDS
            if ((frame["control_kind"] == kind) & (frame["explained"] == explained)).any()
        ]
        cell = np.full(len(frame), -1)
        for number, (kind, explained) in enumerate(self.cells):
            own = (frame["control_kind"] == kind) & (frame["explained"] == explained)
            cell[own.to_numpy()] = number
        accepted = frame["accepted"].to_numpy(dtype=float)
        self.counts = _counts(accepted, cell, len(self.cells))
        late = (frame["decision"] == "accept").to_numpy(dtype=float)
        self._whenever = _counts(late, cell, len(self.cells))
        self._draws: Array | None = None
        if frame["participant"].nunique() > 1 and self.cells:
            units = Units.of(frame["participant"], frame["item"])
            self._draws = cell_means(accepted[:, None], cell, len(self.cells), units, plan)[:, :, 0]

    def kind_rows(self) -> list[dict[str, Any]]:
        """Return the share accepted of every kind, without and with explanations.

        ``rate`` counts acceptances within the decision time, ``rate_whenever`` all of them.
        """
        return [
            {
                "control_kind": kind,
                "meaning": CONTROL_KINDS[kind],
                "explained": explained,
                **limits_row(self._share((kind, explained)), "rate"),
                "rate_whenever": whenever.rate,
                "n": count.n,
            }
            for (kind, explained), count, whenever in zip(
                self.cells, self.counts, self._whenever, strict=True
            )
        ]

    def detection_rows(self) -> list[dict[str, Any]]:
        """Return d' and criterion from pooled counts: matched right digits against wrong ones."""
        return [
            self._detection(explained)
            for explained in (False, True)
            if self._has((SIGNAL, explained), (NOISE, explained))
        ]

    def diagnostic_rows(self) -> list[dict[str, Any]]:
        """Return each kind whose contour misleads beside its matched one of the same run."""
        rows = []
        for kind, base in MISLEADING.items():
            own, matched = (kind, True), (base, True)
            if not self._has(own):
                continue
            rows.append(
                {
                    "control_kind": kind,
                    "rate": self._count(own).rate,
                    "n": self._count(own).n,
                    "matched": base,
                    "rate_matched": self._count(matched).rate if self._has(matched) else None,
                    **limits_row(self._difference(own, matched), "difference"),
                }
            )
        return rows

    def wrong_digits(self, margin: float) -> dict[str, Any]:
        """Return how much more often matched wrong digits are accepted with explanations.

        ``harm`` is True where the rise is above the margin and its interval above zero. d' doesn't
        show this where leads accept more right digits as well.
        """
        with_, without = (NOISE, True), (NOISE, False)
        rise = self._difference(with_, without)
        counts = [self._count(cell) for cell in (without, with_)]
        return {
            **limits_row(rise, "difference"),
            "rate_without": counts[0].rate,
            "rate_with": counts[1].rate,
            "n": counts[0].n + counts[1].n,
            "margin": margin,
            "harm": bool(rise.known and rise.estimate > margin and rise.ci_low > 0),
        }

    def sensitivity_change(self) -> dict[str, Any]:
        """Return d' with explanations minus d' without, from pooled counts.

        Matched right digits against wrong ones, with the log-linear correction. ``harm`` is True
        where the interval lies below zero.
        """
        cells = [[(SIGNAL, explained), (NOISE, explained)] for explained in (False, True)]
        if not all(self._has(*pair) for pair in cells):
            unknown = ("difference", "ci_low", "ci_high", "d_prime_without", "d_prime_with")
            return {**dict.fromkeys(unknown), "n": 0, "harm": False}
        counts = [[self._count(cell) for cell in pair] for pair in cells]
        parts = [detect(*pair).d_prime for pair in counts]
        difference = parts[1].estimate - parts[0].estimate
        reach = np.hypot(*(part.ci_high - part.estimate for part in parts))
        low, high = difference - reach, difference + reach
        if self._draws is not None:
            without, with_ = (self._z(signal) - self._z(noise) for signal, noise in cells)
            low, high = percentile_interval(with_ - without, LEVEL)
        return {
            "difference": difference,
            "ci_low": low,
            "ci_high": high,
            "d_prime_without": parts[0].estimate,
            "d_prime_with": parts[1].estimate,
            "n": sum(count.n for pair in counts for count in pair),
            "harm": bool(high < 0),
        }

    def _detection(self, explained: bool) -> dict[str, Any]:
        signal, noise = (SIGNAL, explained), (NOISE, explained)
        hits, false_alarms = self._count(signal), self._count(noise)
        found = detect(hits, false_alarms)
        d_prime, criterion = found.d_prime, found.criterion
        if self._draws is not None:
            z_hit, z_false = self._z(signal), self._z(noise)
            d_prime = Interval(d_prime.estimate, *percentile_interval(z_hit - z_false, LEVEL))
            bias = -(z_hit + z_false) / 2
            criterion = Interval(criterion.estimate, *percentile_interval(bias, LEVEL))
        return {
            "explained": explained,
            "hit_rate": hits.rate,
            "n_signal": hits.n,
            "false_alarm_rate": false_alarms.rate,
            "n_noise": false_alarms.n,
            **named_row(d_prime, "d_prime"),
            **named_row(criterion, "criterion"),
        }

    def _has(self, *cells: _Cell) -> bool:
        return all(cell in self.cells for cell in cells)

    def _count(self, cell: _Cell) -> Count:
        return self.counts[self.cells.index(cell)] if self._has(cell) else Count(0, 0)

    def _drawn(self, cell: _Cell) -> Array:
        return self._draws[:, self.cells.index(cell)]

    def _z(self, cell: _Cell) -> Array:
        """Return replicates of the corrected z of a cell's rate."""
        n = self._count(cell).n
        return norm.ppf((self._drawn(cell) * n + 0.5) / (n + 1))

    def _share(self, cell: _Cell) -> Interval:
        count = self._count(cell)
        plain = wilson(count)
        if self._draws is None or count.rate in (0.0, 1.0):
            return plain
        return Interval(plain.estimate, *percentile_interval(self._drawn(cell), LEVEL))

    def _difference(self, one: _Cell, other: _Cell) -> Interval:
        """Return one rate minus another; at rates of 0 or 1 no narrower than MOVER's interval."""
        if not self._has(one, other):
            return UNKNOWN
        counts = [self._count(one), self._count(other)]
        plain = mover(counts, [1, -1])
        if self._draws is None:
            return plain
        low, high = percentile_interval(self._drawn(one) - self._drawn(other), LEVEL)
        if any(count.rate in (0.0, 1.0) for count in counts):
            low, high = min(low, plain.ci_low), max(high, plain.ci_high)
        return Interval(plain.estimate, low, high)


def _counts(accepted: Array, cell: Array, cells: int) -> list[Count]:
    return [
        Count(int(accepted[cell == number].sum()), int((cell == number).sum()))
        for number in range(cells)
    ]
