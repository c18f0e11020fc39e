"""Bar 7: how fast plates are made, one by one and by the 70,000."""

import io
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from bench.book import Effort, Measured, Part, table
from bench.parts.commands import command_environment
from bench.parts.naive import pack_naively
from bench.parts.words import bar
from stimuli.errors import UserError
from stimuli.images.digits import Digits, load_digits
from stimuli.plates import packing
from stimuli.plates.collection import STRETCH
from stimuli.plates.masks import digit_mask, figure_dots
from stimuli.plates.packing import NOISE, Packing, generator, pack_dots
from stimuli.plates.plate import make_plate
from stimuli.plates.render import cover, recolour, render
from stimuli.plates.spec import PlateSpec, neutral_lms, with_contrast

SPEC = PlateSpec()
SIZE_PX, SMALL_PX = 512, 112
MOST_MS = 15.0
MOST_MINUTES = 15.0
ALL_MNIST = 70_000
FEW = 2 * STRETCH
"""So many that both workers start, and little more."""
LAB = Path(__file__).resolve().parents[2] / "lab.py"

_FINE_CLOCK = time.get_clock_info("process_time").resolution < 1e-5
CLOCK = time.process_time if _FINE_CLOCK else time.perf_counter
"""Work of one core: what else runs on this computer doesn't count, where CPU time is told
finely enough (it isn't on Windows)."""
WATCH = """
import subprocess, sys, time
begun = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
seconds = time.perf_counter() - begun
try:
    import resource
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss)
except ImportError:
    print(seconds, 0, 0)
"""
"""A child inherits the peak of the process that starts it: this one is small."""

Figures = dict[str, Any]


def measure_one(effort: Effort) -> Measured:
    """Measure a plate of 512 px on one core, piece by piece, and its peers."""
    plates, peers = (12, 1) if effort.quick else (200, 8)
    digits = load_digits("uci")
    effort.say(f"{plates} plates of {SIZE_PX} px")
    whole = _times(lambda seed: _whole_plate(digits, seed), plates)
    pieces = {name: _times(piece, plates) for name, piece in _pieces(digits).items()}
    effort.say(f"{peers} packings by numpy alone and by plain rejection")
    by_numpy, equal = _compare_engines(peers)
    naive = _times(lambda seed: pack_naively(pack_dots(0).radius, SPEC.dot_gap, seed), peers)
    figures: Figures = {
        "plate_ms": _spread(whole),
        "pieces_ms": {name: _spread(times) for name, times in pieces.items()},
        "numpy_packing_ms": float(np.median(by_numpy)),
        "equal_packings": equal,
        "compared_packings": peers,
        "naive_packing_ms": float(np.median(naive)),
        "dots": len(pack_dots(0)),
    }
    met = figures["plate_ms"]["median"] <= MOST_MS
    figures["bars"] = [
        bar(
            7,
            f"at most {MOST_MS:g} ms a {SIZE_PX} px plate on one core, PNG apart",
            f"{figures['plate_ms']['median']:.1f} ms "
            f"(95 % below {figures['plate_ms']['p95']:.1f} ms)",
            met,
        )
    ]
    return Measured(_one_text(figures), figures)


def measure_mnist(effort: Effort) -> Measured:
    """Measure the verb on MNIST: dots and pictures of 112 px with two workers."""
    count = 800 if effort.quick else ALL_MNIST
    _require_mnist()
    effort.say(f"the verb makes {count} MNIST plates")
    with tempfile.TemporaryDirectory() as scratch:
        # Starting up costs time once: it is estimated from a run of few plates.
        begin = _run_verb(Path(scratch, "few"), FEW)
        out = Path(scratch, "plates")
        run = _run_verb(out, count)
        pictures = len(list(out.glob("*.png")))
        more = (ALL_MNIST - count) / (count - FEW)
        figures: Figures = {
            "count": count,
            "seconds": run.seconds,
            "minutes_for_all": (run.seconds + (run.seconds - begin.seconds) * more) / 60,
            "cpu_ms_a_plate": (run.cpu_s - begin.cpu_s) / (count - FEW) * 1e3,
            "pictures": pictures,
            "megabytes": sum(file.stat().st_size for file in out.iterdir()) / 1e6,
            "left_over": sorted(file.name for file in out.iterdir() if file.name.startswith(".")),
            "peak_megabytes": run.peak_megabytes,
        }
    figures["bars"] = [
        bar(
            7,
            f"MNIST's 70,000 as dots and {SMALL_PX} px in under {MOST_MINUTES:g} minutes "
            "on 2 cores",
            f"{figures['minutes_for_all']:.1f} minutes"
            + ("" if count == ALL_MNIST else f", from {count}"),
            figures["minutes_for_all"] < MOST_MINUTES and pictures == count,
        )
    ]
    return Measured(_mnist_text(figures), figures)


def _whole_plate(digits: Digits, seed: int) -> None:
    mask = digit_mask(digits.images[seed % len(digits)], SPEC)
    render(make_plate(mask, seed, seed, SPEC), "deutan", 0.04, SIZE_PX, spec=SPEC)


