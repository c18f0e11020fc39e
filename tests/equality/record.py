"""Make the artefacts of small studies with fixed seeds, and write down what is compared of them.

Everything goes through the command line, as a person would type it, so that the code below it may
change as it likes.
"""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from tests.equality.cases import CASES, ROOT, Case
from tests.equality.differences import MACHINE
from tests.equality.pages import methods_text, page_lines
from tests.equality.steady import steady_csv, steady_lines, steady_text, steady_value

PACKS = ROOT / "out" / "equality" / "packs"
"""Packs are kept between runs, by the code that makes them."""
MAKES_PACKS = (
    "stimuli",
    "participants",
    "xai_backend",
    "requirements.txt",
    "tests/equality/protocols",
    "tests/equality/cases.py",
)
"""What a pack depends on."""
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
PROCESSES = 2
NUMERIC = ("numpy", "scipy", "pandas", "torch", "matplotlib", "scikit-learn", "pillow")
WIDTH = "100"
SHARED = "shared"
"""Stands for a study where something belongs to all."""
VERBS = ("build", "simulate", "analyse", "power")

Say = Callable[[str], None]


class StepError(Exception):
    """A command of the kit failed: which one, and what it said."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the commands of one study run, and by which environment."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, *words: str) -> str:
        """Run one verb of the door in the folder and return what it printed."""
        command = [sys.executable, str(ROOT / "lab.py"), *words]
        ended = subprocess.run(
            command,
            cwd=self.folder,
            env=dict(self.environment),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if ended.returncode:
            last = (ended.stderr.strip() or "nothing was said").splitlines()[-1]
            raise StepError(f"{' '.join(words)}: status {ended.returncode}: {last}")
        return ended.stdout


def write_record(
    out: Path, studies: Sequence[str] = (), packs: Path = PACKS, say: Say = lambda line: None
) -> None:
    """Write what is compared of the studies into a folder; of all of them by default.

    Raises
    ------
    StepError
        If a command fails.
    """
    cases = [case for case in CASES if not studies or case.study in studies]
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / MACHINE, machine())
    with _work_folder() as work, ThreadPoolExecutor(PROCESSES) as pool:
        jobs = [
            pool.submit(_record_case, case, work, out / case.study, packs, say) for case in cases
        ]
        jobs.append(pool.submit(_record_shared, work, out / SHARED))
        faults = [fault for job in jobs if (fault := job.exception()) is not None]
    if faults:
        raise StepError("; ".join(map(str, faults)))


def machine() -> dict[str, str]:
    """Return what the last digits of a number may depend on."""
    known = {"cpu": _cpu(), "system": platform.platform(), "python": platform.python_version()}
    return {**known, **{name: version(name) for name in NUMERIC}}


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    found = re.search(r"model name\s*: (.*)", text)
    features = re.search(r"flags\s*: (.*)", text)
    vectors = [] if features is None else [f for f in features[1].split() if f.startswith("avx")]
    return " ".join((found[1] if found else platform.machine(), *vectors))


@contextmanager
def _work_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="plainsight-equality-") as name:
        yield Path(name)


def _bench(work: Path, name: str) -> Bench:
    folder = work / name
    folder.mkdir()
    homes = {name: str(work / "home") for name in ("HOME", "USERPROFILE", "XDG_CACHE_HOME")}
    return Bench(
        folder,
        {
            **{name: value for name, value in os.environ.items() if name != "PLAINSIGHT_DATA"},
            **homes,
            **dict.fromkeys(ONE_THREAD, "1"),
            "MPLBACKEND": "Agg",
            "COLUMNS": WIDTH,
            "TERM": "dumb",
            "NO_COLOR": "1",
            "PLAINSIGHT_LAB": str(folder / "lab"),
            "PLAINSIGHT_PYTHON_ENV": "current",
        },
    )


def _record_case(case: Case, work: Path, out: Path, packs: Path, say: Say) -> None:
    bench = _bench(work, case.study)
    _fresh(out)
    say(f"{case.study}: pack")
    pack = _pack(case, bench, packs)
    manifest = json.loads((pack / "pack.json").read_text(encoding="utf-8"))
    write_json(out / "pack.json", {"pack_id": manifest["pack_id"]})
    say(f"{case.study}: preregistration")
    protocol, registered = str(case.protocol), bench.folder / "registered"
    bench.run(
        "preregister", protocol, "--participants", "20", "--rationale", "A trial.",
        "--out", "registered",
    )  # fmt: skip
    _record_preregistration(registered, out / "preregistration")
    for name, robots, options in (
        ("whole", case.robots, ("--pack", str(pack), "--preregistration", "registered")),
        ("few", case.few, ("--interval", "bootstrap")),
    ):
        say(f"{case.study}: {name}: sessions")
        bench.run(
            "simulate", case.study, "--pack", str(pack), "--mix", robots, "--seed", "1",
            "--out", f"{name}-data",
        )  # fmt: skip
        tables = bench.folder / f"{name}-data" / "tables"
        _copy_tables(tables, out / name / "data")
        say(f"{case.study}: {name}: analysis")
        _analyse(case, bench, name, out, "--data", f"{name}-data", *options)
    say(f"{case.study}: outside table")
    trials = "whole-data/tables/trials.csv"
    _analyse(case, bench, "outside", out, "--trials", trials, "--protocol", protocol)
    say(f"{case.study}: power")
    bench.run("power", case.study, *case.power, "--workers", "1", "--out", "power")
    record_report(bench.folder / "power", out / "power")
    for verb in VERBS:
        write_text(out / "help" / f"{verb}.txt", steady_text(bench.run(verb, case.study, "--help")))
    say(f"{case.study}: done")


def _record_shared(work: Path, out: Path) -> None:
    """Write the generated pages of the documentation, made anew."""
    bench = _bench(work, SHARED)
    _fresh(out)
    script = (
        "import json, sys; from participants.dictionary import documents; "
        "json.dump(documents(), sys.stdout)"
    )
    made = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=dict(bench.environment),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    for name, text in json.loads(made.stdout).items():
        write_text(out / "docs" / name, text)


def _pack(case: Case, bench: Bench, packs: Path) -> Path:
    """Return the study's pack, from an earlier run of the same code or built now."""
    kept = packs / code_digest() / case.study
    if not kept.is_dir():
        case.prepare(bench.folder)
        bench.run(
            "build", case.study, "--protocol", str(case.protocol), *case.build, "--out", "pack"
        )
        kept.parent.mkdir(parents=True, exist_ok=True)
        aside = kept.with_name(f"{kept.name}-{os.getpid()}")
        shutil.copytree(bench.folder / "pack", aside)
        aside.rename(kept)
    return kept


