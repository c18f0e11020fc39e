"""Controls: what was accepted that should not be, and signal detection."""

from typing import Any

import numpy as np
from scipy.stats import norm

from analysis.report.estimates import limits_row, named_row
from analysis.statistics.bootstrap import Resampling, Units, cell_means, percentile_interval
from analysis.statistics.detection import detect
from analysis.statistics.proportions import LEVEL, Count, Interval, mover, wilson
from analysis.studies.accept_reject.trials import NOISES, SIGNALS, ScoredTrials
from stimuli.studies.accept_reject.tables import CONTROL_KINDS

Array = np.ndarray
_Cell = tuple[str, bool]


class Controls:
    """Raw acceptances (at any time) of every kind of control, by explained."""

    def __init__(self, judged: ScoredTrials, plan: Resampling) -> None:
        frame = judged.frame[(judged.frame["solver"] == "control") & ~judged.aside]
        self.cells: list[_Cell] = [
            (kind, explained)
            for explained in (False, True)
            for kind in CONTROL_KINDS
            if ((frame["control_kind"] == kind) & (frame["explained"] == explained)).any()
        ]
        accepts = (frame["decision"] == "accept").to_numpy(dtype=float)
        cell = np.full(len(frame), -1)
        for number, (kind, explained) in enumerate(self.cells):
            own = (frame["control_kind"] == kind) & (frame["explained"] == explained)
            cell[own.to_numpy()] = number
        self.counts = [
            Count(int(accepts[cell == k].sum()), int((cell == k).sum()))
            for k in range(len(self.cells))
        ]
        self._draws: Array | None = None
        if frame["participant"].nunique() > 1 and self.cells:
            units = Units.of(frame["participant"], frame["item"])
            self._draws = cell_means(accepts[:, None], cell, len(self.cells), units, plan)[:, :, 0]

    def kind_rows(self) -> list[dict[str, Any]]:
        """Return the share accepted of every kind, without and with explanations."""
        return [
            {
                "control_kind": kind,
                "meaning": CONTROL_KINDS[kind],
                "explained": explained,
                **limits_row(self._share([number]), "rate"),
                "n": self.counts[number].n,
            }
            for number, (kind, explained) in enumerate(self.cells)
        ]

    def detection_rows(self) -> list[dict[str, Any]]:
        """Return d' and criterion: right digits against wrong ones, pooled and by kind."""
        rows = []
        for explained in (False, True):
            signals = self._places(SIGNALS, explained)
            kinds = [kind for kind in NOISES if self._places((kind,), explained)]
            for label, noises in [("all wrong digits", NOISES), *((k, (k,)) for k in kinds)]:
                if label != "all wrong digits" and len(kinds) < 2:
                    continue
                rows.append(
                    self._detection(explained, label, signals, self._places(noises, explained))
                )
        return [row for row in rows if row is not None]

    def wrong_digits(self, margin: float) -> dict[str, Any]:
        """Return how much more often wrong digits are accepted with explanations.

        Parameters
        ----------
        margin
            A rise up to this much is ignored: a lead who sees more in the same time decides more
            often, and so errs a little more often too.

        Returns
        -------
        dict
            ``harm`` is True where the rise is above the margin and its interval above zero: then
            leads accept wrong digits because of the explanation. d' doesn't show this where they
            accept more right digits as well.
        """
        without, with_ = self._places(NOISES, False), self._places(NOISES, True)
        counts = [self._pooled(with_), self._pooled(without)]
        plain = mover(counts, [1, -1])
        low, high = plain.ci_low, plain.ci_high
        if self._draws is not None and plain.known:
            difference = self._pooled_draws(with_) - self._pooled_draws(without)
            low, high = percentile_interval(difference, LEVEL)
            if any(count.rate in (0.0, 1.0) for count in counts):
                low, high = min(low, plain.ci_low), max(high, plain.ci_high)
        return {
            "difference": plain.estimate,
            "ci_low": low,
            "ci_high": high,
            "rate_without": counts[1].rate,
            "rate_with": counts[0].rate,
            "n": counts[0].n + counts[1].n,
            "harm": bool(plain.known and plain.estimate > margin and low > 0),
        }

    def sensitivity_change(self) -> dict[str, Any]:
        """Return d' with explanations less d' without, right digits against all wrong ones.

        ``harm`` is True where the interval lies below zero: then leads tell right from
        wrong digits less well with explanations, whatever they accept.
        """
        places = [
            (self._places(SIGNALS, explained), self._places(NOISES, explained))
            for explained in (False, True)
        ]
        if not all(signals and noises for signals, noises in places):
            unknown = ("difference", "ci_low", "ci_high", "d_prime_without", "d_prime_with")
            return {**dict.fromkeys(unknown), "harm": False}
        parts = [
            detect(self._pooled(signals), self._pooled(noises)).d_prime
            for signals, noises in places
        ]
        difference = parts[1].estimate - parts[0].estimate
        reach = np.hypot(*(part.ci_high - part.estimate for part in parts))
        low, high = difference - reach, difference + reach
        if self._draws is not None:
            without, with_ = (self._d_prime_draws(*pair) for pair in places)
            low, high = percentile_interval(with_ - without, LEVEL)
        return {
            "difference": difference,
            "ci_low": low,
            "ci_high": high,
            "d_prime_without": parts[0].estimate,
            "d_prime_with": parts[1].estimate,
            "harm": bool(high < 0),
        }

    def _d_prime_draws(self, signals: list[int], noises: list[int]) -> Array:
        hits, false_alarms = self._pooled(signals), self._pooled(noises)
        return _corrected_z(self._pooled_draws(signals), hits.n) - _corrected_z(
            self._pooled_draws(noises), false_alarms.n
        )

    def _detection(
        self, explained: bool, label: str, signals: list[int], noises: list[int]
    ) -> dict[str, Any] | None:
        if not signals or not noises:
            return None
        hits, false_alarms = self._pooled(signals), self._pooled(noises)
        found = detect(hits, false_alarms)
        d_prime, criterion = found.d_prime, found.criterion
        if self._draws is not None:
            z_hit = _corrected_z(self._pooled_draws(signals), hits.n)
            z_false = _corrected_z(self._pooled_draws(noises), false_alarms.n)
            d_prime = Interval(d_prime.estimate, *percentile_interval(z_hit - z_false, LEVEL))
            bias = -(z_hit + z_false) / 2
            criterion = Interval(criterion.estimate, *percentile_interval(bias, LEVEL))
        return {
            "explained": explained,
            "noise": label,
            "hit_rate": hits.rate,
            "n_signal": hits.n,
            "false_alarm_rate": false_alarms.rate,
            "n_noise": false_alarms.n,
            **named_row(d_prime, "d_prime"),
            **named_row(criterion, "criterion"),
        }

    def _places(self, kinds: tuple[str, ...], explained: bool) -> list[int]:
        return [
            n for n, (kind, with_) in enumerate(self.cells) if kind in kinds and with_ == explained
        ]

    def _pooled(self, places: list[int]) -> Count:
        own = [self.counts[place] for place in places]
        return Count(sum(c.successes for c in own), sum(c.n for c in own))

    def _pooled_draws(self, places: list[int]) -> Array:
        sizes = np.array([self.counts[place].n for place in places], dtype=float)
        drawn = self._draws[:, places]
        weights = np.where(np.isnan(drawn), 0, sizes)
        with np.errstate(invalid="ignore"):
            return np.nansum(drawn * weights, axis=1) / weights.sum(axis=1)

    def _share(self, places: list[int]) -> Interval:
        count = self._pooled(places)
        plain = wilson(count)
        if self._draws is None or count.rate in (0.0, 1.0):
            return plain
        return Interval(plain.estimate, *percentile_interval(self._pooled_draws(places), LEVEL))


def _corrected_z(rate: Array, n: int) -> Array:
    return norm.ppf((rate * n + 0.5) / (n + 1))
