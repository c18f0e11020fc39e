"""A robot's session in a real window: paused, ended by chord, killed, and brought to its end."""

import json
import os
import select
import signal
import sys
import threading
from collections import Counter
from contextlib import contextmanager

import psutil
import pytest

from experiments.engine.virtual_display import virtual_display
from participants.dataset.table_files import read_table
from participants.journal import read_journal
from participants.texts import load_words, named_sources
from tests.experiments.windows.hand import confirm_until_ended, experimenters_hand, press_chord
from tests.experiments.windows.lab import REFRESH_HZ
from tests.experiments.windows.replayed import (
    assert_films_the_onsets,
    assert_has_the_screens,
    assert_shows_the_session,
    replay,
)
from tests.experiments.windows.session_lab import PATIENCE_S, SMALL, Lab
from tests.experiments.windows.stamps import assert_stamped_as_made

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]

FIRST_PX = (864, 486)
"""The window of a session's first part; of the later parts it is another."""


@contextmanager
def recording_port():
    """A serial port (a pseudo-terminal) and what comes out at its other end."""
    import tty

    ours, theirs = os.openpty()
    tty.setraw(ours)
    heard, ended = bytearray(), threading.Event()

    def listen():
        # Once more after the end: what was written last is handed on by and by.
        while (ready := select.select([ours], [], [], 0.3)[0]) or not ended.is_set():
            if ready:
                heard.extend(os.read(ours, 4096))

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        yield os.ttyname(theirs), heard
    finally:
        ended.set()
        listener.join()
        os.close(ours)
        os.close(theirs)


def names_of_focus():
    """Return what a window manager and a task bar read of the window that has the focus."""
    from Xlib import display

    screen = display.Display()
    window = screen.get_input_focus().focus
    net = window.get_full_property(screen.intern_atom("_NET_WM_NAME"), 0)
    names = [window.get_wm_name(), window.get_wm_icon_name(), *(window.get_wm_class() or ())]
    names.append(None if net is None else net.value)
    screen.close()
    return [name.decode("utf-8") if isinstance(name, bytes) else name for name in names if name]


@pytest.fixture(scope="module")
def lab(tmp_path_factory, mini_pack):
    """One session: paused and ended by chords, begun again, killed, begun again, complete."""
    lab = Lab(tmp_path_factory.mktemp("lab"), mini_pack)
    with virtual_display(FIRST_PX) as shown:
        lab.environment["DISPLAY"] = shown.name
        process = lab.start("--robot", "lazy", "--display", "existing", "--marker")
        lab.wait_for("trial_end", 1, process)
        code = read_journal(lab.journal_path).header["participant"]
        lab.window_names = names_of_focus()
        # Else on a busy machine the second might look when the first is over already.
        process.send_signal(signal.SIGSTOP)
        lab.at_once = lab.start("--robot", "lazy", "--participant", code)
        lab.at_once_said = lab.at_once.communicate(timeout=PATIENCE_S)[1].strip()
        process.send_signal(signal.SIGCONT)
        with experimenters_hand() as injector:
            press_chord(injector, "p")
            lab.wait_for("continue", 1, process)
            press_chord(injector, "x")
            confirm_until_ended(injector, process)
        lab.aborted = lab.finish(process)
    del lab.environment["DISPLAY"]
    again = ("--robot", "lazy", "--participant", lab.aborted["participant"], *SMALL)
    process = lab.start(*again)
    lab.before_kill = lab.events()["trial_end"]
    lab.wait_for("trial_end", lab.before_kill + 2, process)
    lab.children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGSEGV)
    process.communicate()
    lab.at_kill = lab.events()
    lab.gone = psutil.wait_procs(lab.children, timeout=10)
    with recording_port() as (port, lab.heard):
        more = ("--screenshots", lab.folder / "screens", "--trigger", f"serial:{port}")
        last = lab.start(*again, *more)
        out, lab.last_said = last.communicate(timeout=PATIENCE_S)
        assert last.returncode == 0, lab.last_said[-3000:]
        lab.done = json.loads(out)
    return lab


