"""The day of 40 people on 3 rigs over four weeks: each number, and nothing that tells an arm."""

import json
import random
import re
import shutil
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sqlalchemy import insert, select, update

from participants.backup.record import Place as BackedUp
from participants.backup.record import Record
from participants.cli import main
from participants.day.figures import DAYS, day_of
from participants.day.sections import figures_of, load_day_words, page_of, sections_of
from participants.folder import LabFolder
from participants.journal import JournalWriter, read_journal
from participants.notes import note
from participants.registry import Place, PlaceRules, Registry
from participants.registry.tables import assignments, screenings, withdrawals
from participants.session import LEFT_FOR_GOOD
from participants.session.qualification import Missed
from participants.simulate.presenters import VirtualClock
from participants.study import session_kind_of
from participants.texts.rig import rig_languages
from stimuli.protocol import protocol_hash
from tests.participants.journal.workers.journals import HEADER, TRIAL_END, TRIAL_START
from tests.participants.registry.people import Clock
from tests.participants.studies.accept_reject.packs import bare_pack

LABS = 6


def with_uneven_arms(lab, journals, seed, lossy, other):
    """Give most people who didn't complete it one arm, and most of the others the other one."""
    draws, complete = random.Random(seed), {}
    for one in journals:
        complete[one.header["participant"]] = one.complete
    with closing(Registry.open(lab.registry_url)) as registry:

        def give(connection):
            for row in connection.execute(select(assignments).order_by(assignments.c.id)):
                stays = complete[row.code] == (draws.random() < 0.85)
                mine = assignments.c.id == row.id
                order = other if stays else lossy
                connection.execute(update(assignments).where(mine).values(order=order))

        registry.transact(give)


START = datetime(2026, 2, 2, 9, tzinfo=UTC)
NOW = START + timedelta(days=27, hours=8)
PEOPLE, RIGS, TRIALS, OLDER = 40, 3, 4, 11
FATES = ("declined", "left", "late", "disqualified", *("complete",) * 6)
PAYMENT = '[payment]\ncurrency = "CHF"\nper_session = 12.5\n'
BACKED_UP = ("2026-02-27T18:00:00.000000Z", "2026-02-28T18:00:00.000000Z")
CONSENT = {"text": "consent", "version": "1.0", "sha256": "0" * 64, "language": "en"}


def write_session(lab, pack, clock, who):
    """Write the journal of one person's session; return its id."""
    session, fate = f"{clock.now.strftime('%Y%m%dT%H%M%SZ')}-{who['code']}", who["fate"]
    stamps = VirtualClock(clock.now)
    own = {"session": session, "participant": who["code"], "pack_id": pack.pack_id}
    own |= {
        "purpose": who.get("purpose", "main"),
        "rig": who["rig"],
        "list": who["list"],
        "order": who["order"],
    }
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


def make_lab(folder):
    """Make a lab folder that pays people, and was backed up to two places."""
    path = LabFolder.make(folder).root / "lab.toml"
    before, _, after = path.read_text(encoding="utf-8").partition("[payment]")
    path.write_text(before + PAYMENT + after[after.index("# The blanks") :], encoding="utf-8")
    lab = LabFolder.open(folder)
    record = Record("this-lab")
    for number, made_utc in enumerate(BACKED_UP):
        record = record.noting(folder / f"disk-{number}", BackedUp(made_utc))
    record.write(lab)
    return lab


