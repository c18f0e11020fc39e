import pytest

from experiments.rig.checks.versions import (
    CONSTRAINTS,
    WATCHED,
    cuda_of,
    packages,
    pinned,
    python_version,
    torch_build,
)

PINS = {"psychopy": "2026.2.5", "numpy": "2.3.5"}


@pytest.mark.parametrize(
    ("running", "status"),
    [((3, 10), "fail"), ((3, 11), "pass"), ((3, 12), "pass"), ((3, 13), "fail")],
)
def test_python_must_be_one_that_the_suite_runs_on(running, status):
    assert python_version(running).status == status


@pytest.mark.parametrize(
    ("here", "status", "said"),
    [
        (PINS, "pass", "numpy 2.3.5"),
        (PINS | {"numpy": "2.4.0"}, "warn", "numpy 2.4.0 in place of 2.3.5"),
        ({"numpy": "2.4.0"}, "fail", "missing: psychopy"),
    ],
)
def test_packages_must_be_there_and_should_be_those_of_the_constraints(here, status, said):
    finding = packages(PINS, here.get)
    assert finding.status == status
    assert said in finding.found


def test_the_constraints_pin_every_watched_package_once_for_this_system():
    pins = pinned(CONSTRAINTS.read_text(encoding="utf-8"), WATCHED)
    assert set(pins) == set(WATCHED)


def test_a_pin_for_another_system_is_not_read():
    lines = "# pins\npyglet==1.4.11 ; sys_platform == 'nowhere'\npyglet==1.5.27\n"
    assert pinned(lines, ("pyglet",)) == {"pyglet": "1.5.27"}


@pytest.mark.parametrize(
    ("cuda", "card", "status"),
    [(None, False, "pass"), (None, True, "warn"), ("12.6", True, "pass"), ("12.6", False, "pass")],
)
def test_a_cpu_torch_beside_an_nvidia_card_is_told(cuda, card, status):
    assert torch_build(cuda, card).status == status


@pytest.mark.parametrize(
    ("line", "cuda"),
    [
        ("cuda: Optional[str] = None", None),
        ("cuda: Optional[str] = '12.6'", "12.6"),
        ("cuda = '13.0'", "13.0"),
        ("hip = None", None),
    ],
)
def test_torchs_build_is_read_from_its_version_file(line, cuda):
    assert cuda_of(f"__version__ = '2.13.0'\n{line}\ngit_version = 'x'\n") == cuda
