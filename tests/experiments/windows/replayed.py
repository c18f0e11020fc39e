"""A replay of a session that ran in a real window, held against its journal and its screens."""

import cv2
import numpy as np
from PIL import Image

from experiments.engine.stage import SIDE_PX
from experiments.replay.reel import write_film
from experiments.replay.session import replayed
from participants.folder import LabFolder
from participants.journal import read_journal
from stimuli.pack import open_pack

NEAR_MS = 1.01
"""Times in a film are whole milliseconds; two of them differ by a rounded one more."""


def replay(lab, folder, pack=None):
    """Show a lab's only session again; return the replay and the journal."""
    folder.mkdir()
    journal, place = read_journal(lab.journal_path), LabFolder.open(lab.folder)
    return replayed(journal, open_pack(pack or lab.pack), lab.data, place, folder), journal


def assert_shows_the_session(shown, journal, unknown="nothing"):
    """Assert that each flip of the journal came again, on its frame.

    What a journal doesn't say, such as the way of a hand over lost frames, may differ.
    """
    assert [one for one in shown.differences if unknown not in one] == []
    assert shown.flips == len(journal.of("flip"))
    assert sorted(shown.trials) == sorted({start["trial"] for start in journal.of("trial_start")})


def assert_paints_the_same(shown):
    """Assert that what was painted came again: each picture has grown from the one before."""
    assert len(shown.reel.shots) > 5 * len(shown.trials)


def assert_has_the_screens(shown, screens, unseen=()):
    """Assert that the pictures which the card gave back are pictures of the replay.

    Some are kept though nobody saw them, such as a first page after one has turned back to it.
    """
    again = {_pixels(shot.file) for shot in shown.reel.shots}
    kept = {path.stem[4:]: path for path in sorted(screens.glob("*.png"))}
    lacking = {name for name, path in kept.items() if _pixels(path) not in again}
    assert lacking == set(unseen), lacking


def _pixels(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB")).tobytes()


def white_patches(film):
    """Return from when to when a film's photodiode patch is white, in seconds, frame by frame."""
    frames, spans, white = cv2.VideoCapture(str(film)), [], False
    while frames.grab():
        _, frame = frames.retrieve()
        t_s = frames.get(cv2.CAP_PROP_POS_MSEC) / 1000
        lit = frame[8 : SIDE_PX - 8, 8 : SIDE_PX - 8].mean() > 127
        if lit != white:
            spans.append(t_s)
        white = lit
    return list(zip(spans[::2], spans[1::2], strict=True))


def assert_films_the_onsets(shown, journal, film, least):
    """Assert that the patch is white for as long, and as long after each other, as recorded.

    It is taken from the film's pixels alone; the journal is read line by line.
    """
    write_film(list(shown.reel.moments(shown.ends_s)), film)
    refresh_hz = journal.header["refresh_hz"]
    told, onset = [], journal.header
    for event in journal.events:
        if event.event == "session" and event.seq > 1:
            break
        if event.event == "flip" and not event["frame"]:
            onset = event
        elif event.event == "flip":
            told.append((onset.t_monotonic_s, event["frame"] / refresh_hz))
    seen = white_patches(film)[: len(told)]
    assert len(seen) == len(told) >= least
    for (on_s, off_s), (told_s, stays_s) in zip(seen, told, strict=True):
        since_s = on_s - seen[0][0]
        assert abs(since_s - (told_s - told[0][0])) * 1000 <= NEAR_MS
        assert abs(off_s - on_s - stays_s) * 1000 <= NEAR_MS, (off_s - on_s, stays_s)
