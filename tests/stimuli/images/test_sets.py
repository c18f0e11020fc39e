"""Labelled image sets from files: read as meant, refused in one line."""

import os

import pytest
from PIL import Image

from stimuli.errors import UserError
from stimuli.images.sets import read_labelled


@pytest.fixture
def photos(tmp_path):
    """Two classes of two images, in folders."""
    for label in ("cat", "dog"):
        (tmp_path / label).mkdir()
        for number in (1, 2):
            Image.new("RGB", (4, 4)).save(tmp_path / label / f"{label}{number}.png")
    (tmp_path / "dog" / "notes.txt").write_text("no image")
    return tmp_path


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_folder_and_a_csv_say_the_same(photos):
    of_folder = read_labelled(photos)
    assert [(image.item, image.label) for image in of_folder] == [
        ("cat/cat1.png", "cat"), ("cat/cat2.png", "cat"),
        ("dog/dog1.png", "dog"), ("dog/dog2.png", "dog"),
    ]  # fmt: skip
    rows = "".join(f"{image.item},{image.label}\n" for image in reversed(of_folder))
    table = written(photos, "set.csv", "image,label\n" + rows)
    assert [(image.item, image.label) for image in read_labelled(table)] == [
        (image.item, image.label) for image in of_folder
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("image,label\nnowhere.png,cat\n", "row 2: there is no image nowhere.png"),
        ("image,label\ncat/cat1.png,\n", "row 2: label is empty"),
        ("image\ncat/cat1.png\n", "column missing: label"),
        ("label\ncat\n", "column missing: image"),
        ("image,label\ncat/cat1.png,cat\ncat/cat1.png,dog\n", "occurs twice"),
        ("image,label\ncat/cat1.png,no_solution\ndog/dog1.png,dog\n", "reserved"),
        ("image,label\ncat/cat1.png,cat\n", "fewer than two labels"),
        ("image,label\ncat/cat1.png,cat,more\n", "row 2: not as many cells"),
    ],
)
def test_a_faulty_set_is_refused_in_one_line(photos, text, said):
    with pytest.raises(UserError, match=said) as refused:
        read_labelled(written(photos, "set.csv", text), {"no_solution"})
    assert "\n" not in str(refused.value)


def test_no_set_at_all_is_refused(tmp_path):
    with pytest.raises(UserError, match="there is no such file or folder"):
        read_labelled(tmp_path / "nowhere")
    with pytest.raises(UserError, match="fewer than two labels"):
        read_labelled(tmp_path)


def test_a_table_beside_its_folder_of_files_is_read_as_it_comes(photos):
    """As Imagenette's table stands beside the folder of its name."""
    (photos / "pets").mkdir()
    for image in read_labelled(photos):
        image.path.rename(photos / "pets" / image.path.name)
    table = written(photos, "pets.csv", "file,wnid,label\ncat1.png,n1,cat\ndog1.png,n2,big_dog\n")
    found = read_labelled(table)
    assert [(image.item, image.label) for image in found] == [
        ("cat1.png", "cat"),
        ("dog1.png", "big_dog"),
    ]
    assert all(image.path.is_file() for image in found)


def test_a_table_may_name_images_elsewhere_which_go_by_their_files_names(photos, tmp_path_factory):
    """An item is part of other names, so it never leads out of a folder."""
    folder = tmp_path_factory.mktemp("tables")
    there = os.path.relpath(photos / "dog" / "dog1.png", folder)
    rows = f"image,label\n{photos / 'cat' / 'cat1.png'},cat\n{there},dog\n"
    found = read_labelled(written(folder, "set.csv", rows))
    assert [(image.item, image.path.is_file()) for image in found] == [
        ("cat1.png", True),
        ("dog1.png", True),
    ]
