"""Three days of a lab of twenty people, two PCs and one registry, by real events in its windows.

Only the session itself is simulated, since a window takes minutes of each. The numbers of Today are
then held against the journals, read line by line.
"""

import json
import shutil
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from PyQt6.QtCore import QDateTime, Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel

from experiments.launch import starting
from experiments.launch.starting import Said
from participants.folder import LabFolder
from participants.lab_settings import ConsentBlanks
from participants.registry import Assignment, NewSession, Registry
from participants.registry import registry as registry_module
from participants.simulate.presenters import VirtualClock
from participants.simulate.run import Guest, journal_header, take_part
from participants.study import session_kind_of
from stimuli.pack import open_pack

pytestmark = pytest.mark.slow

RIGS, PEOPLE, A_DAY, DAYS = ("pc-1", "pc-2"), 20, 8, 3
NO_SHOWS = frozenset({3, 11})
"""Numbers of the people who are booked and don't come."""
FIRST = datetime(2126, 1, 7, 8, tzinfo=UTC)


class Clock:
    """The time of day, for the registry and for journals."""

    now_utc = FIRST

    @classmethod
    def now(cls, zone):
        return cls.now_utc.astimezone(zone)

    fromisoformat = datetime.fromisoformat


@pytest.fixture
def labs(tmp_path, mini_pack, monkeypatch):
    """Two PCs with one registry."""
    monkeypatch.setattr(registry_module, "datetime", Clock)
    monkeypatch.setattr(Clock, "now_utc", FIRST)
    made = []
    for rig in RIGS:
        root = tmp_path / rig
        LabFolder.make(root)
        text = (root / "lab.toml").read_text(encoding="utf-8")
        own = LabFolder.open(root).settings.rig
        text = text.replace(f'rig = "{own}"', f'rig = "{rig}"')
        text = text.replace('"sqlite:///registry.sqlite"', f'"sqlite:///{tmp_path}/all.sqlite"')
        text = text.replace("rigs = []", f"rigs = {json.dumps(RIGS)}")
        for name in ("institution", "contact", *ConsentBlanks.model_fields):
            text = text.replace(f'\n{name} = ""', f'\n{name} = "told"')
        (root / "lab.toml").write_text(text, encoding="utf-8")
        shutil.copytree(mini_pack, root / "packs" / "first")
        made.append(LabFolder.open(root))
    return made


@pytest.fixture
def windows(labs, window, monkeypatch):
    """A window on each PC; its sessions are sat out by robots, without a screen."""
    from experiments.launch.examination import Options
    from experiments.launch.gui.look import Look
    from experiments.launch.gui.window import LaunchWindow

    monkeypatch.setattr(starting, "ran", lambda words: sat_out(list(words)))
    opened = [LaunchWindow(lab, Options(), (), Look(1.0)) for lab in labs]
    for one in opened:
        monkeypatch.setattr(one._aside, "during", lambda work, then, _: then(work()))
        one.show()
        one.who.packs.setCurrentRow(0)
    yield opened
    for one in opened:
        one.deleteLater()


def sat_out(words):
    """Do in the place of `run` what it does to registry and journal; return what it says."""
    given = dict(zip(words[4::2], words[5::2], strict=False))
    lab, pack = LabFolder.open(Path(given["--lab"])), open_pack(Path(words[3]))
    code, kind, rig = given["--participant"], session_kind_of(pack), lab.settings.rig
    offer = next(one for one in kind.offers(pack) if one.rung in (None, 2))
    order = kind.orders(pack.protocol)[0]
    plan = kind.plan(pack, Assignment(offer.list, order, kind.sides[0]), "en", code)
    session = f"{Clock.now_utc:%Y%m%dT%H%M%SZ}-{code}-abcd"
    with closing(Registry.of(lab)) as registry:
        study = pack.manifest.study
        new = NewSession(session, code, kind.role, study, pack.pack_id, "main", rig)
        registry.start_session(new)
        lab.data.make().copy_pack(pack)
        header = journal_header(plan, kind.role, "", code, session)
        robots = kind.load_robots()
        guest = Guest(
            robots, robots.make(pack, "en")("lead", code, 1), robots.attendance(plan, 1, code)
        )
        clock = VirtualClock(Clock.now_utc)
        complete = take_part(
            lab.data, plan, guest, {**header, "purpose": "main", "rig": rig}, clock
        )
        registry.finish_session(session, complete=complete)
    told = {"declined": False, "ended_early": False, "left": False, "lines": []}
    return Said(0, json.dumps({"session": session, "complete": complete, **told}), "")


