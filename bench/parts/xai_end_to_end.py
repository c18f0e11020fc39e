"""What `lab.py explain` costs from start to end, beside zennit's and captum's attributions."""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn
from torchvision import models

from bench.book import Effort, Measured, table
from bench.parts.commands import command_environment
from bench.parts.xai_data import photographs
from bench.parts.xai_racing import as_figures, ratio, threads
from stimuli.io.canonical import seed_of
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, InputFrame, Normalise, read_photo
from xai_backend.models.image_model import as_images

ROOT = Path(__file__).resolve().parents[2]
NETWORK = "resnet18"
BATCH, START_AT_MOST_S = 8, 3.0
AT_MOST = {"zennit": 0.5, f"zennit, {BATCH}": 0.75, "captum": 0.33}
"""What is asked for: the share of a library's time."""

FIRST_MAP = """
import sys, time
sys.path.insert(0, sys.argv.pop(1))
import lab
from xai_backend.methods.lrp import Lrp
explain = Lrp.explain
def at_first(*values, **named):
    print("first map", time.process_time())
    return explain(*values, **named)
Lrp.explain = at_first
sys.exit(lab.main(sys.argv[1:]))
"""
"""lab.py, which says how much processor time it has taken when the first map begins."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Photographs of a job, those that the library explains in a turn, and turns."""

    method: str
    photographs: int
    by_library: int
    turns: int


LRP, OCCLUSION = Setting("lrp", 120, 8, 2), Setting("occlusion", 6, 1, 1)
QUICK = Setting("lrp", 2, 2, 1)
STARTS = 2


