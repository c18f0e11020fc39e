"""Small made-up photographs of six classes, laid out as ILSVRC and Stanford Dogs are on disk.

A picture's left and right half have the three colours of six classes. `colour_network.py`
reads them as its logits, so that a picture can be made with any confidence.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.io import savemat

WNIDS = ("n01440764", "n02085620", "n02110341", "n02979186", "n03126707", "n09999999")
WORDS = ("tench, Tinca tinca", "Chihuahua", "dalmatian, coach dog, carriage dog",
         "cassette player", "crane", "crane, hoist")  # fmt: skip
GLOSSES = tuple(f"the meaning of {words.partition(',')[0]}" for words in WORDS)
KIT_NUMBERS = (5, 3, 1, 6, 2, 4)
"""The development kit counts classes in another order than WordNet's ids."""
SIZE = (48, 40)
BOX = (6, 4, 40, 36)


@dataclass(frozen=True, slots=True)
class Photo:
    """A picture: its number, its label's place among `WNIDS`, and its pixels."""

    number: int
    label: int
    codes: np.ndarray

    @property
    def name(self) -> str:
        """Its name in the validation folder, without ending."""
        return f"ILSVRC2012_val_{self.number:08d}"


def photos(each: int = 16, wrong_share: float = 0.4, seed: int = 1) -> list[Photo]:
    """Return pictures of all classes; of a share of them another class is the brighter one."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(WNIDS)), each))
    found = []
    for number, label in enumerate(labels, start=1):
        values = rng.uniform(0.28, 0.3, len(WNIDS))
        seen = int(rng.integers(len(WNIDS))) if rng.random() < wrong_share else int(label)
        # Between a picture that says nothing and one that says all.
        values[seen] += 0.02 + 0.4 * rng.random() ** 1.5
        halves = np.rint(255 * values).astype(np.uint8).reshape(2, 3)
        codes = np.repeat(halves, SIZE[0] // 2, axis=0)[None].repeat(SIZE[1], axis=0)
        codes = codes + rng.integers(0, 4, codes.shape, dtype=np.uint8)
        found.append(Photo(number, int(label), codes))
    return found


def save(photo: Photo, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(photo.codes).save(path, "JPEG", quality=95, subsampling="4:4:4")


def write_xml(photo: Photo, path: Path, name: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    edges = zip(("xmin", "ymin", "xmax", "ymax"), BOX, strict=True)
    inside = "".join(f"<{edge}>{at}</{edge}>" for edge, at in edges)
    path.write_text(
        f"<annotation><size><width>{SIZE[0]}</width></size><object>"
        f"<name>{name or WNIDS[photo.label]}</name><bndbox>{inside}</bndbox></object></annotation>",
        encoding="utf-8",
    )


def write_meta(path: Path) -> None:
    """Write the development kit's ``meta.mat``, with a class above two others at its end."""
    kind = [("ILSVRC2012_ID", object), ("WNID", object), ("words", object), ("gloss", object),
            ("num_children", object)]  # fmt: skip
    rows = [
        (number, wnid, words, gloss, 0)
        for number, wnid, words, gloss in zip(KIT_NUMBERS, WNIDS, WORDS, GLOSSES, strict=True)
    ]
    rows.append((7, "n00001740", "entity", "that which is", 2))
    path.parent.mkdir(parents=True, exist_ok=True)
    savemat(path, {"synsets": np.array(rows, dtype=kind)})


def words_text() -> str:
    return "".join(f"{wnid} {words}\n" for wnid, words in zip(WNIDS, WORDS, strict=True))


def flat(root: Path, some: list[Photo]) -> Path:
    """The validation folder alone."""
    for photo in some:
        save(photo, root / "val" / f"{photo.name}.JPEG")
    return root / "val"


def kit(root: Path, some: list[Photo]) -> Path:
    """The validation folder beside the development kit."""
    data = root / "ILSVRC2012_devkit_t12" / "data"
    write_meta(data / "meta.mat")
    numbers = "".join(f"{KIT_NUMBERS[photo.label]}\n" for photo in some)
    (data / "ILSVRC2012_validation_ground_truth.txt").write_text(numbers, encoding="utf-8")
    return flat(root, some)


def of_ids(root: Path, some: list[Photo]) -> Path:
    """Beside a text with the images' WordNet ids."""
    text = "".join(f"{WNIDS[photo.label]}\n" for photo in some)
    source = flat(root, some)
    (root / "imagenet_2012_validation_synset_labels.txt").write_text(text, encoding="utf-8")
    return source


def of_pairs(root: Path, some: list[Photo]) -> Path:
    """Beside Caffe's ``val.txt`` and ``synset_words.txt``."""
    source = flat(root, some)
    lines = "".join(f"{photo.name}.JPEG {photo.label}\n" for photo in some)
    (root / "val.txt").write_text(lines, encoding="utf-8")
    (root / "synset_words.txt").write_text(words_text(), encoding="utf-8")
    return source


def of_xml(root: Path, some: list[Photo]) -> Path:
    """XML files among the images say what they show."""
    source = flat(root, some)
    for photo in some:
        write_xml(photo, source / f"{photo.name}.xml")
    return source


def kaggle(root: Path, some: list[Photo]) -> Path:
    """The folder of Kaggle's download."""
    for photo in some:
        save(photo, root / "ILSVRC/Data/CLS-LOC/val" / f"{photo.name}.JPEG")
        write_xml(photo, root / "ILSVRC/Annotations/CLS-LOC/val" / f"{photo.name}.xml")
    with (root / "LOC_val_solution.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["ImageId", "PredictionString"])
        for photo in reversed(some):
            box = " ".join(map(str, (WNIDS[photo.label], *BOX)))
            table.writerow([photo.name, f"{box} {box} "])
    (root / "LOC_synset_mapping.txt").write_text(words_text(), encoding="utf-8")
    return root


def folders(root: Path, some: list[Photo]) -> Path:
    """One folder a class, named by WordNet ids."""
    for photo in some:
        save(photo, root / "val" / WNIDS[photo.label] / f"{photo.name}.JPEG")
    return root / "val"


def dogs(root: Path, some: list[Photo]) -> Path:
    """Stanford Dogs: ids with names, XML files without ending that name the breed."""
    for photo in some:
        word = WORDS[photo.label].replace(",", "").replace(" ", "_")
        own = f"{WNIDS[photo.label]}-{word}"
        save(photo, root / "Images" / own / f"{photo.name}.jpg")
        write_xml(photo, root / "Annotation" / own / photo.name, word)
    return root


LAYOUTS = (kit, of_ids, of_pairs, of_xml, kaggle, folders, dogs)
