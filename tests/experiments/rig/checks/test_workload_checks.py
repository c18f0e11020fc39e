import subprocess
import sys
from types import SimpleNamespace

import pytest

from experiments.rig.checks import workload
from experiments.rig.checks.workload import (
    Processors,
    busiest_programs,
    load,
    memory,
    power,
    used_by_others,
)

GIB = 1024**3
SCHEME = "Power Scheme GUID: {}  (a name)\n"


@pytest.mark.parametrize(
    ("available", "swapped", "status"),
    [
        (4 * GIB, 0.1, "pass"),
        (1 * GIB, 0.1, "warn"),
        (4 * GIB, 0.8, "warn"),
        (GIB // 10, 0.1, "fail"),
    ],
)
def test_memory_must_suffice(available, swapped, status):
    assert memory(available, swapped).status == status


@pytest.mark.parametrize(("share", "status"), [(0.05, "pass"), (0.25, "warn"), (1.0, "warn")])
def test_a_busy_processor_is_told_with_names(share, status):
    finding = load(share, ("backup", "browser"))
    assert finding.status == status
    assert ("backup, browser" in finding.found) == (status == "warn")


@pytest.mark.parametrize(
    ("idle_s", "own_s", "used"),
    [
        (2.0, 0.0, 0.0),
        (1.0, 0.0, 0.5),
        (1.0, 0.6, 0.2),
        (1.0, 1.1, 0.0),
        (0.0, 0.0, 1.0),
    ],
)
def test_others_use_what_is_neither_idle_nor_ours(idle_s, own_s, used):
    """Of two processors, in one second; a tick too many is no use below 0."""
    before, after = Processors(10.0, 50.0, 3.0), Processors(11.0, 50.0 + idle_s, 3.0 + own_s)
    assert after.used_since(before, 2) == pytest.approx(used)


def test_the_processors_are_looked_at_for_a_quarter_of_a_second():
    since = Processors.now()
    assert 0 <= used_by_others(since) <= 1
    after = Processors.now()
    assert after.now_s - since.now_s >= workload.LOOK_S
    # What this program has worked for is its own.
    while (spun := Processors.now()).own_s < after.own_s + 0.1:
        pass
    assert spun.now_s - after.now_s >= 0.09


def test_the_busiest_program_is_found():
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        name = workload.psutil.Process(busy.pid).name()
        assert any(name in busiest_programs(0.2) for _ in range(10))
    finally:
        busy.kill()
        busy.wait()


@pytest.fixture
def governed(tmp_path):
    def make(*governors):
        for number, governor in enumerate(governors):
            folder = tmp_path / f"cpu{number}" / "cpufreq"
            folder.mkdir(parents=True)
            (folder / "scaling_governor").write_text(f"{governor}\n", encoding="ascii")
        return tmp_path

    return make


def test_a_governor_that_saves_power_is_told(governed):
    finding = power("linux", plugged=True, cpus=governed("performance", "powersave"))
    assert (finding.status, "powersave" in finding.found) == ("warn", True)
    assert "set performance" in finding.remedy


def test_a_processor_that_is_switched_off_tells_nothing(governed):
    cpus = governed("performance", "powersave")
    file = cpus / "cpu1" / "cpufreq" / "scaling_governor"
    file.unlink()
    file.mkdir()
    assert power("linux", plugged=True, cpus=cpus).status == "pass"


def test_the_performance_governor_and_none_pass(governed, tmp_path):
    assert power("linux", plugged=True, cpus=tmp_path).status == "pass"
    assert power("linux", plugged=True, cpus=governed("performance")).status == "pass"


@pytest.mark.parametrize("system", ["linux", "win32", "darwin"])
def test_a_battery_warns_everywhere(system):
    assert power(system, plugged=False, answer=lambda command: None).status == "warn"


@pytest.mark.parametrize(
    ("scheme", "status"),
    [
        ("a1841308-3541-4fab-bc81-f71556f20b4a", "warn"),
        ("381B4222-F694-41F0-9685-FF5BB260DF2E", "warn"),
        ("8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c", "pass"),
        ("12345678-e8bf-4a96-9a85-a6e23a8c635c", "pass"),
    ],
)
def test_a_power_scheme_of_windows(scheme, status):
    said = SCHEME.format(scheme)
    assert power("win32", plugged=True, answer=lambda command: said).status == status


@pytest.mark.parametrize(("value", "status"), [("1", "warn"), ("0", "pass")])
def test_the_low_power_mode_of_macos(value, status):
    said = f"Currently in use:\n sleep 1\n lowpowermode         {value}\n"
    assert power("darwin", plugged=True, answer=lambda command: said).status == status


def test_a_pc_without_a_battery_is_on_mains(monkeypatch):
    monkeypatch.setattr(workload.psutil, "sensors_battery", lambda: None, raising=False)
    assert power("darwin", answer=lambda command: None).status == "pass"
    unplugged = SimpleNamespace(power_plugged=False)
    monkeypatch.setattr(workload.psutil, "sensors_battery", lambda: unplugged, raising=False)
    assert power("darwin", answer=lambda command: None).status == "warn"
