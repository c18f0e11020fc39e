"""Four trials of two sessions, and what journals tell of sessions."""

import pandas as pd

from analysis.data.sessions import SessionFacts, Sessions


def trials(**changes):
    """Return the trials of two people on two rigs, with some columns changed."""
    columns = {
        "participant": ["a", "a", "b", "b"],
        "session": ["s1", "s1", "s2", "s2"],
        "trial": [1, 2, 1, 2],
        "rig": ["r1", "r1", "r2", "r2"],
        "rt_s": [1.0, 2.0, 3.0, None],
        "frames_dropped": [0, 3, 0, 0],
        "pack_id": "p",
        "protocol_hash": "h",
        "purpose": "main",
        "robot": None,
    }
    return pd.DataFrame(columns | changes)


def facts(session, **changes):
    """Return what a sound session's journal tells, with some of it changed."""
    known = {
        "participant": "a", "purpose": "main", "rig": "r1", "robot": "", "refresh_hz": 60.0,
        "pacing": "vsync", "keyboard_backend": "ptb", "priority": "realtime",
        "calibrated": True, "complete": True,
        "resumed": False, "torn": False, "withdrawn": False, "clock_steps": 0, "trials": 2,
        "largest_step_s": 0.0, "longest_interval_s": 0.034, "flagged": 0,
    }  # fmt: skip
    return SessionFacts(session, **known | changes)


def journals(*found):
    """Return these sessions as a data folder has them."""
    return Sessions(found, (), ())
