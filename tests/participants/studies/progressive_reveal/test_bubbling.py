"""Bubbling sessions: from a folder of images to the map set of those who marked them."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from PIL import Image

from participants.cli import main
from participants.dataset.derive import derive
from participants.dataset.map_sets import gather
from participants.journal import JournalWriter, read_journal
from participants.session import (
    ConsentResult,
    PageResult,
    Presented,
    SessionAborted,
    StrokeResult,
    StrokeTask,
    done_steps,
    run_session,
)
from participants.studies.progressive_reveal.bubbles import bubble_counts
from participants.studies.progressive_reveal.bubbling import bubbling_sessions, plan_bubbling
from participants.studies.progressive_reveal.robots.bubblers import RobotBubbler
from stimuli.errors import UserError
from stimuli.maps.map_set import read_map_set
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.progressive_reveal.material import Picture
from stimuli.studies.progressive_reveal.tasks import TASKS, compose_tasks, pictures_of
from tests.participants.studies.accept_reject.experts import header_of
from tests.stimuli.studies.progressive_reveal.small import protocol_of, small_sketch

NAMES = {("star", "en"): "star", ("star", "de"): "Stern", ("moon", "en"): "moon|crescent"}
PROTOCOL = protocol_of(session={"break_every_rounds": 2})


def picture(class_id, number):
    pixels = np.full((32, 32, 3), 40, dtype=np.uint8)
    pixels[8:20, 10 + number : 16 + number] = (220, 180, 30)
    return Picture(f"{class_id}/{number}.png", class_id, pixels)


@pytest.fixture(scope="module")
def pack():
    pictures = [picture(name, number) for name in ("star", "moon") for number in range(2)]
    files = compose_tasks(pictures, NAMES)
    return pack_in_memory(PROTOCOL, protocol_hash(PROTOCOL), "tasks", files)


@dataclass
class ScriptedMarker:
    """Marks what a robot would, without a window; may stop before an image, may withdraw."""

    robot: RobotBubbler
    recorder: object = None
    stop_before: int = 0
    withdraws: bool = False
    further: tuple = ()
    marked: dict = field(default_factory=dict)
    pages: list = field(default_factory=list)

    def page(self, page):
        self.pages.append(page.step)
        return PageResult(1.0)

    def consent(self, consent):
        return ConsentResult(not (consent.renewed and self.withdraws), "1.0", "0" * 64)

    def rest(self, pause):
        self.pages.append(pause.step)
        return PageResult(1.0)

    def strokes(self, task):
        if task.trial == self.stop_before:
            raise SessionAborted("tired")
        task.record_start(self.recorder, "")
        intent = self.robot.intend(task)
        acts = self.marked[task.item] = (*intent.acts, *self.further)
        presented = Presented(1.0, None, 90, 0, 0.017, flagged=False)
        return StrokeResult(None, None, acts, intent.done_ms / 1000, 0, presented)


def mark(data, pack, code="CDF34HK", **ways):
    """Let somebody mark a pack's images; goes on with a session that is there."""
    plan = plan_bubbling(pack, None, "en", code)
    data.make().copy_pack(pack)
    path = data.session(f"s-{code}").journal
    done = done_steps(plan, read_journal(path).events) if path.exists() else frozenset()
    begin = JournalWriter.resume if path.exists() else JournalWriter.create
    with begin(path, header_of(plan, f"s-{code}", code)) as journal:
        marker = ScriptedMarker(RobotBubbler(pack, 1, code), journal, **ways)
        run_session(plan, done, marker, marker, journal)
    return marker


def test_every_image_comes_once_in_an_order_of_ones_own_with_its_name(pack):
    orders = set()
    for code in ("CDF34HK", "GHK56MN", "KLM78PQ"):
        steps = plan_bubbling(pack, None, "de", code).steps
        tasks = [step for step in steps if isinstance(step, StrokeTask)]
        orders.add(tuple(task.item for task in tasks))
        assert {(task.item, task.stimulus.name) for task in tasks} == {
            ("star/0.png", "Stern"), ("star/1.png", "Stern"),
            ("moon/0.png", "moon"), ("moon/1.png", "moon"),
        }  # fmt: skip
    assert len(orders) > 1


