"""Analyse a study: read its data, compute the results and write the report.

The solution pack that participants saw is read too if its pictures are available.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from analysis.data.json_values import plain
from analysis.data.selected import PURPOSES, read_exclusions
from analysis.data.sessions import Sessions
from analysis.data.tables import Dataset, read_folder, read_outside
from analysis.options import AnalyseOptions
from analysis.preregister.frozen import compare, headline, read_frozen, with_preregistration
from analysis.report.checks import FROM_ELSEWHERE, suspect_sentence
from analysis.report.style import drawn_with
from analysis.report.writer import check_folder, json_text, write_report
from participants.folder import DataFolder
from participants.lab_registry import lab_of
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.pack import Pack, open_pack
from stimuli.study import fonts_in
from stimuli.typeface import read_font

ASSETS = "assets"


def pack_at_hand(dataset: Dataset, folder: Path | None) -> Pack | None:
    """Return a pack that people in a dataset were shown, with its pictures; None if there is none.

    Parameters
    ----------
    dataset
        The dataset; its folder keeps its packs' tables, and the pictures too if somebody put the
        whole pack there.
    folder
        The pack's folder, as the user named it.

    Raises
    ------
    UserError
        If the folder isn't an intact pack, or nobody in the data was shown it.
    """
    trials = dataset.trials
    pack_ids = list(trials["pack_id"].value_counts().index) if "pack_id" in trials else []
    if folder is not None:
        pack = open_pack(folder, "solutions")
        if pack_ids and pack.pack_id not in pack_ids:
            raise UserError(
                f"--pack {folder}: is pack {pack.pack_id}; the data are of pack {pack_ids[0]}"
            )
        return pack
    return next((pack for pack in dataset.copies.values() if _has_pictures(dataset, pack)), None)


def screens_at_hand(dataset: Dataset) -> Path | None:
    """Return the folder of the lab with the pictures of a pack's screens; None without one."""
    if dataset.folder is None:
        return None
    try:
        lab = lab_of(DataFolder(dataset.folder), None)
    except UserError:
        return None
    there = (lab.screens(pack_id) for pack_id in dataset.copies)
    return next((folder for folder in there if folder.is_dir()), None)


def _has_pictures(dataset: Dataset, pack: Pack) -> bool:
    assert dataset.folder is not None
    return (DataFolder(dataset.folder).pack_copy(pack.pack_id) / ASSETS).is_dir()


@dataclass(frozen=True, slots=True)
class FinishedAnalysis:
    """A finished analysis.

    Attributes
    ----------
    page
        The report.
    headline
        What it shows, in about three sentences.
    warnings
        What may change the conclusions, one sentence each.
    suspect
        Why sessions and tables can't be trusted, which aren't analysed; one line each.
    notes
        What else is known of the journals, and what figures lack; one sentence each.
    """

    page: Path
    headline: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    suspect: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


# Matrices are small, or tall and narrow: more threads would mostly wait for one another.
# Parts of large tables share their columns: else each step would copy them.
@threadpool_limits.wrap(limits=1)
@pd.option_context("mode.copy_on_write", True)
def run_analysis(
    study: str,
    options: AnalyseOptions,
    beside: Mapping[str, Path] | None = None,
    step: Callable[[str], None] = lambda _: None,
) -> FinishedAnalysis:
    """Analyse a dataset folder or an outside table, and write the report.

    Parameters
    ----------
    study
        Name of the study.
    options
        What is analysed, under which rules, and the folder of the report.
    beside
        The tables beside an outside trial table, by the stem under which the study declares them.
    step
        Called with what is being done.

    Raises
    ------
    UserError
        If neither `data` nor `trials` is given, the study is unknown, a file is wrong, or
        the folder can't be written.
    """
    _refuse_lacking(options)
    inquiry = studies_of("analysis").require(study).inquiry()
    check_folder(options.out, {"tables": inquiry.tables, "figures": inquiry.figures})
    registered = options.preregistration
    frozen = None if registered is None else read_frozen(registered, inquiry.quantities)
    step("reading tables and journals")
    dataset = _read(study, options, beside or {})
    left_out = () if options.exclude is None else read_exclusions(options.exclude, dataset.trials)
    data = inquiry.read(dataset, options.purpose, left_out)
    results = inquiry.results_of(dataset, data, step)
    results = _with_custody(results, dataset.sessions)
    step("drawing figures and writing the report")
    pictures = inquiry.pictures(dataset, results)
    fonts, unknown = _fonts(dataset)
    with drawn_with(fonts, json_text(results) if fonts else ""):
        built = inquiry.build({**results, "pictures": pictures})
        if frozen is not None:
            titles = {section.title for section in inquiry.sections}
            sections = [section for section in built.sections if section.title in titles]
            compared = compare(frozen, study, dataset, results, left_out, sections)
            built = with_preregistration(built, compared)
            results = {
                **results,
                "headline": [*results["headline"], *headline(compared)],
                "preregistration": plain(compared),
            }
        refit = inquiry.refit_files(data)
        page = write_report(options.out, built, results, inquiry.json_schema(), refit)
    return FinishedAnalysis(
        page,
        headline=tuple(results["headline"]),
        warnings=tuple(results["warnings"]),
        suspect=tuple(results.get("suspect", ())),
        notes=(*unknown, *(() if dataset.sessions is None else dataset.sessions.notes)),
    )


def _fonts(dataset: Dataset) -> tuple[tuple[bytes, ...], tuple[str, ...]]:
    """Return the fonts of a dataset's pack, or of this PC, and what figures lack without others."""
    if dataset.pack is not None:
        return fonts_in(dataset.pack), ()
    fonts, unknown = [], []
    for name in dataset.protocol.fonts:
        try:
            fonts.append(read_font(name))
        except UserError:
            unknown.append(
                f"{name} isn't on this PC: figures have boxes for signs that it alone has; install "
                "the font, or name the pack with --pack"
            )
    return tuple(fonts), tuple(unknown)


def _refuse_lacking(options: AnalyseOptions) -> None:
    """Refuse options without data, or with an unknown purpose."""
    if options.data is None and options.trials is None:
        raise UserError("give either --data DIR or --trials FILE")
    if options.purpose is not None and options.purpose not in PURPOSES:
        raise UserError(f"--purpose {options.purpose!r}: not one of {', '.join(PURPOSES)}")


def _read(study: str, options: AnalyseOptions, beside: Mapping[str, Path]) -> Dataset:
    if options.data is not None:
        dataset = read_folder(study, options.data)
    else:
        assert options.trials is not None
        dataset = read_outside(study, options.trials, options.protocol, beside)
    pack = pack_at_hand(dataset, options.pack)
    if options.screens is not None and not options.screens.is_dir():
        raise UserError(f"--screens {options.screens}: is no folder; name one that screens wrote")
    screens = options.screens or screens_at_hand(dataset)
    return replace(dataset, pack=pack, screens=screens, means=options.interval)


def _with_custody(results: dict[str, Any], sessions: Sessions | None) -> dict[str, Any]:
    """Return results that name what can't be trusted or checked; the first warning says so."""
    if sessions is None:
        return {**results, "warnings": [FROM_ELSEWHERE, *results["warnings"]]}
    if not sessions.all_suspect:
        return results
    warnings = [suspect_sentence(sessions), *results["warnings"]]
    return {**results, "warnings": warnings, "suspect": list(sessions.all_suspect)}
