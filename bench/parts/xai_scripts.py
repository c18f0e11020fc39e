"""What `lab.py explain` costs from start to end, beside a plain script around captum."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from PIL import Image

from bench.book import Effort, Measured, table
from bench.parts.xai_data import photographs
from bench.parts.xai_end_to_end import ROOT, Job, prepared, run_python
from bench.parts.xai_racing import as_figures, device_of, ratio
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of

RACES = {"integrated_gradients": (12, 3), "gradcam": (60, 9)}
"""Photographs and turns by method."""
QUICK_PHOTOGRAPHS = 4
AT_MOST = 1.0
IN_DOUBLE = 4
OFF_DOUBLE = ("explain's from float64", "script's from float64")
SIZE_PX, SPOTS = (500, 375), (10, 8)
SCRIPT = "bench.parts.captum_script"


def measure(effort: Effort) -> Measured:
    """Run the jobs and the script in turns; ``--set photographs=N`` and ``turns=N`` make fewer."""
    device = device_of(effort).type
    found = []
    with prepared() as (job, _):
        job = replace(job, device=device)
        for method, usual in RACES.items():
            count, turns = (QUICK_PHOTOGRAPHS, 1) if effort.quick else usual
            count = int(effort.options.get("photographs", count))
            files, made_up = _photographs(count, job.folder)
            images = job.linked(f"for_{method}", files)
            turns = int(effort.options.get("turns", turns))
            race = _race(effort, job, method, images, turns)
            found.append({**race, "photographs": count, "made_up": made_up, "turns": turns})
    figures = {"device": device, "races": found}
    return Measured(_text(figures), figures)


def _photographs(count: int, folder: Path) -> tuple[list[Path], bool]:
    """Return photographs, made-up ones where this computer has no others."""
    try:
        return [photograph.path for photograph in photographs(count)], False
    except UserError:
        return [_made_up(folder / f"spots{number}.jpg", number) for number in range(count)], True


def _made_up(file: Path, number: int) -> Path:
    rng = np.random.Generator(np.random.PCG64(seed_of("bench xai", "spots", number)))
    spots = rng.integers(0, 256, (*SPOTS[::-1], 3), dtype=np.uint8)
    Image.fromarray(spots).resize(SIZE_PX, Image.Resampling.BICUBIC).save(file, quality=90)
    return file


def _race(effort: Effort, job: Job, method: str, images: Path, turns: int) -> dict[str, Any]:
    """Return the time, s, of whole processes that take turns: on a CPU processor time."""
    times: dict[str, list[float]] = {"explain": [], "script": []}
    plain = job.folder / "plain.safetensors"
    script = ["-m", SCRIPT, method, str(job.weights), str(images), str(plain), job.device]
    for turn in range(turns):
        effort.say(f"{method}, turn {turn + 1} of {turns}")
        command = [str(ROOT / "lab.py"), *job.command(method, images)]
        for name, arguments in (("explain", command), ("script", script)):
            begun = time.perf_counter()
            processor_s, _ = run_python(arguments)
            lasted_s = time.perf_counter() - begun
            times[name].append(processor_s if job.device == "cpu" else lasted_s)
    return {
        "method": method,
        "times_s": as_figures(times),
        "ratio": asdict(ratio(times, "explain", "script")),
        "difference": _difference(plain, job.folder / "out" / "maps.safetensors"),
        "off_double": _off_double(job, method, images, plain),
    }


def _difference(one: Path, other: Path) -> float:
    """Return the largest difference of two files' maps, as a share of a map's largest value."""
    from safetensors.numpy import load_file

    ours, theirs = load_file(other), load_file(one)
    if ours.keys() != theirs.keys():
        raise RuntimeError("explain and the script explained other photographs")
    return max(
        float(np.abs(ours[name] - theirs[name]).max() / np.abs(theirs[name]).max())
        for name in theirs
    )


def _off_double(job: Job, method: str, images: Path, plain: Path) -> dict[str, float]:
    """Return how far both sides' maps of a few photographs are at most from those in float64."""
    from safetensors.numpy import load_file

    from bench.parts import captum_script

    files = sorted(images.iterdir())[:IN_DOUBLE]
    photographs, model = captum_script.pictures(files), captum_script.load_network(job.weights)
    targets = model(photographs).argmax(dim=1)
    explain = getattr(captum_script, method)
    exact = explain(model.double(), photographs.double(), targets).detach().numpy()
    sides = {"script": plain, "explain": job.folder / "out" / "maps.safetensors"}
    return {
        side: max(
            float(np.abs(maps[file.stem] - one).max() / np.abs(one).max())
            for file, one in zip(files, exact, strict=True)
        )
        for side, maps in ((side, load_file(path)) for side, path in sides.items())
    }


def _text(figures: Mapping[str, Any]) -> str:
    rows = [
        [
            race["method"],
            str(race["photographs"]),
            str(race["turns"]),
            f"{median(race['times_s']['explain']):.1f}",
            f"{median(race['times_s']['script']):.1f}",
            f"{race['ratio']['median']:.2f} ({race['ratio']['least']:.2f} to "
            f"{race['ratio']['most']:.2f})",
            f"{race['difference']:.0e}",
            *(f"{race['off_double'][side]:.0e}" for side in ("explain", "script")),
        ]
        for race in figures["races"]
    ]
    headings = (
        "method",
        "photographs",
        "turns",
        "explain, s",
        "script, s",
        "ratio",
        "difference",
        *OFF_DOUBLE,
    )
    made_up = any(race["made_up"] for race in figures["races"])
    kind = "made-up pictures of 500 × 375 pixels" if made_up else "photographs"
    times = "processor time" if figures["device"] == "cpu" else "from the clock on the wall"
    about = _ABOUT.format(kind=kind, times=times, double=IN_DOUBLE)
    return "\n\n".join([about, table(headings, rows), _verdict(figures["races"])])


_ABOUT = (
    "`explain` and a plain script (`bench/parts/captum_script.py`) explain the same {kind} "
    "with ResNet-18 (random weights), each in one process with one thread, from Python's "
    "start to its end, in turns. Times are {times}. The script imports "
    "torch, torchvision and captum (torchvision as the suite imports it, without torch's "
    "compiler), loads the weights, prepares photographs with torchvision's transforms (shorter "
    "side 256, centre 224), takes four at once, asks the network for the most likely class, "
    "explains it, and saves all maps in one file. Both take integrated gradients from captum with "
    "50 steps, 10 at once; the script takes GradCAM from captum, too. The script does no more. "
    "`explain` also hashes the weights and pictures, keeps each map in its store, and draws an "
    "overlay of each photograph, a sheet and a table. It stores the network's weights channels "
    "last. *Difference* is the largest difference of the maps as a share of a map's largest value; "
    "the last columns give the same for the maps of the first {double} pictures against float64. "
    "A gradient jumps where a rectifier or a max pool tips, and rounding decides on which side."
)


def _verdict(races: Sequence[dict[str, Any]]) -> str:
    met = all(race["ratio"]["median"] <= AT_MOST for race in races)
    return f"Asked: no more than the script's time. **{'Met' if met else 'Not met'}.**"
