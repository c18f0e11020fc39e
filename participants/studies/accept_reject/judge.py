"""The rule by which a lead's decision is judged."""

import math

from participants.session import Decision, Outcome, Trial
from stimuli.studies.accept_reject_accuracy.protocol import Rules


def judge(
    protocol: Rules, trial: Trial, decision: Decision, rt_s: float | None, lag_s: float
) -> Outcome:
    """Return a decision's outcome under the protocol's cutoff.

    In time is ``rt_s <= cutoff_s`` on the raw stamps. Under the internal cutoff an
    acceptance that took longer counts as a rejection (Saralajew et al. 2022, section
    2.4); under the visible one the exposure bounds what could be seen, and an acceptance
    counts whenever it is given. The rig's lag changes neither: the corrected time stands
    beside the raw one.

    Parameters
    ----------
    protocol
        Holds the cutoff and its mode.
    trial
        The trial that was judged; its limit bounds ``rt_s``.
    decision, rt_s
        The lead's decision, and press minus onset in seconds (None without an answer).
    lag_s
        The rig's constant lag in seconds.

    Raises
    ------
    ValueError
        If there is a decision without a time, a time without a decision, or a time
        that is no finite number.
    """
    if (decision == "none") != (rt_s is None):
        raise ValueError(f"trial {trial.trial}: decision {decision!r} with rt_s {rt_s!r}")
    if rt_s is None:
        return Outcome(in_time=False, accepted=False, rt_corrected_s=None)
    if not math.isfinite(rt_s):
        raise ValueError(f"trial {trial.trial}: rt_s is {rt_s!r}")
    in_time = rt_s <= protocol.trial.cutoff_s
    counts = in_time or protocol.trial.cutoff_mode == "visible"
    return Outcome(in_time, counts and decision == "accept", rt_s - lag_s)
