"""Analyse a study from files to files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from analysis.report.writer import check_folder, write_report
from analysis.studies.accept_reject import files as usefulness_files
from analysis.studies.accept_reject import present as usefulness_pages
from analysis.studies.accept_reject.results import analyse_accept_reject
from analysis.studies.accept_reject_accuracy import files as accuracy_files
from analysis.studies.accept_reject_accuracy import present as accuracy_pages
from analysis.studies.accept_reject_accuracy.results import analyse_accuracy
from analysis.studies.accept_reject_accuracy.sessions import label_words, of_one_assessment
from analysis.tables import PURPOSES, read_exclusions, read_folder, read_outside
from participants.dataset.columns import TRIALS
from stimuli.errors import UserError
from stimuli.protocol.accept_reject_accuracy import AcceptRejectAccuracy


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


def run_analysis(
    study: str,
    out: Path,
    *,
    data: Path | None = None,
    trials: Path | None = None,
    items: Path | None = None,
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
    trials, items, protocol
        an outside trial table, and where there are, its item table and protocol.
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
    if data is not None:
        dataset = read_folder(study, data)
    else:
        dataset = read_outside(study, trials, items, protocol)
    dataset = of_one_assessment(dataset)
    accuracy = isinstance(dataset.protocol, AcceptRejectAccuracy)
    files, pages = (
        (accuracy_files, accuracy_pages) if accuracy else (usefulness_files, usefulness_pages)
    )
    left_out = read_exclusions(exclude, dataset.trials) if exclude is not None else ()
    check_folder(out, {"tables": files.TABLE_NAMES, "figures": pages.FIGURE_NAMES})
    if accuracy:
        results = analyse_accuracy(dataset, purpose, left_out, step, label_words(data))
    else:
        results = analyse_accept_reject(dataset, purpose, left_out, step)
    step("drawing figures and writing the report")
    report = pages.build_report(results)
    page = write_report(out, report, results, files.flat_tables(results))
    return Done(page, tuple(results["headline"]))