def _pieces(digits: Digits) -> dict[str, Callable[[int], object]]:
    dots = pack_dots(0, SPEC)
    mask = digit_mask(digits.images[3], SPEC)
    plate = make_plate(mask, 0, 0, SPEC)
    large, small = cover(dots, SIZE_PX), cover(dots, SMALL_PX)
    picture = render(plate, "deutan", 0.04, SIZE_PX, spec=SPEC)
    return {
        "mask of a digit": lambda k: digit_mask(digits.images[k % len(digits)], SPEC),
        "packing": lambda k: pack_dots(k, SPEC),
        "which dots are figure": lambda k: figure_dots(dots, mask),
        "noise and contrast": lambda k: with_contrast(
            neutral_lms(len(dots), generator(k, NOISE), SPEC), plate.figure, "deutan", 0.04, SPEC
        ),
        f"coverage, {SIZE_PX} px": lambda k: cover(dots, SIZE_PX),
        f"colouring, {SIZE_PX} px": lambda k: recolour(large, plate.lms),
        f"coverage, {SMALL_PX} px": lambda k: cover(dots, SMALL_PX),
        f"colouring, {SMALL_PX} px": lambda k: recolour(small, plate.lms),
        f"PNG of {SIZE_PX} px, level 1": lambda k: _png(picture, 1),
        f"PNG of {SIZE_PX} px, level 6": lambda k: _png(picture, 6),
    }


def _png(picture: np.ndarray, level: int) -> None:
    Image.fromarray(picture).save(io.BytesIO(), format="PNG", compress_level=level)


def _times(action: Callable[[int], object], count: int) -> list[float]:
    """Return CPU milliseconds of each call; the first, which compiles, doesn't count."""
    action(0)
    times = []
    for seed in range(1, count + 1):
        begun = CLOCK()
        action(seed)
        times.append((CLOCK() - begun) * 1e3)
    return times


def _spread(times: Sequence[float]) -> dict[str, float]:
    return {"median": float(np.median(times)), "p95": float(np.quantile(times, 0.95))}


def _compare_engines(count: int) -> tuple[list[float], int]:
    """Return numpy's milliseconds, and how many of its packings have equal bits."""
    packed: list[Packing] = []
    times = _times(
        lambda seed: packed.append(packing.pack_by(seed, SPEC, packing.fill_numpy)), count
    )
    equal = [_bits(dots) == _bits(pack_dots(seed, SPEC)) for seed, dots in enumerate(packed)]
    return times, sum(equal[1:])


def _bits(dots: Packing) -> bytes:
    return dots.x.tobytes() + dots.y.tobytes() + dots.radius.tobytes()


def _one_text(figures: Figures) -> str:
    packed = figures["pieces_ms"]["packing"]["median"]
    rows = [
        [name, f"{times['median']:.2f}", f"{times['p95']:.2f}"]
        for name, times in figures["pieces_ms"].items()
    ]
    whole = figures["plate_ms"]
    engine = "numba" if packing.compiled(packing.throw_all) is not None else "numpy alone"
    return "\n\n".join(
        [
            f"A plate of {SIZE_PX} px with {figures['dots']:,} dots takes "
            f"**{whole['median']:.1f} ms** (median; 95 % below {whole['p95']:.1f} ms) on one core "
            f"with {engine}, from the digit's image to the pixels: mask, packing, noise and "
            "rendering, all of it for each plate; the PNG comes on top. "
            + ("All times are CPU times." if _FINE_CLOCK else ""),
            table(("piece", "median, ms", "95 %, ms"), rows),
            f"Without numba, packing takes {figures['numpy_packing_ms']:.0f} ms "
            f"({figures['numpy_packing_ms'] / packed:.0f} times as long), and "
            f"{figures['equal_packings']} of {figures['compared_packings']} such packings have the "
            "same bits. A plain rejection packer (each candidate is compared with all placed "
            "dots, with distances in numpy) needs "
            f"{figures['naive_packing_ms'] / 1e3:.2f} s for the same dots at the same density: "
            f"**{figures['naive_packing_ms'] / packed:,.0f} times as long**.",
            f"Measured on {platform.machine()}, Python {platform.python_version()}.",
        ]
    )


def _mnist_text(figures: Figures) -> str:
    extrapolated = (
        "" if figures["count"] == ALL_MNIST else f" (extrapolated from {figures['count']:,})"
    )
    return (
        f"`plates --digits mnist --count {figures['count']} --size {SMALL_PX} --workers 2` took "
        f"{figures['seconds']:.0f} s and wrote {figures['megabytes']:,.0f} MB: "
        f"{figures['pictures']:,} pictures, plates.csv and dots.csv.gz. All 70,000 take "
        f"**{figures['minutes_for_all']:.1f} minutes**{extrapolated}, "
        f"{figures['cpu_ms_a_plate']:.1f} ms of CPU time a plate. The largest process held "
        f"{figures['peak_megabytes']:.0f} MB, most of it for MNIST itself: plates are made and "
        "written in groups of 100, so memory doesn't grow with their number. After an "
        "interruption the same command continues where it stopped."
    )


def _require_mnist() -> None:
    try:
        load_digits("mnist")
    except UserError as mistake:
        raise UserError(f"part mnist: {mistake}") from None


@dataclass(frozen=True, slots=True)
class _Run:
    """Seconds, CPU seconds of all processes, megabytes of the largest (0 on Windows)."""

    seconds: float
    cpu_s: float
    peak_megabytes: float


def _run_verb(out: Path, count: int) -> _Run:
    command = [sys.executable, "-c", WATCH, sys.executable, str(LAB)]
    command += ["plates", "--digits", "mnist", "--count", str(count)]
    command += ["--size", str(SMALL_PX), "--workers", "2", "--out", str(out)]
    environment = command_environment()
    told = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
    seconds, cpu_s, peak = map(float, told.stdout.split())
    return _Run(seconds, cpu_s, peak / (1e6 if sys.platform == "darwin" else 1e3))


PARTS = (
    Part("speed", "Speed", measure_one),
    Part("mnist", "MNIST at full size", measure_mnist),
)
