import sys
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace

import pytest

from experiments.rig.checks.clocks import answer_of, clock, time_service, time_zone

NOW = datetime(2027, 3, 1, tzinfo=UTC)


def wall(*, stepped=False, span_s=1e-6):
    return SimpleNamespace(measure=lambda: stepped, span_s=span_s)


@pytest.mark.parametrize(
    ("given", "now", "status"),
    [
        (wall(), NOW, "pass"),
        (wall(stepped=True), NOW, "warn"),
        (wall(span_s=0.002), NOW, "warn"),
        (wall(), datetime(1980, 1, 1, tzinfo=UTC), "fail"),
    ],
)
def test_the_time_of_day_must_be_sane_and_comparable(given, now, status):
    assert clock(given, now).status == status


@pytest.mark.parametrize(
    ("said", "status", "remedy"),
    [
        ("NTP=yes\nNTPSynchronized=yes\n", "pass", ""),
        ("NTP=yes\nNTPSynchronized=no\n", "warn", "network"),
        ("NTP=no\nNTPSynchronized=no\n", "warn", "timedatectl set-ntp true"),
        (None, "warn", "chrony"),
    ],
)
def test_a_time_service_on_linux(said, status, remedy):
    finding = time_service("linux", lambda command: said)
    assert finding.status == status
    assert remedy in finding.remedy


@pytest.mark.parametrize(
    ("system", "said", "status"),
    [
        ("win32", "Leap Indicator: 0", "pass"),
        ("win32", None, "warn"),
        ("darwin", "Network Time: On", "pass"),
        ("darwin", "Network Time: Off", "warn"),
        ("darwin", None, "warn"),
    ],
)
def test_a_time_service_elsewhere(system, said, status):
    assert time_service(system, lambda command: said).status == status


@pytest.mark.parametrize(
    ("variable", "status"),
    [
        ("", "pass"),
        ("UTC", "pass"),
        ("Nowhere/At_All", "warn"),
        (":/etc/localtime", "pass"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "pass"),
        ("CET-1CEST", "pass"),
    ],
)
def test_a_time_zone_that_is_none_is_told(variable, status):
    local = NOW.astimezone(timezone(timedelta(hours=1), "CET"))
    finding = time_zone(variable, local)
    assert finding.status == status
    if not variable:
        assert finding.found == "CET, UTC+0100"


def test_a_command_that_is_missing_fails_or_answers():
    assert answer_of(["no-such-command-anywhere"]) is None
    assert answer_of([sys.executable, "-c", "raise SystemExit(1)"]) is None
    assert answer_of([sys.executable, "-c", "print('here')"]) == "here\n"