@dataclass(frozen=True, slots=True)
class Job:
    """`lab.py explain`, in one process with one thread.

    Attributes
    ----------
    folder
        Where photographs are linked, and everything is written.
    weights
        The network's.
    device
        Where maps are computed.
    """

    folder: Path
    weights: Path
    device: str = "cpu"

    def command(self, method: str, images: Path) -> list[str]:
        """Return what is typed after ``lab.py``, with a store and a folder that are empty."""
        for name in ("store", "out"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        given = {"model": NETWORK, "method": method, "images": images, "weights": self.weights}
        given |= {"out": self.folder / "out", "store": self.folder / "store", "workers": 1}
        given |= {} if self.device == "cpu" else {"device": self.device}
        return ["explain", *(text for name in given for text in (f"--{name}", str(given[name])))]

    def linked(self, name: str, files: Sequence[Path]) -> Path:
        """Return a folder that holds these photographs."""
        folder = self.folder / name
        folder.mkdir()
        for file in files:
            (folder / file.name).symlink_to(file.resolve())
        return folder


def measure(effort: Effort) -> Measured:
    """Run whole jobs, and the libraries' attributions between them, and compare their time."""
    files = [photograph.path for photograph in photographs(LRP.photographs)]
    with prepared() as (job, model), threads(1):
        one = job.linked("one", files[:1])
        effort.say("start")
        start = [_start(job, one) for _ in range(1 if effort.quick else STARTS)]
        libraries = {
            "lrp": {"zennit": _zennit(model, 1), f"zennit, {BATCH}": _zennit(model, BATCH)},
            "occlusion": {"captum": _captum(model)},
        }
        found = [
            _race(effort, job, setting, files, libraries[setting.method])
            for setting in ((QUICK,) if effort.quick else (LRP, OCCLUSION))
        ]
    start_s = {what: median(one[what] for one in start) for what in start[0]}
    return Measured(_text(found, start_s), {"start_s": start_s, "races": found})


@contextmanager
def prepared() -> Iterator[tuple[Job, nn.Module]]:
    """Give a place for jobs with the weights, and the same network without the suite's changes."""
    with torch.random.fork_rng():
        torch.manual_seed(seed_of("bench xai", NETWORK) % 2**32)
        network = models.get_model(NETWORK, weights=None)
    with tempfile.TemporaryDirectory() as name:
        weights = Path(name, "network.pt")
        torch.save(network.state_dict(), weights)
        yield Job(Path(name), weights), network.eval().requires_grad_(False)


def _signals(files: Sequence[Path]) -> Tensor:
    """Return the network's input of photographs, (n, 3, 224, 224)."""
    frame, normalise = InputFrame(), Normalise(IMAGENET_MEAN, IMAGENET_STD)
    codes = [torch.from_numpy(frame.codes(read_photo(file)).copy()) for file in files]
    return normalise(as_images(torch.stack(codes)))


def _start(job: Job, images: Path) -> dict[str, float]:
    """Return processor time, s: of torch's import, the help, a run's first map, a whole run."""
    first = run_python(["-c", FIRST_MAP, str(ROOT), *job.command("lrp", images)])[1]
    line = next(line for line in first.splitlines() if line.startswith("first map"))
    return {
        "import torch": run_python(["-c", "import torch"])[0],
        "explain --help": run_python([str(ROOT / "lab.py"), "explain", "--help"])[0],
        "to the first map": float(line.split()[-1]),
        "one photograph": run_python([str(ROOT / "lab.py"), *job.command("lrp", images)])[0],
    }


def _race(
    effort: Effort,
    job: Job,
    setting: Setting,
    files: Sequence[Path],
    libraries: dict[str, Callable[[Tensor], None]],
) -> dict[str, Any]:
    """Return processor time an image, s, of the job and of the libraries, which take turns."""
    method = setting.method
    images = job.linked(method, files[: setting.photographs])
    pictures = _signals(files[: setting.by_library])
    times: dict[str, list[float]] = {name: [] for name in ("ours", "beyond start", *libraries)}
    for turn in range(setting.turns):
        effort.say(f"{method}, turn {turn + 1} of {setting.turns}")
        single, whole = (
            run_python([str(ROOT / "lab.py"), *job.command(method, some)])[0]
            for some in (job.folder / "one", images)
        )
        times["ours"].append(whole / setting.photographs)
        times["beyond start"].append((whole - single) / (setting.photographs - 1))
        for name, explain in libraries.items():
            begun = time.process_time()
            explain(pictures)
            times[name].append((time.process_time() - begun) / len(pictures))
    compared = {name: asdict(ratio(times, "ours", name)) for name in libraries}
    return {
        "method": method,
        "photographs": setting.photographs,
        "turns": setting.turns,
        "times_s": as_figures(times),
        "shares": compared,
    }


def _zennit(network: nn.Module, at_once: int) -> Callable[[Tensor], None]:
    from zennit.attribution import Gradient
    from zennit.composites import EpsilonPlusFlat
    from zennit.torchvision import ResNetCanonizer

    def explain(pictures: Tensor) -> None:
        for part in pictures.split(at_once):
            with Gradient(network, EpsilonPlusFlat(canonizers=[ResNetCanonizer()])) as attributor:
                attributor(part.clone().requires_grad_(), _of_the_likeliest)

    return explain


def _of_the_likeliest(logits: Tensor) -> Tensor:
    """Return each image's largest logit in its place, from which relevance sets out."""
    likeliest = logits.detach().argmax(dim=1, keepdim=True)
    return torch.zeros_like(logits).scatter_(1, likeliest, logits.detach().gather(1, likeliest))


def _captum(network: nn.Module) -> Callable[[Tensor], None]:
    from captum.attr import Occlusion

    @torch.no_grad()
    def explain(pictures: Tensor) -> None:
        for picture in pictures:
            target = int(network(picture[None]).argmax())
            windows = {"sliding_window_shapes": (3, 32, 32), "strides": (3, 8, 8)}
            Occlusion(network).attribute(picture[None], target=target, baselines=0, **windows)

    return explain


def run_python(arguments: Sequence[str]) -> tuple[float, str]:
    """Return the processor time, s, of Python with these arguments, and what it printed."""
    environment = command_environment(OMP_NUM_THREADS="1")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, done.stdout


def _text(found: Sequence[dict[str, Any]], start_s: dict[str, float]) -> str:
    rows = [
        [
            race["method"],
            str(race["photographs"]),
            f"{median(race['times_s']['ours']):.3f}",
            f"{median(race['times_s']['beyond start']):.3f}",
            _named(name),
            f"{median(race['times_s'][name]):.3f}",
            _share_in_words(share),
            f"{ratio(race['times_s'], 'beyond start', name).median:.2f}",
        ]
        for race in found
        for name, share in race["shares"].items()
    ]
    headings = (
        *("`explain --method`", "photographs", "s an image", "without the start"),
        *("compared with", "s an image there", "share", "share without the start"),
    )
    return "\n\n".join([_ABOUT, table(headings, rows), _verdict(found), _start_in_words(start_s)])


_ABOUT = (
    "These are whole runs of `explain` with ResNet-18 (random weights). A run starts Python, loads "
    "the network, reads the photographs, computes answers and maps, saves them in an empty store, "
    "and writes overlays, maps and table. Its time is compared with the bare attribution in a "
    "process that has loaded everything: zennit's EpsilonPlusFlat, and captum's Occlusion with its "
    "default of one window at a time (patch 32, stride 8). Each uses one process and one thread, "
    "and they take turns. Times are processor time, because the machine was shared. A share is "
    "the median of the turns (least to most). *Without the start* is the time of each further "
    "photograph: the time of a run with one photograph is taken off. zennit sets its hooks for "
    "each batch. The occlusion job has few photographs, because a map takes so long; each bears a "
    "large part of the start."
)


def _share_in_words(found: Mapping[str, float]) -> str:
    return f"{found['median']:.2f} ({found['least']:.2f} to {found['most']:.2f})"


def _named(library: str) -> str:
    name, _, at_once = library.partition(", ")
    return f"{name}, {at_once or 1} at once" if name == "zennit" else f"{name}'s default"


def _verdict(found: Sequence[dict[str, Any]]) -> str:
    met = all(
        share["median"] <= AT_MOST[library]
        for race in found
        for library, share in race["shares"].items()
    )
    one, several, captum = AT_MOST.values()
    return (
        f"Asked: at most {one:g} of zennit's time one at a time and {several:g} of its time "
        f"{BATCH} at once, and {captum:g} of captum's. **{'Met' if met else 'Not met'}.**"
    )


def _start_in_words(start_s: dict[str, float]) -> str:
    met = max(start_s["to the first map"], start_s["explain --help"]) < START_AT_MOST_S
    return (
        f"Start: `explain --help` takes {start_s['explain --help']:.1f} s of processor time. A run "
        f"has taken {start_s['to the first map']:.1f} s when its first map begins (importing torch "
        f"alone takes {start_s['import torch']:.1f} s), and {start_s['one photograph']:.1f} s when "
        f"one photograph is done. Asked: under {START_AT_MOST_S:g} s to the first map. "
        f"**{'Met' if met else 'Not met'}.**"
    )
