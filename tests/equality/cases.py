"""The small studies whose artefacts are compared: what is built, who takes part, what is asked."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LABELLED_IMAGES, CLASSES, SIDE_PX = 40, 4, 32
WRONG_EVERY = 4


def nothing(folder: Path) -> None:
    """Write nothing: the build needs no files."""


@dataclass(frozen=True, slots=True)
class Case:
    """A small study.

    Attributes
    ----------
    study
        Its name.
    build
        Options of ``build`` beside the protocol and the folder.
    robots
        Who takes part, as ``simulate --mix`` has it: every kind, so that most sections of the
        report have something to show.
    few
        Who takes part in the small data set, in which most questions can't be answered.
    power
        Options of ``power`` beside the folder.
    prepare
        Writes what the build reads, into the folder in which it runs.
    """

    study: str
    build: tuple[str, ...]
    robots: str
    few: str
    power: tuple[str, ...]
    prepare: Callable[[Path], None] = nothing

    @property
    def protocol(self) -> Path:
        """The study's small protocol."""
        return HERE / "protocols" / f"{self.study}.toml"


def write_labelled_images(folder: Path) -> None:
    """Write images with a label each, and a classifier's answers, of which some are wrong."""
    rng = np.random.default_rng(1)
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["image", "label", "confidence"])
        for k in range(LABELLED_IMAGES):
            place = folder / "images" / f"kind {k % CLASSES}"
            place.mkdir(parents=True, exist_ok=True)
            pixels = rng.integers(0, 256, (SIDE_PX, SIDE_PX), dtype=np.uint8)
            Image.fromarray(pixels).save(place / f"{k}.png")
            shift = 1 if k % WRONG_EVERY == 0 else 0
            writer.writerow([f"{k}.png", f"kind {(k + shift) % CLASSES}", 0.5 + 0.01 * k])


CASES = (
    Case(
        "accept_reject",
        ("--robot-experts", "2"),
        "lead:6,careful:2,unaffected:2,credulous:2,dichromat:1,contour_reader:1,lazy:1,"
        "rejecting:1,random:1,contrary:1,absent:1",
        "lead:2",
        ("--participants", "4", "--items", "20", "--runs", "2"),
    ),
    Case(
        "accept_reject_accuracy",
        ("--source", "images", "--predictions", "answers.csv"),
        "exact_labels:4,lenient:3,noisy:4,lazy:1,random:1,contrary:1,absent:1",
        "noisy:2",
        ("--participants", "4", "--items", "20", "--runs", "2"),
        write_labelled_images,
    ),
    Case(
        "human_ai_team",
        (),
        "careful:9,overtrusting:4,undertrusting:4,guided_by_help:5,careless:2,yes_sayer:1,absent:1",
        "careful:2",
        ("--participants", "10", "--items", "20", "--runs", "2"),
    ),
    Case(
        "progressive_reveal",
        (),
        "viewer:8,guesser:2,walker:2,slow_typist:2,mistaken:2,idle:1",
        "viewer:2",
        ("--participants", "4", "--items", "20", "--runs", "2"),
    ),
    Case(
        "simulatability",
        (),
        "reader:8,practice:4,true_label:2,same_as_before:2,majority:2,careless:2,absent:1",
        "reader:2",
        ("--participants", "12", "--items", "20", "--runs", "2"),
    ),
)
