"""What the commands under ``power`` of all studies have to keep."""

import csv
import json

from analysis.cli import main
from tests.analysis.formats import without_drawings

TIMES = ("median_run_s",)


def run(base, out, *more):
    """Run a command into a folder; return its results and its table without times."""
    assert main([*base, "--out", str(out), *more]) == 0
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    return results, [{k: v for k, v in row.items() if k not in TIMES} for row in results["power"]]


def check_files(out, rows, figures, formats=("svg",)):
    """Table and figures are there, and the page needs nothing from elsewhere; return the page."""
    with (out / "power.csv").open(encoding="utf-8") as stream:
        table = list(csv.DictReader(stream))
    assert [float(row["power"]) for row in table] == [row["power"] for row in rows]
    for name in figures:
        for kind in formats:
            assert (out / "figures" / f"{name}.{kind}").stat().st_size > 1000
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "http://" not in page.replace("http://www.w3.org", "")
    return page


def check_continues(base, done, again, workers=1):
    """Half of the finished runs are lost, as if it had been stopped there; it goes on."""
    out, _, rows = done
    lines = (out / "runs.jsonl").read_bytes().splitlines(keepends=True)
    again.mkdir()
    kept = b"".join(lines[: len(lines) // 2])
    (again / "runs.jsonl").write_bytes(kept + lines[-1][:20])
    with without_drawings():
        assert run(base, again, "--workers", str(workers))[1] == rows
    assert (again / "runs.jsonl").read_bytes().startswith(kept)


def check_one_line(arguments, out, said, capsys):
    """A mistake ends with one line that says what is wrong, and without a folder."""
    assert main([*arguments, "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    for word in said:
        assert word in error
    assert not out.exists() or not (out / "results.json").exists()
