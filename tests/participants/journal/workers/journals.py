"""Events to write a journal with, for tests and their worker processes."""

HEADER = {
    "session": "20260101T000000Z-K7RTMXF-abcd",
    "participant": "K7RTMXF",
    "role": "lead",
    "study": "accept_reject",
    "purpose": "test",
    "pack_id": "sketch-0123456789abcdef0123456789abcdef",
    "protocol_hash": "0" * 64,
    "list": "l1",
    "order": "without_first",
    "language": "de",
    "rig": "rig-1",
    "robot": "",
    "refresh_hz": 60.0,
    "pacing": "software",
    "keyboard_backend": "ptb",
    "clock": "clock_gettime(CLOCK_MONOTONIC)",
    "clock_resolution_s": 1e-09,
    "display": {"profile_hash": "", "calibrated": False, "size_px": [1280, 720]},
    "versions": {"plainsight": "0.1.0"},
    "accept_key": "f",
    "reject_key": "j",
    "time_zone": "UTC",
}

TRIAL_START = {
    "phase": "main",
    "run": 1,
    "axis": "deutan",
    "rung": 3,
    "plate_sha256": "",
}

TRIAL_END = {
    "phase": "main",
    "run": 1,
    "decision": "accept",
    "rt_s": 1.25,
    "rt_corrected_s": 1.2,
    "in_time": True,
    "accepted": True,
    "onset_t_monotonic_s": 100.5,
    "frames_planned": None,
    "frames_shown": 75,
    "frames_dropped": 0,
    "longest_interval_s": 0.0167,
    "flagged": False,
}


def write_trial(writer, trial, repeat_of=None):
    """Write a trial's events; the last of them is durable."""
    shown = {"trial": trial, "position": trial, "presentation": f"p{repeat_of or trial}"}
    shown |= {"repeat_of": repeat_of}
    writer.append("trial_start", **shown, **TRIAL_START)
    writer.append("flip", what="plate_on", trial=trial, frame=0)
    writer.append("response", trial=trial, device="keyboard", key="f")
    writer.append("flip", what="plate_off", trial=trial, frame=75)
    writer.append("trial_end", durable=True, **shown, **TRIAL_END)
