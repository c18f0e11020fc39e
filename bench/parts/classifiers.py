"""Bar 4: trained networks that are shown all of a plate but its red–green colour."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.statistics.proportions import Count, wilson
from bench.book import Effort, Measured, table
from bench.eyes.viewing import AS_MEANT
from bench.parts.reading import SPEC, digits_of
from bench.parts.respecting import pack_respecting
from bench.parts.spread import spread
from bench.parts.words import SOURCE_NAMES, SOURCES, bar, share, verdicts
from stimuli.colour.spaces import Axis
from stimuli.images.digits import Digits
from stimuli.io.canonical import seed_of
from stimuli.plates.masks import digit_mask
from stimuli.plates.packing import pack_dots
from stimuli.plates.plate import Plate, dress
from stimuli.plates.render import cover
from stimuli.plates.spec import PlateSpec, with_contrast
from tests.stimuli.plates.contrasts import DEFAULT_CONTRAST

SIZE_PX = 64
TRAIN_PLATES, TEST_PLATES, CONTROL_TEST_PLATES = 3000, 4000, 500
QUICK_PLATES = 60
EPOCHS = 14
PLATES_A_JOB = 100

Pictures = NDArray[np.float16]
Found = dict[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """What a network is shown: dots alone, or some cones' light of them.

    ``contrast`` is the axis's default where none is given.
    """

    name: str
    title: str
    respecting: bool = False
    axis: Axis | None = None
    cones: tuple[int, ...] = ()
    contrast: float | None = None


VIEWS = (
    View("geometry", "where the dots are"),
    View("deutan eye", "deutan plates, L cone alone", axis="deutan", cones=(0,)),
    View("protan eye", "protan plates, M cone alone", axis="protan", cones=(1,)),
    View("deutan luminance", "deutan plates, photometric luminance", axis="deutan", cones=(0, 1)),
    View("protan luminance", "protan plates, photometric luminance", axis="protan", cones=(0, 1)),
    View("respecting", "where the dots are, packed by who knows the digit", respecting=True),
)
HIDDEN = ("geometry", "deutan eye", "protan eye")


@dataclass(frozen=True, slots=True)
class _Made:
    source: str
    part: str
    numbers: range
    views: tuple[View, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Lesson:
    train: Pictures
    train_labels: NDArray[np.int64]
    test: Pictures
    epochs: int


def measure(effort: Effort) -> Measured:
    """Measure bar 4 on both sources, and what the same network reads where there is a leak."""
    found = [row for source in SOURCES for row in _measure_source(effort, source)]
    bars = [_hidden_bar(found), _control_bar(found)]
    return Measured(_text(found, bars), {"bars": bars, "classifiers": found})


def pictures_of(plate: Plate, views: Sequence[View], size_px: int, spec: PlateSpec) -> Pictures:
    """Return what views show of a plate, float16 (views, size, size), as light.

    Colours are 8-bit sRGB codes as the suite's cones get them.
    """
    coverage = cover(plate.packing, size_px)
    shown = np.empty((len(views), size_px**2), dtype=np.float16)
    for row, view in enumerate(views):
        light = np.ones(len(plate.packing))
        if view.axis is not None:
            contrast = DEFAULT_CONTRAST[view.axis] if view.contrast is None else view.contrast
            lms = with_contrast(plate.lms, plate.figure, view.axis, contrast, spec)
            light = AS_MEANT.cones(lms)[:, view.cones].sum(axis=1)
        weights = coverage.share * light[coverage.dot]
        shown[row] = np.bincount(coverage.pixel, weights, minlength=size_px**2)
    return shown.reshape(len(views), size_px, size_px)


def plate_of(
    digits: Digits,
    index: int,
    seed: int,
    spec: PlateSpec,
    pack: Callable[[NDArray[np.bool_], int, PlateSpec], Any],
) -> Plate:
    """Return a plate of a digit, packed by ``pack``, which may look at the mask."""
    mask = digit_mask(digits.images[index], spec)
    return dress(pack(mask, seed, spec), mask, seed, spec)


def pack_blind(mask: NDArray[np.bool_], seed: int, spec: PlateSpec) -> Any:
    """Pack as the suite does: the mask isn't looked at."""
    del mask
    return pack_dots(seed, spec)


