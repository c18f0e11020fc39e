"""The day of 40 people on 3 rigs over four weeks: each number, and nothing that tells an arm."""

import json
import re
import shutil
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from participants.cli import main
from participants.day.figures import day_of
from participants.day.page import page_of
from participants.day.sections import load_day_words, sections_of
from participants.folder import LabFolder
from participants.journal import JournalWriter, read_journal
from participants.overview.notes import note
from participants.registry import Place, PlaceRules, Registry
from participants.registry.tables import assignments
from participants.session import LEFT_FOR_GOOD
from participants.simulate.clock import VirtualClock
from participants.study import session_kind_of
from participants.texts.rig import rig_languages
from stimuli.protocol import protocol_hash
from tests.participants.journal.workers.journals import HEADER, TRIAL_END, TRIAL_START
from tests.participants.registry.people import Clock
from tests.participants.studies.accept_reject.packs import bare_pack

START = datetime(2026, 2, 2, 9, tzinfo=UTC)
NOW = START + timedelta(days=27, hours=8)
PEOPLE, RIGS, TRIALS = 40, 3, 4
FATES = ("declined", "left", "late", "disqualified", *("complete",) * 6)
CONSENT = {"text": "consent", "version": "1.0", "sha256": "0" * 64, "language": "en"}


def write_session(lab, pack, clock, who):
    """Write the journal of one person's session; return its id."""
    session, fate = f"{clock.now.strftime('%Y%m%dT%H%M%SZ')}-{who['code']}", who["fate"]
    stamps = VirtualClock(clock.now)
    own = {"session": session, "participant": who["code"], "pack_id": pack.pack_id}
    own |= {"purpose": "main", "rig": who["rig"], "list": who["list"], "order": who["order"]}
    own |= {"protocol_hash": protocol_hash(pack.protocol)}
    path = lab.data.session(session).journal
    with JournalWriter.create(path, HEADER | own, stamps, sync=False) as journal:
        journal.append("consent", agreed=fate != "declined", **CONSENT)
        for trial in range(1, TRIALS + 1 if fate != "declined" else 1):
            stamps.advance(20)
            shown = {"trial": trial, "position": trial, "presentation": f"p{trial}"}
            shown |= {"repeat_of": None}
            dropped = (who["number"] + trial) % 7 == 0
            journal.append("trial_start", **shown, **TRIAL_START)
            ended = TRIAL_END | {"frames_dropped": 2 * dropped, "flagged": dropped}
            journal.append("trial_end", **shown, **ended)
        if fate == "left":
            journal.append("abort", reason=LEFT_FOR_GOOD)
            journal.append("abort", reason=LEFT_FOR_GOOD)
        if fate in ("complete", "disqualified"):
            journal.append("session_end", complete=True)
    return session


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the lab's folder, and what became of each session."""
    lab, pack = LabFolder.make(tmp_path_factory.mktemp("day") / "lab"), bare_pack(lists=2)
    lab.data.copy_pack(pack)
    kind, clock, fates = session_kind_of(pack), Clock(), {}
    rules = PlaceRules(kind.offers(pack), kind.orders(pack.protocol), 1, 1e9)
    with closing(Registry.open(lab.registry_url, clock)) as registry:
        for number in range(PEOPLE):
            clock.now = START + timedelta(days=number * 27 // (PEOPLE - 1), minutes=number)
            code = registry.enrol("lead", axis="deutan", rung=3)
            rig, fate = f"rig-{number % RIGS + 1}", FATES[number * 7 % len(FATES)]
            place = registry.assign(Place(code, "accept_reject", pack.pack_id, rig), rules)
            who = {"number": number, "code": code, "rig": rig, "fate": fate}
            who |= {"list": place.list, "order": place.order}
            session = write_session(lab, pack, clock, who)
            registry.learn(read_journal(lab.data.session(session).journal), None)
            if fate == "disqualified":
                registry.disqualify_session(session)
            fates[session] = fate
        clock.now = NOW - timedelta(days=1)
        note(registry, "incident", "fire alarm <script>", code)
    registered = lab.root / "registered"
    registered.mkdir()
    plan = {"study": "accept_reject", "participants": 48}
    plan |= {"protocol_hash": protocol_hash(pack.protocol)}
    (registered / "preregistration.json").write_text(json.dumps(plan))
    return lab.root, fates


def open_day(root, **how):
    lab, clock = LabFolder.open(root), Clock()
    clock.now = NOW
    with closing(Registry.open(lab.registry_url, clock)) as registry:
        return day_of(lab, registry, **how)


@pytest.fixture(scope="module")
def day(made):
    return open_day(made[0])


@pytest.fixture(scope="module")
def journals(made):
    return [read_journal(one.journal) for one in LabFolder.open(made[0]).data.sessions()]


def test_sessions_by_day_rig_and_state_are_those_of_the_journals(day, journals, made):
    fates = Counter(made[1].values())
    slow = Counter(
        (datetime.fromisoformat(one.header.t_utc).astimezone().date(), one.header["rig"])
        for one in journals
    )
    assert {(one.day, rig): n for one in day.days for rig, n in one.rigs.items()} == slow
    today = NOW.astimezone().date()
    came = [
        one
        for one in journals
        if datetime.fromisoformat(one.events[-1].t_utc).astimezone().date() == today
    ]
    assert sorted(one.code for one in day.came) == sorted(one.header["participant"] for one in came)
    assert sum(fates.values()) == PEOPLE == sum(row["people"] for row in day.counts.people)
    told = {
        "complete": "complete", "disqualified": "disqualified", "declined": "declined",
        "left": "left for good", "late": "unfinished",
    }  # fmt: skip
    assert {fate: day.sessions(state) for fate, state in told.items()} == fates


def test_who_is_due_and_overdue(day, journals):
    drop_s = bare_pack(lists=2).protocol.assignment.drop_after_s
    late = {
        one.header["participant"]: one.events[-1].t_utc
        for one in journals
        if not one.complete and not one.of("abort") and one.of("consent")[-1]["agreed"]
    }
    over = {
        code
        for code, last in late.items()
        if datetime.fromisoformat(last) + timedelta(seconds=drop_s) < NOW
    }
    assert {one.code for one in day.due} == late.keys()
    assert {one.code for one in day.due if one.when == "overdue"} == over
    assert day.overdue == len(over) > 0


def test_frames_by_rig_are_those_of_the_journals(day, journals):
    for rig in day.frames:
        ends = [e for one in journals if one.header["rig"] == rig.rig for e in one.of("trial_end")]
        dropped = [end["frames_dropped"] for end in ends]
        assert (rig.trials, rig.dropped) == (len(ends), sum(dropped))
        assert rig.with_dropped == sum(one > 0 for one in dropped)
        assert rig.frames == sum(end["frames_shown"] for end in ends)
    assert len(day.frames) == RIGS


def test_the_sample_against_plan_and_places(day, journals, made):
    (sample,) = day.samples
    whole = {one.header["session"] for one in journals if one.complete}
    assert sample.complete == sum(made[1][session] == "complete" for session in whole)
    assert (sample.planned, sample.registered, sample.named) == (48, True, {})
    held = Counter(
        (one.header["list"], one.header["order"])
        for one in journals
        if made[1][one.header["session"]] == "complete"
    )
    assert sample.cells == tuple(sorted(held.values()))
    assert len(sample.cells) == 4


def texts_of(day):
    spoken = [load_day_words(language) for language in rig_languages()]
    lines = [f"{sections_of(day, words)} {page_of(day, 60, words)}" for words in spoken]
    return [re.sub(r"\d+\.\d GiB", "", line) for line in lines]


def test_nothing_tells_the_arms(day, made, tmp_path):
    """Whoever has the page can't tell arms: with all of them exchanged it is the same page."""
    text = "".join(texts_of(day))
    pack = bare_pack(lists=2)
    kind = session_kind_of(pack)
    for secret in (*kind.orders(pack.protocol), *(offer.list for offer in kind.offers(pack))):
        assert not re.search(rf"\b{secret}\b", text)
    shutil.copytree(made[0], tmp_path / "lab")
    lab = LabFolder.open(tmp_path / "lab")
    swap = dict(zip(kind.orders(pack.protocol), kind.orders(pack.protocol)[::-1], strict=True))
    with closing(Registry.open(lab.registry_url)) as registry:

        def exchange(connection):
            for row in connection.execute(select(assignments)).fetchall():
                mine = assignments.c.id == row.id
                connection.execute(update(assignments).where(mine).values(order=swap[row.order]))

        registry.transact(exchange)
    assert texts_of(open_day(lab.root)) == texts_of(day)
    # Unblinded, it does tell them apart.
    named = open_day(made[0], unblind=True).samples[0].named
    assert sorted(named.values()) == list(day.samples[0].cells)
    assert set(named) == {f"{offer.list}, {o}" for offer in kind.offers(pack) for o in swap}


def test_the_verb_shows_it_records_why_it_was_unblinded_and_writes_a_page(
    made, tmp_path, capsys, monkeypatch
):
    shutil.copytree(made[0], tmp_path / "lab")
    words = ["status", "--lab", str(tmp_path / "lab")]
    for width in ("80", "120"):
        monkeypatch.setenv("COLUMNS", width)
        assert main(words) == 0
        assert "Sessions by day and rig" in capsys.readouterr().out
    assert main([*words, "--unblind", "the ethics board asked"]) == 0
    assert "with_first: " in capsys.readouterr().out
    assert main(["participants", "notes", "--lab", str(tmp_path / "lab")]) == 0
    assert "Unblinded the places of the design: the ethics board asked" in capsys.readouterr().out
    assert main([*words, "--unblind", " "]) == 2
    assert main([*words, "--every", "60"]) == 2
    page = tmp_path / "day.html"
    assert main([*words, "--page", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert '<meta http-equiv="refresh" content="60">' in text
    assert "fire alarm &lt;script&gt;" in text
    assert "http://" not in text
    assert "https://" not in text
    assert page.stat().st_mode & 0o077 == 0