def code_digest() -> str:
    """Return a hash of the code that packs depend on."""
    digest = hashlib.sha256()
    for place in MAKES_PACKS:
        path = ROOT / place
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(ROOT).as_posix()}\n".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _analyse(case: Case, bench: Bench, name: str, out: Path, *options: str) -> None:
    bench.run("analyse", case.study, *options, "--out", f"{name}-report")
    record_report(bench.folder / f"{name}-report", out / name)


def record_report(report: Path, out: Path) -> None:
    """Write down a report: results, page, methods, tables, and its drawings by their hashes."""
    results = json.loads((report / "results.json").read_text(encoding="utf-8"))
    write_json(out / "results.json", steady_value(results))
    html = (report / "report.html").read_text(encoding="utf-8")
    lines = steady_lines(page_lines(steady_text(html)))
    write_text(out / "page.txt", "\n".join(lines) + "\n")
    write_text(out / "methods.txt", "\n".join(methods_text(lines)) + "\n")
    _copy_tables(report / "tables", out / "tables")
    drawings = sorted((report / "figures").glob("*.svg"))
    write_json(
        out / "figures.json",
        {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in drawings},
    )


def _record_preregistration(folder: Path, out: Path) -> None:
    for path in sorted(folder.iterdir()):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            write_json(out / path.name, steady_value(json.loads(text)))
        elif path.suffix == ".html":
            write_text(out / "page.txt", "\n".join(page_lines(steady_text(text))) + "\n")
        else:
            write_text(out / path.name, steady_text(text))


def _fresh(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)


def _copy_tables(folder: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.csv")):
        text = path.read_bytes().decode("utf-8")
        (out / path.name).write_bytes(steady_csv(text).encode("utf-8"))


def write_text(path: Path, text: str) -> None:
    """Write a file and the folder that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: object) -> None:
    """Write JSON and the folder that it needs."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")