def answers(
    train: Pictures,
    labels: NDArray[np.int64],
    test: Pictures,
    epochs: int = EPOCHS,
    augment_px: int = 2,
) -> NDArray[np.int64]:
    """Train a small convolutional network on pictures (n, h, w) and return what it answers.

    Pictures lose the mean picture of those it is trained on; in training they are shifted
    by up to ``augment_px`` pixels, a batch alike. AdamW, one cycle of the learning rate.
    """
    from xai_backend.determinism import deterministic

    with deterministic():
        return _answers(train, labels, test, epochs, augment_px)


def _answers(
    train: Pictures, labels: NDArray[np.int64], test: Pictures, epochs: int, augment_px: int
) -> NDArray[np.int64]:
    import torch
    from torch.nn import functional

    mean, scale = train.mean(axis=0, dtype=np.float32), float(train.std(dtype=np.float32))
    ready = [
        torch.from_numpy((np.asarray(values, np.float32) - mean) / scale)[:, None]
        for values in (train, test)
    ]
    shown, targets = ready[0], torch.from_numpy(labels)
    network = _network()
    batch = 64
    steps = max(1, len(shown) // batch)
    optimiser = torch.optim.AdamW(network.parameters(), lr=3e-3, weight_decay=0.05)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=epochs * steps)
    for _ in range(epochs):
        network.train()
        order = torch.randperm(len(shown))
        for step in range(steps):
            chosen = order[step * batch : (step + 1) * batch]
            shift = torch.randint(-augment_px, augment_px + 1, (2,)).tolist()
            pictures = torch.roll(shown[chosen], shift, (2, 3))
            loss = functional.cross_entropy(
                network(pictures), targets[chosen], label_smoothing=0.05
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            pace.step()
    network.eval()
    with torch.no_grad():
        given = torch.cat([network(part).argmax(dim=1) for part in ready[1].split(256)])
    return given.numpy()


def _network() -> Any:
    from torch import nn

    layers: list[nn.Module] = []
    for channels_in, channels_out, kernel, stride in (
        (1, 16, 5, 2),
        (16, 32, 3, 2),
        (32, 64, 3, 2),
        (64, 64, 3, 1),
    ):
        layers += [
            nn.Conv2d(channels_in, channels_out, kernel, stride, kernel // 2, bias=False),
            nn.BatchNorm2d(channels_out),
            nn.ReLU(),
        ]
    pooled = [nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Dropout(0.3), nn.Linear(1024, 10)]
    return nn.Sequential(*layers, *pooled)


def _measure_source(effort: Effort, source: str) -> list[Found]:
    train, test, control = (
        (QUICK_PLATES,) * 3 if effort.quick else (TRAIN_PLATES, TEST_PLATES, CONTROL_TEST_PLATES)
    )
    effort.say(f"networks learn from {train} plates of {SOURCE_NAMES[source]}")
    found = []
    for respecting, tested in ((False, test), (True, control)):
        views = tuple(view for view in VIEWS if view.respecting == respecting)
        found += read_views(source, views, train, tested, effort.quick)
    return found


def read_views(
    source: str, views: tuple[View, ...], train: int, test: int, quick: bool = False
) -> list[Found]:
    """Train a network on each view of the same plates, and return how much each reads."""
    shown, labels = _make(source, "train", train, views)
    asked, truth = _make(source, "held out", test, views)
    lessons = [
        _Lesson(shown[:, view], labels, asked[:, view], 1 if quick else EPOCHS)
        for view in range(len(views))
    ]
    given = spread(_learn, lessons, here=quick)
    return [_row(source, *row, truth, train) for row in zip(views, given, strict=True)]


def _learn(lesson: _Lesson) -> NDArray[np.int64]:
    return answers(lesson.train, lesson.train_labels, lesson.test, lesson.epochs)


def _make(
    source: str, part: str, plates: int, views: tuple[View, ...]
) -> tuple[Pictures, NDArray[np.int64]]:
    jobs = [
        _Made(source, part, range(start, min(start + PLATES_A_JOB, plates)), views)
        for start in range(0, plates, PLATES_A_JOB)
    ]
    shown, labels = zip(*spread(_make_job, jobs, here=len(jobs) == 1), strict=True)
    return np.concatenate(shown), np.concatenate(labels)


def _make_job(job: _Made) -> tuple[Pictures, NDArray[np.int64]]:
    digits = digits_of(job.source)
    indices = digits.train_indices if job.part == "train" else digits.held_out_indices
    order = np.random.Generator(np.random.PCG64(seed_of("bar 4", job.source, job.part)))
    order = order.permutation(indices)
    pack = pack_respecting if job.views[0].respecting else pack_blind
    shown, labels = [], []
    for number in job.numbers:
        index = int(order[number % len(order)])
        seed = seed_of("bar 4", job.source, job.part, number)
        plate = plate_of(digits, index, seed, SPEC, pack)
        shown.append(pictures_of(plate, job.views, SIZE_PX, SPEC))
        labels.append(int(digits.labels[index]))
    return np.stack(shown), np.array(labels, dtype=np.int64)


def _row(
    source: str, view: View, given: NDArray[np.int64], truth: NDArray[np.int64], train: int
) -> Found:
    rate = wilson(Count(int((given == truth).sum()), len(truth)))
    return {
        "source": source,
        "view": view.name,
        "title": view.title,
        "rate": rate.estimate,
        "ci_low": rate.ci_low,
        "ci_high": rate.ci_high,
        "n": len(truth),
        "trained_on": train,
    }


def _hidden_bar(found: Sequence[Found]) -> Found:
    rows = [row for row in found if row["view"] in HIDDEN]
    high = max(row["ci_high"] for row in rows)
    few = rows[0]["trained_on"] < TRAIN_PLATES or rows[0]["n"] < TEST_PLATES
    return bar(
        4,
        "a network that sees geometry alone, or luminance as the eye sees it from which the "
        "plate hides: upper 95 % bound ≤ .13 on ≥ 4,000 held-out plates",
        f"≤ {share(high)} (trained on {rows[0]['trained_on']}, n = {rows[0]['n']} for each of "
        f"{len(rows)} cells)",
        high <= 0.13 and not few,
    )


def _control_bar(found: Sequence[Found]) -> Found:
    low = min(row["ci_low"] for row in found if row["view"] == "respecting")
    return bar(
        4,
        "the same network reads > .5 of plates whose packing knows the digit, so the check can "
        "fail",
        f"lower 95 % bound ≥ {share(low)}",
        low > 0.5,
    )


def _text(found: Sequence[Found], bars: Sequence[Found]) -> str:
    rows = []
    for view in VIEWS:
        cells = []
        for source in SOURCES:
            row = next(r for r in found if (r["source"], r["view"]) == (source, view.name))
            cells.append(
                f"{share(row['rate'])} ({share(row['ci_low'])} to {share(row['ci_high'])}, "
                f"n = {row['n']})"
            )
        rows.append([view.title, *cells])
    luminance = [row["rate"] for row in found if row["view"].endswith(" luminance")]
    photometric = (
        "Photometric luminance (L + M) can't be equal along a confusion line. At the default "
        "contrast it differs between figure and ground by a few per cent, and the network reads "
        f"{share(min(luminance))} to {share(max(luminance))} of the plates by it. If it were "
        "equal, the matching dichromat would see a difference instead. So this remains, and is "
        "stated here."
    )
    return "\n\n".join(
        [
            "A convolutional network is trained to read plates of which it sees all but the "
            f"red–green colour: pictures of {SIZE_PX} px, of the 8-bit colours at the default "
            "contrast, each plate on a packing of its own.",
            verdicts(bars),
            table(("what it sees", *(SOURCE_NAMES[source] for source in SOURCES)), rows),
            photometric,
        ]
    )
