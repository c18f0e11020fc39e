"""Exports of robots' data as tests ask for them, and what is in them."""

import csv

from participants.export.run import ExportRequest


def asked(tmp_path, **more):
    """Return what exports robots' data to a folder `out`."""
    return ExportRequest(tmp_path / "out", purpose="robot", **more)


def tsv_rows(path):
    """Return the rows of a table of BIDS."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def csv_rows(path):
    """Return the rows of a table of Psych-DS."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def everything_in(folder):
    """Return the names and the content of all files as one text."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "\n".join([*map(str, files), *(path.read_text("utf-8", "replace") for path in files)])
