"""Analyse a study from files to files."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.data.tables import (
    PURPOSES,
    Dataset,
    read_curves,
    read_exclusions,
    read_folder,
    read_outside,
    read_outside_curves,
    read_people,
)
from analysis.report.parts import Report
from analysis.report.writer import check_folder, write_report
from analysis.studies.accept_reject import files as usefulness_files
from analysis.studies.accept_reject import present as usefulness_pages
from analysis.studies.accept_reject.results import analyse_accept_reject
from analysis.studies.accept_reject_accuracy import files as accuracy_files
from analysis.studies.accept_reject_accuracy import present as accuracy_pages
from analysis.studies.accept_reject_accuracy.results import analyse_accuracy
from analysis.studies.accept_reject_accuracy.sessions import label_words, of_one_assessment
from analysis.studies.progressive_reveal import files as reveal_files
from analysis.studies.progressive_reveal import present as reveal_pages
from analysis.studies.progressive_reveal.results import analyse_progressive_reveal
from participants.dataset.columns import TRIALS
from stimuli.errors import UserError
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

Results = dict[str, Any]
Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Done:
    """A finished analysis.

    Attributes
    ----------
    page
        The report.
    headline
        What it shows, in about three sentences.
    """

    page: Path
    headline: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Beside:
    """What lies beside a trial table.

    Attributes
    ----------
    folder
        The dataset folder; None for an outside table.
    curves
        What came with an outside table (`read_outside_curves`); None without it.
    """

    folder: Path | None
    curves: pd.DataFrame | None


@dataclass(frozen=True, slots=True)
class _Analysis:
    """What is done to a dataset of one kind.

    Attributes
    ----------
    analyse
        From dataset, purpose, who is left out, who is told, and what lies beside the table to
        the results.
    build_report
        From the results to the page.
    flat_tables
        From the results to the rows of the table files.
    tables, figures
        Stems of the files that a report may hold.
    """

    analyse: Callable[[Dataset, str | None, Sequence[str], Told, _Beside], Results]
    build_report: Callable[[Results], Report]
    flat_tables: Callable[[Results], Mapping[str, Sequence[Mapping[str, Any]]]]
    tables: Collection[str]
    figures: Collection[str]


def run_analysis(
    study: str,
    out: Path,
    *,
    data: Path | None = None,
    trials: Path | None = None,
    items: Path | None = None,
    curves: Path | None = None,
    protocol: Path | None = None,
    purpose: str | None = None,
    exclude: Path | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> Done:
    """Analyse a dataset folder or an outside table, and write the report.

    Parameters
    ----------
    study
        Name of the study.
    out
        Folder of the report.
    data
        A dataset folder; or
    trials, items, curves, protocol
        an outside trial table, and where there are, its item table, table of curves and
        protocol.
    purpose
        Which sessions; None for main, or the one purpose that there is.
    exclude
        File with participants to leave out.
    step
        Told what is being done.

    Raises
    ------
    UserError
        If the study is unknown, a file is wrong, or the folder can't be written.
    """
    if study not in TRIALS:
        raise UserError(f"no analysis of {study!r}; there is: {', '.join(sorted(TRIALS))}")
    if purpose is not None and purpose not in PURPOSES:
        raise UserError(f"--purpose {purpose!r}: not one of {', '.join(PURPOSES)}")
    step("reading tables and journals")
    uncovered = read_outside_curves(study, curves) if curves is not None else None
    if data is not None:
        dataset = read_folder(study, data)
    else:
        dataset = read_outside(study, trials, items, protocol)
    dataset = of_one_assessment(dataset)
    analysis = _analysis_of(dataset)
    left_out = read_exclusions(exclude, dataset.trials) if exclude is not None else ()
    check_folder(out, {"tables": analysis.data.tables, "figures": analysis.figures})
    results = analysis.analyse(dataset, purpose, left_out, step, _Beside(data, uncovered))
    step("drawing figures and writing the report")
    report = analysis.build_report(results)
    page = write_report(out, report, results, analysis.flat_tables(results))
    return Done(page, tuple(results["headline"]))


def _analysis_of(dataset: Dataset) -> _Analysis:
    if isinstance(dataset.protocol, ProgressiveReveal):
        files, pages, analyse = reveal_files, reveal_pages, _reveal
    elif isinstance(dataset.protocol, AcceptRejectAccuracy):
        files, pages, analyse = accuracy_files, accuracy_pages, _accuracy
    else:
        files, pages, analyse = usefulness_files, usefulness_pages, _usefulness
    return _Analysis(
        analyse, pages.build_report, files.flat_tables, files.TABLE_NAMES, pages.FIGURE_NAMES
    )


def _reveal(
    dataset: Dataset, purpose: str | None, left_out: Sequence[str], step: Told, beside: _Beside
) -> Results:
    study, folder, curves, people = dataset.study, beside.folder, beside.curves, None
    if folder is not None:
        curves, people = read_curves(study, folder), read_people(study, folder)
    return analyse_progressive_reveal(dataset, purpose, left_out, step, curves, people)


def _accuracy(
    dataset: Dataset, purpose: str | None, left_out: Sequence[str], step: Told, beside: _Beside
) -> Results:
    return analyse_accuracy(dataset, purpose, left_out, step, label_words(beside.folder))


def _usefulness(
    dataset: Dataset, purpose: str | None, left_out: Sequence[str], step: Told, beside: _Beside
) -> Results:
    return analyse_accept_reject(dataset, purpose, left_out, step)
