"""Sets of ILSVRC and Stanford Dogs: every layout says the same; what is torn is refused."""

from pathlib import Path

import pytest
from PIL import Image

from stimuli.errors import UserError
from tests.xai_backend.ilsvrc import layouts
from tests.xai_backend.ilsvrc.layouts import BOX, GLOSSES, LAYOUTS, WNIDS
from xai_backend.ilsvrc.folder import annotation_of, given_boxes, read_set

SOME = layouts.photos(each=2)
TRUE = {photo.name: WNIDS[photo.label] for photo in SOME}


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_every_layout_says_what_its_images_show(layout, tmp_path):
    found = read_set(layout(tmp_path, SOME))
    assert {image.path.stem: image.label for image in found.images} == TRUE
    assert [image.item for image in found.images] == sorted(image.item for image in found.images)
    has_boxes = layout in (layouts.of_xml, layouts.kaggle, layouts.dogs)
    items = {image.item for image in found.images} if has_boxes else set()
    assert set(found.boxes) == items
    assert all(own == (tuple(map(float, BOX)),) for own in found.boxes.values())
    if layout is layouts.kit:
        assert found.synsets.definitions == {
            (wnid, "en"): gloss for wnid, gloss in zip(WNIDS, GLOSSES, strict=True)
        }
    if layout in (layouts.kit, layouts.of_pairs, layouts.kaggle):
        assert found.synsets.order == WNIDS
        names = {wnid: found.synsets.names[wnid, ""] for wnid in WNIDS}
        assert names["n01440764"] == "tench"
        # Two cranes: the one with more words has all of them.
        assert (names["n03126707"], names["n09999999"]) == ("crane", "crane, hoist")
    if layout is layouts.dogs:
        assert found.synsets.names["n02979186", ""] == "cassette player"


def test_a_part_of_the_images_is_read_by_their_numbers(tmp_path):
    source = layouts.kit(tmp_path, SOME)
    for path in sorted(source.iterdir())[1::2]:
        path.unlink()
    found = read_set(source)
    assert {image.path.stem: image.label for image in found.images} == {
        name: label for name, label in TRUE.items() if int(name[-8:]) % 2
    }


def test_boxes_are_taken_from_xml_or_kaggles_table_wherever_they_lie(tmp_path):
    source = layouts.folders(tmp_path / "a", SOME)
    images = read_set(source).images
    root = layouts.kaggle(tmp_path / "b", SOME)
    of_table = given_boxes(root / "LOC_val_solution.csv", images)
    of_files = given_boxes(root / "ILSVRC/Annotations/CLS-LOC/val", images)
    assert set(of_table) == set(of_files) == {image.item for image in images}
    once = tuple(map(float, BOX))
    assert set(of_files.values()) == {(once,)}
    assert set(of_table.values()) == {(once, once)}  # the table has each of them twice


def torn_meta(root: Path) -> None:
    path = root / "ILSVRC2012_devkit_t12/data/meta.mat"
    path.write_bytes(path.read_bytes()[:200])


def without_meta(root: Path) -> None:
    (root / "ILSVRC2012_devkit_t12/data/meta.mat").unlink()


def changed(name: str, old: str, new: str):
    def change(root: Path) -> None:
        path = root / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def gone(name: str):
    return lambda root: (root / name).unlink()


def one_more(root: Path) -> None:
    Image.new("RGB", (4, 4)).save(root / "val" / "ILSVRC2012_val_00000099.JPEG")


TRUTH = "ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt"
XML = "val/ILSVRC2012_val_00000003.xml"
FAULTS = (
    (layouts.kit, torn_meta, "meta.mat: is not the development kit's meta.mat"),
    (layouts.kit, without_meta, "put its meta.mat beside this file"),
    (layouts.kit, changed(TRUTH, "\n", "\n77\n"), "meta.mat has no class 77"),
    (layouts.kit, changed(TRUTH, "\n", " a b\n"), "is no ground truth"),
    (layouts.kit, one_more, "val_00000099.JPEG: has no ground truth in"),
    (layouts.of_ids, changed("imagenet_2012_validation_synset_labels.txt", "n", "x"),
     "is neither a number nor a WordNet id"),
    (layouts.of_pairs, gone("synset_words.txt"), "put synset_words.txt beside it"),
    (layouts.of_pairs, changed("val.txt", "JPEG ", "JPEG 9"), "but there are 6 classes"),
    (layouts.of_pairs, changed("val.txt", "0002.JPEG", "0001.JPEG"), "line 2: .* occurs twice"),
    (layouts.of_pairs, changed("synset_words.txt", "n0", "m0"), "line 1: must be a WordNet id"),
    (layouts.flat, lambda root: None, "has no ground truth; put one of"),
    (layouts.of_xml, changed(XML, "</annotation>", ""), "00000003.xml: is torn or no XML"),
    (layouts.of_xml, changed(XML, "<xmin>6", "<xmin>left"), "an object's box lacks xmin"),
    (layouts.of_xml, changed(XML, "<xmin>6", "<xmin>60"), "xmin must be left of xmax"),
    (layouts.of_xml, changed(XML, "<name>n", "<name>x"), "must name the WordNet id of one class"),
    (layouts.of_xml, gone(XML), "00000003.JPEG: has no ground truth; put one of"),
    (layouts.kaggle, changed("LOC_val_solution.csv", " 40 36 ", " 40 "),
     "row 2: PredictionString must be"),
    (layouts.kaggle, changed("LOC_val_solution.csv", " 40 36 ", " 40 far "),
     "row 2: the edges of a box"),
)  # fmt: skip


@pytest.mark.parametrize(("layout", "change", "said"), FAULTS, ids=[said for *_, said in FAULTS])
def test_what_is_torn_or_missing_is_one_clear_line(layout, change, said, tmp_path):
    source = layout(tmp_path, SOME)
    change(tmp_path)
    with pytest.raises(UserError, match=said) as refused:
        read_set(source)
    assert "\n" not in str(refused.value)


def test_a_file_of_truth_needs_images_in_one_folder(tmp_path):
    source = layouts.folders(tmp_path, SOME)
    with pytest.raises(UserError, match=r"--truth .*: goes with images in one folder"):
        read_set(source, tmp_path / "val.txt")
    with pytest.raises(UserError, match="has no XML file of any of the images"):
        given_boxes(tmp_path, read_set(source).images)


def test_boxes_outside_the_folder_of_annotations_are_not_taken(tmp_path):
    folder = tmp_path / "boxes"
    folder.mkdir()
    for place in (tmp_path, folder):
        (place / "a.xml").write_text("<annotation/>", encoding="utf-8")
    assert annotation_of(folder, "photos/a.jpg") == folder / "a.xml"
    assert annotation_of(folder, "../a.jpg") is None