def come_beside(lab, registry, pack, clock):
    """Let others come, of whom the page counts some or none.

    Three are screened, one of whom is a robot. A robot's session is whole, with dropped frames.
    One person and two robots withdraw, and somebody who was removed since.
    """
    removed = {"code": "CDF34HK", "withdrawn_utc": BACKED_UP[0]}
    registry.transact(lambda rows: rows.execute(insert(withdrawals).values(**removed)))
    for purpose in ("main", "pilot", "robot"):
        code = registry.enrol("participant", purpose=purpose)
        row = {"code": code, "procedure": "d15", "result": "{}", "screened_utc": BACKED_UP[0]}
        registry.transact(lambda rows, row=row: rows.execute(insert(screenings).values(**row)))
        if purpose != "pilot":
            registry.record_withdrawal(code)
    robot = {"number": 0, "code": registry.enrol("participant", purpose="robot")}
    robot |= {"fate": "complete", "rig": "rig-1", "list": "", "order": "", "purpose": "robot"}
    session = write_session(lab, pack, clock, robot)
    registry.learn(read_journal(lab.data.session(session).journal), None)
    registry.record_withdrawal(registry.enrol("participant", purpose="robot"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the lab's folder, and what became of each session."""
    lab, pack = make_lab(tmp_path_factory.mktemp("day") / "lab"), bare_pack(lists=2)
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
        clock.now = START + timedelta(days=2)
        come_beside(lab, registry, pack, clock)
        for number in range(OLDER):
            note(registry, "incident", f"projector {number}")
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
    found = [read_journal(one.journal) for one in LabFolder.open(made[0]).data.sessions()]
    return [one for one in found if one.header["purpose"] == "main"]


def test_sessions_by_day_rig_and_state_are_those_of_the_journals(day, journals, made):
    fates = Counter(made[1].values())
    today = NOW.astimezone().date()
    began = [
        (datetime.fromisoformat(one.header.t_utc).astimezone().date(), one) for one in journals
    ]
    slow = Counter((on, one.header["rig"]) for on, one in began if (today - on).days < DAYS)
    assert len(slow) > DAYS
    assert {(one.day, rig): n for one in day.days for rig, n in one.rigs.items()} == slow
    came = [
        one
        for one in journals
        if datetime.fromisoformat(one.events[-1].t_utc).astimezone().date() == today
    ]
    assert sorted(one.code for one in day.came) == sorted(one.header["participant"] for one in came)
    assert sum(fates.values()) == PEOPLE
    told = {
        "complete": "complete", "disqualified": "disqualified", "declined": "declined",
        "left": "left for good", "late": "unfinished",
    }  # fmt: skip
    assert {fate: day.sessions(state) for fate, state in told.items()} == fates


def section(day, title):
    sections = sections_of(day, load_day_words("en"))
    return next(one for one in sections if one.title.startswith(title))


def numbers(line):
    return [int(number) for number in re.findall(r"\d+", line)]


def test_people_screenings_and_dropouts_without_robots(day, made):
    fates = Counter(made[1].values())
    shown = section(day, "People")
    rows = {(row["role"], row["purpose"]): (row["recruited"], row["began"]) for row in shown.rows}
    assert rows == {
        ("lead", "main: data count"): (PEOPLE, PEOPLE),
        ("participant", "main: data count"): (1, 0),
        ("participant", "pilot"): (1, 0),
    }
    sat, lost = shown.lines
    assert numbers(sat) == [2, fates["complete"], 0, 0, fates["late"]]
    left, over = fates["left"], day.overdue
    others = [fates["declined"], fates["disqualified"]]
    assert numbers(lost) == [left + over, left, over, *others, 2]


def test_pilots_are_no_part_of_the_sample(day, made):
    pilots = {"purpose": "pilot", "state": "complete", "sessions": 5}
    counts = replace(day.counts, sessions=(*day.counts.sessions, pilots))
    day, complete = replace(day, counts=counts), Counter(made[1].values())["complete"]
    shown = {one.name: one.value for one in figures_of(day, load_day_words("en"))}
    assert shown["complete (main)"] == str(complete)
    assert numbers(section(day, "People").lines[0])[1:3] == [complete + 5, 5]


def test_incidents_what_is_unpaid_and_the_last_backup(day, journals):
    incidents = section(day, "Incidents")
    assert [row["text"] for row in incidents.rows[:2]] == ["fire alarm <script>", "projector 10"]
    assert len(incidents.rows) == 10
    assert f"And {OLDER + 1 - 10} older ones" in incidents.lines[0]
    free, backup = section(day, "This PC").lines
    assert float(re.search(r"[\d.]+", free)[0]) > 0
    when = datetime.fromisoformat(BACKED_UP[1]).astimezone()
    assert f"{when:%d %b %H:%M}" in backup
    whole = {one.header["participant"] for one in journals if one.complete}
    unpaid = section(day, "Who is still to be paid")
    assert unpaid.lines == (f"Unpaid: {12.5 * len(whole):.2f} CHF, to {len(whole)} people.",)
    assert {row["code"]: row["due"] for row in unpaid.rows} == dict.fromkeys(whole, "12.50")


@pytest.mark.parametrize(("days", "wrong"), [(-1, False), (3, True)])
def test_a_backup_of_the_future_says_that_the_clock_is_wrong(tmp_path, days, wrong):
    """A PC's clock that was set back: no number of the day can be trusted."""
    lab = LabFolder.make(tmp_path / "lab")
    made_utc = (NOW + timedelta(days=days)).isoformat()
    Record("lab", {"/disk": BackedUp(made_utc=made_utc)}).write(lab)
    day = open_day(lab.root)
    pc, words = section(day, "This PC"), load_day_words("en")
    assert (pc.alarm, words["clock_wrong"] in pc.lines) == (wrong, wrong)
    assert words["in_future"] in [one.value for one in figures_of(day, words)] or not wrong


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
    spread = sorted(Counter(held.values()).items())
    told = ", ".join(f"{n} with {'1 person' if of == 1 else f'{of} people'}" for of, n in spread)
    assert f"Places of the design: {told}." in section(day, "accept_reject").lines


def test_who_was_disqualified_is_told_with_the_rule_and_pilots_are_not_replaced(day):
    missed, words = Missed(trials=4, right=1, needed=3), load_day_words("en")
    for purpose in ("main", "pilot"):
        came = replace(day.came[0], state="disqualified", purpose=purpose, missed=missed)
        (line,) = section(replace(day, came=(came,)), "Who came today").lines
        assert "1 of 4 checked answers was right; 3 are needed." in line
        assert (words["nobody_replaces"] in line) == (purpose == "pilot")


def texts_of(day):
    spoken = [load_day_words(language) for language in rig_languages()]
    lines = [f"{sections_of(day, words)} {page_of(day, 60, words)}" for words in spoken]
    return [re.sub(r"\d+[.,]\d GiB", "", line) for line in lines]


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


@pytest.mark.slow
def test_a_classifier_of_pages_does_not_learn_which_arm_loses_people(made, journals, tmp_path):
    """It learns from pages of labs whose arms are known; on unblinded pages it succeeds."""
    shutil.copytree(made[0], tmp_path / "lab")
    lab, pack = LabFolder.open(tmp_path / "lab"), bare_pack(lists=2)
    arms = session_kind_of(pack).orders(pack.protocol)
    pages, labels = {True: [], False: []}, []
    for seed in range(LABS):
        for lossy, other in (arms, arms[::-1]):
            with_uneven_arms(lab, journals, seed, lossy, other)
            labels.append(lossy)
            for unblind, shown in pages.items():
                day = open_day(lab.root, unblind=unblind)
                text = str(sections_of(day, load_day_words("en")))
                shown.append(Counter(re.findall(r"[^'\"]+", text)))

    def share_right(shown):
        half = len(labels) // 2
        counted = DictVectorizer().fit_transform(shown).toarray()
        model = LogisticRegression(max_iter=1000).fit(counted[:half], labels[:half])
        return model.score(counted[half:], labels[half:])

    assert share_right(pages[False]) == 0.5
    assert share_right(pages[True]) > 0.75