@pytest.fixture(scope="module")
def journal(lab):
    return read_journal(lab.journal_path)


def test_the_window_bears_a_name_that_tells_nothing(lab):
    assert load_words("accept_reject", "en")["title"] in lab.window_names
    found = [
        named_sources(name, language) for name in lab.window_names for language in ("en", "de")
    ]
    assert found == [[]] * len(found)


def test_an_ended_session_is_unfinished_and_nothing_of_it_is_lost(lab, journal):
    assert not lab.aborted["complete"]
    assert [event["reason"] for event in journal.of("abort")] == ["confirmed by key"]
    assert [end["complete"] for end in journal.of("session_end")] == [False, True]


def test_a_second_session_at_once_is_refused_and_does_not_disturb_the_first(lab, journal):
    assert lab.at_once.returncode == 2
    assert "running already" in lab.at_once_said
    assert "\n" not in lab.at_once_said
    assert len(journal.of("session")) == 3


def test_a_pause_is_recorded_from_chord_to_key(journal):
    pause, resume = journal.of("pause", "continue")
    assert (pause.event, resume.event) == ("pause", "continue")
    assert resume.t_monotonic_s > pause.t_monotonic_s


def test_a_killed_session_takes_its_display_and_its_hand_with_it(lab):
    gone, left = lab.gone
    assert lab.children
    assert not left
    assert len(gone) == len(lab.children)


def test_the_next_run_names_the_session_that_a_signal_ended_and_its_last_event(lab):
    assert f"session {lab.done['session']} ended by a signal (Segmentation fault)" in lab.last_said
    assert "last event: " in lab.last_said


def test_a_killed_session_goes_on_without_losing_a_finished_trial(lab, journal):
    assert lab.at_kill["session_end"] == 1
    assert lab.done["complete"]
    assert lab.done["resumed"]
    assert [begun["resumed"] for begun in journal.of("session")] == [False, True, True]
    ended = [end["trial"] for end in journal.of("trial_end")]
    assert ended == list(range(1, 16))


def test_the_trial_table_holds_every_main_trial_once(lab):
    rows = read_table(lab.data, "accept_reject", "trials")
    assert len(rows) == 12
    assert {row["robot"] for row in rows} == {"lazy"}
    assert {row["purpose"] for row in rows} == {"robot"}
    assert Counter(row["run"] for row in rows) == {1: 6, 2: 6}


def test_every_trial_has_its_flips_and_its_press_on_one_clock(journal):
    answered = [end for end in journal.of("trial_end") if end["decision"] != "none"]
    # While the chords' Ctrl and Shift are down, the robot's own key is no answer.
    assert len(answered) >= len(journal.of("trial_end")) - 2
    for end in answered:
        own = [
            event
            for event in journal.of("trial_start", "flip", "response", "trial_end")
            if event["trial"] == end["trial"]
        ]
        on, press, off = own[-4:-1]
        assert [event.event for event in own[-5:]] == [
            "trial_start",
            "flip",
            "response",
            "flip",
            "trial_end",
        ]
        assert (on["what"], off["what"]) == ("plate_on", "plate_off")
        assert on.t_monotonic_s < press.t_monotonic_s < off.t_monotonic_s
        assert end["rt_s"] == pytest.approx(press.t_monotonic_s - on.t_monotonic_s, abs=1e-5)
        assert end["frames_planned"] is None
        assert off["frame"] == end["frames_shown"] > 0


def test_the_header_says_how_frames_and_keys_were_come_by(journal):
    for begun in journal.of("session"):
        assert begun["pacing"] == "software"
        assert begun["keyboard_backend"] == "ptb"
        assert begun["display"]["injection"] == "xtest"
        assert begun["refresh_hz"] == pytest.approx(REFRESH_HZ)
    first, second, _ = journal.of("session")
    assert (first["display"]["width_px"], first["display"]["height_px"]) == FIRST_PX
    assert (first["display"]["marker"], second["display"]["marker"]) == (True, False)