def test_the_map_set_counts_the_bubbles_that_were_set(data, pack, tmp_path, capsys):
    markers = {code: mark(data, pack, code) for code in ("CDF34HK", "GHK56MN")}
    assert "break-0002" in markers["CDF34HK"].pages
    assert (
        main(["participants", "mapset", "--data", str(data.root), "--out", str(tmp_path / "maps")])
        == 0
    )
    assert "4 images marked by bubbles" in capsys.readouterr().out
    maps = read_map_set(tmp_path / "maps")
    assert len(maps.records) == 8
    for record in maps.records:
        assert (record.source, record.method) == ("expert", "bubbles")
        assert record.answer == record.item.split("/")[0]
        acts = markers[record.solver_id].marked[record.item]
        counts = maps.maps[record.map]
        np.testing.assert_array_equal(counts, bubble_counts(acts))
        assert counts.dtype == np.float32
        assert counts.shape == (256, 256)
        # The robot marks what stands out: the bright bar.
        left = 8 * (10 + int(record.item[-5]))
        assert counts[64:160, left : left + 48].mean() > 10 * counts[180:].mean()


def test_a_session_that_stopped_goes_on_and_counts_once_it_is_complete(data, pack):
    mark(data, pack, stop_before=3)
    with pytest.raises(UserError, match="is not complete; annotate with the same code"):
        gather(data)
    again = mark(data, pack)
    assert len(again.marked) == 2
    assert again.pages[0] == "welcome_back"
    assert len(gather(data).map_set.maps) == 4


def test_who_withdraws_is_in_no_map_set(data, pack):
    mark(data, pack)
    mark(data, pack, "GHK56MN", withdraws=True)
    assert [one.participant for one in gather(data).experts] == ["CDF34HK"]
    assert derive(data, "progressive_reveal").withdrawn == ("s-GHK56MN",)


def test_bubbles_by_another_rule_are_noticed(data, pack, monkeypatch):
    mark(data, pack)
    monkeypatch.setattr("participants.studies.progressive_reveal.bubbling.BUBBLE_MS", 40)
    (found,), _ = bubbling_sessions(data)
    with pytest.raises(UserError, match="are not those that were on screen"):
        [image.counts for image in found.images]


def test_a_pack_of_rounds_is_none_to_mark():
    with pytest.raises(UserError, match="a bubbling session needs tasks of progressive_reveal"):
        plan_bubbling(small_sketch(), None, "en", "CDF34HK")


def test_images_of_a_folder_are_framed_as_rounds_show_them(tmp_path):
    """Of a wide photograph the middle square; turned as its camera says."""
    wide = np.zeros((60, 120, 3), dtype=np.uint8)
    wide[:, 30:90] = 200
    for folder, file in (("cat", "a.png"), ("dog", "b.jpg")):
        (tmp_path / folder).mkdir()
        image = Image.fromarray(wide)
        if file.endswith("jpg"):
            exif = image.getexif()
            exif[0x0112] = 6
            image.save(tmp_path / folder / file, exif=exif, quality=95)
        else:
            image.save(tmp_path / folder / file)
    pictures = pictures_of(tmp_path, PROTOCOL)
    assert [(one.item, one.class_id) for one in pictures] == [
        ("cat/a.png", "cat"),
        ("dog/b.jpg", "dog"),
    ]
    for one in pictures:
        assert one.image.shape == (32, 32, 3)
        assert one.image.mean() > 185
    files = compose_tasks(pictures, {})
    rows = TASKS.from_csv(files["tasks.csv"], "tasks.csv")
    assert [row["class"] for row in rows] == ["cat", "dog"]
    assert all(row["image_file"] in files for row in rows)


def test_a_file_that_is_no_image_is_one_line(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.png").write_bytes(b"no image")
    with pytest.raises(UserError, match=r"a\.png: can't be read as an image") as mistake:
        pictures_of(tmp_path, PROTOCOL)
    assert "\n" not in str(mistake.value)
