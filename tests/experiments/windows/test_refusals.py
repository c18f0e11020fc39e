"""Real sessions whose disk is full, whose registry's server goes away, whose PC is taken over."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, contextmanager

import pytest
from sqlalchemy import select, update

from experiments.engine.virtual_display import virtual_display
from participants.dataset.table_files import read_table
from participants.journal import read_journal
from participants.registry import Registry, tables
from participants.watching.following import Followed, running_sessions
from participants.watching.progress import line, load_watch_words, utc_now
from tests.experiments.windows.hand import experimenters_hand, press_chord
from tests.experiments.windows.session_lab import PATIENCE_S, SMALL_PX, Lab
from tests.participants.registry.conftest import server  # noqa: F401, a fixture

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]

ROBOT = ("--robot", "lazy", "--display", "existing", "--override", "the disk is small")
DISK = "size=3m"


@contextmanager
def small_disk(place):
    """Mount a disk of some megabytes at a folder."""
    place.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", DISK, "tmpfs", str(place)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be mounted by root alone")
    try:
        yield place / "filler"
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(filler):
    """Write until nothing more fits on the disk."""
    with filler.open("wb", buffering=0) as stream:
        try:
            while stream.write(b"x" * 4096):
                pass
        except OSError:
            return


def wait_for_file(path, process):
    until_s = time.monotonic() + PATIENCE_S
    while not path.exists():
        if process.poll() is not None or time.monotonic() > until_s:
            pytest.fail(f"no {path.name}: {process.communicate()[1][-3000:]}")
        time.sleep(0.05)


def times_shown(lab):
    """Return how often what was shown stands in the table, as the set of these numbers."""
    rows = read_table(lab.data, "accept_reject", "trials")
    return set(Counter(row["presentation"] for row in rows).values())


def ends(lab):
    return [end["trial"] for end in read_journal(lab.journal_path).of("trial_end")]


@pytest.fixture
def lab(tmp_path, mini_pack):
    """Return a lab with a display and a hand at it."""
    (tmp_path / "lab").mkdir()
    lab = Lab(tmp_path / "lab", mini_pack)
    with virtual_display(SMALL_PX) as shown:
        lab.environment["DISPLAY"] = shown.name
        yield lab


def run_to_full_disk(lab, filler, *arguments):
    """Run a session whose disk is full after its second trial; return when its screen says so."""
    process = lab.start(*ROBOT, "--screenshots", lab.folder / "screens", *arguments)
    lab.wait_for("trial_end", 2, process)
    fill(filler)
    wait_for_screen(lab, process, "unsaved-full")
    return process


def wait_for_screen(lab, process, name):
    """Return some time after a screen was saved, which is before it is shown."""
    until_s = time.monotonic() + PATIENCE_S
    while not any((lab.folder / "screens").glob(f"*-{name}.png")):
        if process.poll() is not None or time.monotonic() > until_s:
            pytest.fail(process.communicate()[1][-3000:])
        time.sleep(0.05)
    time.sleep(0.5)


def watched(lab):
    """Return what the view of the session says."""
    (paths,) = running_sessions(lab.data)
    return line(Followed(lab.data, paths).progress(), load_watch_words("en"), utc_now())


def press(injector, key):
    from experiments.robot_input.input_events import Stroke

    injector.press(Stroke(key, time.perf_counter() + 0.05))
    time.sleep(0.5)


def test_a_full_disk_is_one_screen_and_the_session_goes_on_when_there_is_room(lab):
    with small_disk(lab.folder / "data") as filler:
        process = run_to_full_disk(lab, filler)
        assert watched(lab).endswith("; the disk is full: answers wait in memory; free space now")
        with experimenters_hand() as injector:
            press(injector, "return")
            wait_for_screen(lab, process, "unsaved-full-again")
            assert not read_journal(lab.journal_path).of("pause")
            filler.unlink()
            assert re.search(r"; (frames fine|frames lost in \d+ trials?)$", watched(lab))
            while process.poll() is None and not lab.events()["pause"]:
                press(injector, "return")
        ran = lab.finish(process)
        journal = read_journal(lab.journal_path)
        assert ran["complete"]
        assert [pause["reason"] for pause in journal.of("pause")] == ["disk refused"]
        assert ends(lab) == list(range(1, len(ends(lab)) + 1))
        assert times_shown(lab) == {1}


@pytest.mark.slow
def test_a_session_that_was_ended_there_goes_on_later_and_has_each_trial_once(lab):
    with small_disk(lab.folder / "data") as filler:
        process = run_to_full_disk(lab, filler, "--language", "de")
        before = ends(lab)
        with experimenters_hand() as injector:
            press_chord(injector, "x")
        said = process.communicate(timeout=PATIENCE_S)[1]
        assert process.returncode == 2
        assert "No space left on device" in said
        assert "Traceback" not in said
        assert ends(lab) == before
        filler.unlink()
        code = read_journal(lab.journal_path).header["participant"]
        ran = lab.finish(lab.start(*ROBOT, "--participant", code))
        assert ran["complete"]
        assert ran["resumed"]
        assert ends(lab)[: len(before)] == before
        assert times_shown(lab) == {1}


# Two PCs, one server


def use_registry(lab, url, rig):
    settings = lab.folder / "lab.toml"
    lines = settings.read_text(encoding="utf-8").splitlines()
    changed = {"registry": f'registry = "{url}"', "rig": f'rig = "{rig}"'}
    lines = [changed.get(line.partition(" = ")[0], line) for line in lines]
    settings.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def pcs(lab, tmp_path, mini_pack, server):  # noqa: F811
    """Return two labs with a registry on one server, and its URL."""
    (tmp_path / "second").mkdir()
    second = Lab(tmp_path / "second", mini_pack)
    second.environment["DISPLAY"] = lab.environment["DISPLAY"]
    url = server.database()
    use_registry(lab, url, "rig-1")
    use_registry(second, url, "rig-2")
    return lab, second, url


def test_a_lost_server_is_said_and_survived(pcs, server):  # noqa: F811
    lab, _, url = pcs
    process = lab.start(*ROBOT)
    lab.wait_for("trial_end", 2, process)
    server.stop()
    try:
        _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err[-3000:]
        assert "The registry missed something of session" in err
        assert read_journal(lab.journal_path).complete
    finally:
        server.start()
    with closing(Registry.open(url)) as registry:
        (person,) = registry.list()
        assert person.complete == 0
        listed = subprocess.run(
            [sys.executable, "-c", LIST], env=lab.environment, capture_output=True, check=True
        )
        assert listed.stderr == b""
        (person,) = registry.list()
        assert person.complete == 1


LIST = (
    "import sys; from participants.cli import main; sys.exit(main(['participants', 'list', "
    "'--json']))"
)


@pytest.mark.slow
def test_a_code_runs_on_one_pc_and_is_taken_over_with_its_journal(pcs):
    first, second, url = pcs
    process = first.start(*ROBOT)
    first.wait_for("trial_end", 2, process)
    code = read_journal(first.journal_path).header["participant"]
    here = ("--robot", "lazy", "--participant", code)
    process.send_signal(signal.SIGSTOP)
    assert "is in a session on rig rig-1 at this moment" in refused(second, here)
    process.send_signal(signal.SIGCONT)
    process.kill()
    process.communicate()
    take_over = (*here, "--take-over", "rig-1 has no power")
    assert "at this moment" in refused(second, take_over)
    with closing(Registry.open(url)) as registry:
        past = update(tables.sessions).values(lease_until_utc="2026-01-01T00:00:00.000000Z")
        registry.transact(lambda connection: connection.execute(past))
        assert "has an unfinished session on rig rig-1" in refused(second, here)
        assert "2 of 2 trials" in refused(second, take_over)
        folder = first.journal_path.parent
        shutil.copytree(folder, second.data.session(folder.name).folder)
        assert "copy pack" in refused(second, take_over)
        shutil.copytree(first.data.packs, second.data.packs)
        ran = second.finish(second.start(*take_over))
        (row,) = registry.transact(lambda found: found.execute(select(tables.takeovers)).all())
    assert (ran["complete"], ran["resumed"]) == (True, True)
    assert (row.from_rig, row.to_rig, row.reason) == ("rig-1", "rig-2", "rig-1 has no power")
    journal = read_journal(second.journal_path)
    assert [part["rig"] for part in journal.of("session")] == ["rig-1", "rig-2"]
    found = journal.of("checks")[-1]["findings"]
    assert {
        "check": "take-over",
        "status": "warn",
        "found": f"from rig rig-1: {row.reason}",
    } in found
    assert times_shown(second) == {1}
    assert "has finished study" in refused(first, here)


def refused(lab, arguments):
    """Return what is said of a session that may not begin."""
    process = lab.start(*arguments)
    said = process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode == 2, said
    return said
