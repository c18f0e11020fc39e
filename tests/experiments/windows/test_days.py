"""Three days of a lab of twenty people, two PCs and one registry, by an X server's keys and clicks.

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
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication, QLabel

from experiments.launch import starting
from experiments.launch.examination import Options
from experiments.launch.gui import aside, people_page, today_page, window
from experiments.launch.gui.look import Look
from experiments.launch.gui.window import AFTER, READY, WHO
from experiments.launch.starting import ProcessOutput
from experiments.session import command
from participants.folder import LabFolder
from participants.lab_settings import ConsentBlanks
from participants.lists import Assignment
from participants.registry import NewSession, Registry
from participants.registry import registry as registry_module
from participants.simulate.presenters import VirtualClock
from participants.simulate.run import Guest, journal_header, take_part
from participants.study import session_kind_of
from stimuli.pack import open_pack
from tests.experiments.windows.desk_hand import TURN_MS

pytestmark = [pytest.mark.slow, pytest.mark.window(tolerance_ms=200)]

RIGS, PEOPLE, A_DAY, DAYS = ("pc-1", "pc-2"), 20, 8, 3
CODE = 7
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
def windows(app, labs, monkeypatch):
    """A window on each PC; its sessions are sat out by robots, without a screen."""
    monkeypatch.setattr(starting, "ran", lambda words: sat_out(list(words)))
    monkeypatch.setattr(command, "without_window", lambda *_, **__: [])
    look = Look.for_screen(1280, 720)
    app.setStyleSheet(look.style())
    for module in (window, aside, people_page, today_page):
        monkeypatch.setattr(module, "later", lambda _, work, then: then(work()))
    opened = [window.LaunchWindow(lab, Options(), (), look) for lab in labs]
    for one in opened:
        monkeypatch.setattr(one._aside, "during", lambda work, then, _: then(work()))
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
    return ProcessOutput(0, json.dumps({"session": session, "complete": complete, **told}), "")


def enrol(hand, window):
    """Enrol a lead by the dialogue's keys; return the code that the window shows."""

    def fill():
        dialog = QApplication.activeModalWidget()
        if dialog is None or not dialog.isActiveWindow():
            QTimer.singleShot(TURN_MS, fill)
            return
        hand.press("Down")
        for keys in (("Alt_L", "a"), ("Down",), ("Alt_L", "e")):
            hand.press(*keys)

    QTimer.singleShot(0, fill)
    window.who.code.clear()
    hand.click(window.who.enrol)
    hand.until(lambda: len(window.who.code.text()) == CODE)
    return window.who.code.text()


def book(hand, window, code, begins):
    hand.click(window.bar.people)
    page = window.everybody
    hand.click(page.sought)
    hand.press("Control_L", "a")
    hand.type(code)
    hand.press("Return")
    hand.until(lambda: page.code.text() == code)
    hand.press("Alt_L", "i")
    hand.type(begins.astimezone().strftime("%Y-%m-%d %H:%M"))
    hand.press("Tab")
    hand.press("Home" if window.lab.settings.rig == RIGS[0] else "End")
    hand.click(page.acts["book"])
    hand.until(lambda: page.page.ahead is not None or page.words.isVisible())
    assert page.page.ahead is not None, page.words.text()
    assert page.page.ahead.begins == begins
    hand.click(page.back)


def sit(hand, window, code):
    """Scan a code, tick the list, start, write a note, and wait for the next."""
    hand.press("Alt_L", "c")
    hand.type(code)
    hand.press("Return")
    hand.until(lambda: window.pages.currentIndex() == READY or window.who.words.isVisible())
    assert window.ready.code.text() == code, window.who.words.text()
    hand.click(window.ready.checklist.all)
    if not window.ready.start.isEnabled():
        hand.press("Alt_L", "w")
        hand.type("a simulated lab")
    hand.press("Control_L", "Return")
    hand.until(lambda: window.pages.currentIndex() == AFTER)
    assert window.after.person == code, window.ready.words.text()
    hand.press("Alt_L", "n")
    hand.type("went well")
    hand.click(window.after.next)
    hand.until(lambda: window.pages.currentIndex() == WHO)


def shown(hand, window):
    """Every text on the page of the day."""
    hand.show(window)
    hand.click(window.bar.today)
    texts = [one.text().removeprefix("! ") for one in window.day.findChildren(QLabel)]
    hand.click(window.day.back)
    return texts


def journals(labs):
    """What the journals hold, line by line: sessions by day, rig and whether they ended."""
    for lab in labs:
        for path in sorted((lab.data.root / "sessions").glob("*/journal.jsonl")):
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            ended = any(one["event"] == "session_end" and one["complete"] for one in lines)
            yield lines[0]["rig"], lines[0]["t_utc"][:10], lines[0]["participant"], ended


def test_three_days_of_two_pcs_are_counted_as_the_journals_have_them(hand, windows, labs):
    times, codes = [], [""] * PEOPLE
    for number in range(PEOPLE):
        day, place = divmod(number, A_DAY)
        times.append(FIRST + timedelta(days=1 + day, hours=1 + place // 2))
    for pc in windows:
        hand.show(pc)
        for number in range(PEOPLE):
            if pc is windows[number % 2]:
                codes[number] = enrol(hand, pc)
                book(hand, pc, codes[number], times[number])
    for number, code in enumerate(codes):
        Clock.now_utc = times[number]
        if number not in NO_SHOWS:
            hand.show(windows[number % 2])
            sit(hand, windows[number % 2], code)
    told, today = list(journals(labs)), Clock.now_utc.date().isoformat()
    assert {code for _, _, code, _ in told} == set(codes) - {codes[one] for one in NO_SHOWS}
    for pc in windows:
        texts = shown(hand, pc)
        for name, number in (
            ("came today", sum(day == today for _, day, *_ in told)),
            ("complete (main)", sum(ended for *_, ended in told)),
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