def click(widget):
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def enrol(window):
    """Enrol a lead by the dialogue; return the code that the window shows."""

    def fill():
        dialog = QApplication.activeModalWidget()
        dialog.role.setCurrentIndex(dialog._can.roles.index("lead"))
        dialog.purpose.setCurrentIndex(dialog._can.purposes.index("main"))
        dialog.place.setCurrentIndex(0)
        click(dialog.enrol)

    QTimer.singleShot(0, fill)
    click(window.who.enrol)
    return window.who.code.text()


def book(window, code, begins):
    click(window.bar.people)
    page = window.everybody
    page.sought.clear()
    QTest.keyClicks(page.sought, code)
    QTest.keyClick(page.sought, Qt.Key.Key_Return)
    page.at.setDateTime(QDateTime.fromSecsSinceEpoch(int(begins.timestamp())))
    page.rig.setCurrentText(window.lab.settings.rig)
    click(page.acts["book"])
    assert page.page.ahead is not None, page.words.text()
    click(page.back)


def sit(window, code):
    """Scan a code, tick the list, start, write a note, and wait for the next."""
    window.who.code.clear()
    QTest.keyClicks(window.who.code, code)
    QTest.keyClick(window.who.code, Qt.Key.Key_Return)
    assert window.ready.code.text() == code, window.who.words.text()
    window.ready.checklist.tick_all()
    if not window.ready.start.isEnabled():
        QTest.keyClicks(window.ready.reason, "a simulated lab")
    click(window.ready.start)
    assert window.after.person == code, window.ready.words.text()
    QTest.keyClicks(window.after.note, "went well")
    click(window.after.next)


def shown(window):
    """Every text on the page of the day."""
    click(window.bar.today)
    texts = [one.text().removeprefix("! ") for one in window.day.findChildren(QLabel)]
    click(window.day.back)
    return texts


def journals(labs):
    """What the journals hold, line by line: sessions by day, rig and whether they ended."""
    for lab in labs:
        for path in sorted((lab.data.root / "sessions").glob("*/journal.jsonl")):
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            ended = any(one["event"] == "session_end" and one["complete"] for one in lines)
            yield lines[0]["rig"], lines[0]["t_utc"][:10], lines[0]["participant"], ended


def test_three_days_of_two_pcs_are_counted_as_the_journals_have_them(windows, labs):
    times, codes = [], []
    for number in range(PEOPLE):
        day, place = divmod(number, A_DAY)
        times.append(FIRST + timedelta(days=1 + day, hours=1 + place // 2))
        codes.append(enrol(windows[number % 2]))
        book(windows[number % 2], codes[-1], times[-1])
    for number, code in enumerate(codes):
        Clock.now_utc = times[number]
        if number not in NO_SHOWS:
            sit(windows[number % 2], code)
    told, today = list(journals(labs)), Clock.now_utc.date().isoformat()
    assert {code for _, _, code, _ in told} == set(codes) - {codes[one] for one in NO_SHOWS}
    for window in windows:
        texts = shown(window)
        for name, number in (
            ("came today", sum(day == today for _, day, *_ in told)),
            ("complete", sum(ended for *_, ended in told)),
            ("due now", 0),
            ("overdue", 0),
        ):
            assert texts[texts.index(name) + 1] == str(number), name
        assert f"No-shows so far: {len(NO_SHOWS)}." in texts
        for day in sorted({day for _, day, *_ in told}):
            where = next(at for at, text in enumerate(texts) if text.endswith(day))
            counted = Counter(rig for rig, when, *_ in told if when == day)
            assert {str(counted[rig]) for rig in RIGS} | {str(counted.total())} <= set(
                texts[where:]
            )