def test_screens_are_saved_once_each(lab):
    names = [path.stem[4:] for path in sorted((lab.folder / "screens").glob("*.png"))]
    assert len(names) == len(set(names))
    assert {"welcome_back", "trial-with", "between_runs", "debrief", "end"} <= set(names)


def test_a_finished_study_cannot_be_begun_again(lab):
    process = lab.start("--robot", "lazy", "--participant", lab.done["participant"])
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 2
    assert err.strip().count("\n") == 0
    assert "finished" in err


def test_clocks_are_compared_at_start_blocks_and_end_of_every_part(lab):
    """The part that was killed has no end."""
    journal = read_journal(lab.journal_path)
    parts, ended = [], []
    for event in journal.of("session", "clock", "session_end"):
        if event.event == "session":
            parts.append([])
        elif event.event == "clock":
            assert abs(event["stimulus_step_s"]) < 0.001
            assert not event["stepped"]
            assert event["stimulus_clock"] == "psychtoolbox.GetSecs"
            parts[-1].append(event["at"])
        else:
            ended.append(len(parts))
    assert all(part[0] == "start" for part in parts)
    assert "block" in parts[-1]
    assert [number for number, part in enumerate(parts, 1) if part[-1] == "end"] == ended


def test_every_trigger_that_the_journal_names_came_out_of_the_port_in_that_order(lab, journal):
    triggers = journal.of("trigger")
    assert [code for code in lab.heard if code] == [trigger["code"] for trigger in triggers]
    assert lab.heard[-1] == 0, "the line is left at rest"
    assert all(trigger["sent"] for trigger in triggers)
    counts = Counter(trigger["what"] for trigger in triggers)
    last = journal.of("session")[-1].seq
    flips = [flip["what"] for flip in journal.of("flip") if flip.seq > last]
    answers = [answer for answer in journal.of("response") if answer.seq > last]
    assert counts["onset"] == flips.count("plate_on")
    assert counts["offset"] == flips.count("plate_off")
    assert counts["response"] == len(answers)
    assert counts["block"] == 2


def test_a_trigger_is_written_right_after_its_flip(journal):
    """Its own stamp says when; the flip stands beside it in the same trial."""
    flips = {
        (flip["trial"], {"plate_on": "onset", "plate_off": "offset"}[flip["what"]]): flip
        for flip in journal.of("flip")
    }
    triggers = journal.of("trigger")
    after_s = [
        trigger.t_monotonic_s - flip.t_monotonic_s
        for trigger in triggers
        if (flip := flips.get((trigger["trial"], trigger["what"])))
    ]
    assert min(after_s) >= 0
    assert_stamped_as_made(after_s)
    assert_stamped_as_made([trigger["took_s"] for trigger in triggers])


def test_each_part_of_a_session_begins_with_what_was_checked(journal):
    kinds = [event.event for event in journal.events]
    parts = [place for place, kind in enumerate(kinds) if kind == "session"]
    for place in parts:
        assert kinds[place + 1 : place + 3] == ["checks", "checklist"]
        found = {finding["check"] for finding in journal.events[place + 1]["findings"]}
        assert {"python", "disk", "calibration", "keyboard", "refresh", "scaling"} <= found
        assert journal.events[place + 1]["overridden"] == []
        assert journal.events[place + 2]["source"] == "skipped"


@pytest.fixture(scope="module")
def shown(lab, tmp_path_factory):
    return replay(lab, tmp_path_factory.mktemp("replay") / "reel")[0]


def test_a_replay_shows_each_onset_on_its_frame_through_pause_end_and_kill(shown, journal):
    assert_shows_the_session(shown, journal)


def test_a_replay_has_the_pictures_that_the_card_gave_back(lab, shown):
    assert_has_the_screens(shown, lab.folder / "screens")


def test_a_film_shows_each_stimulus_for_its_frames(shown, journal, tmp_path):
    assert_films_the_onsets(shown, journal, tmp_path / "film.webm", least=1)
