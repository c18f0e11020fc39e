"""Analyse a study: read its files and write its report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from analysis.data.json_values import plain
from analysis.data.pack_at_hand import pack_at_hand
from analysis.data.selected import PURPOSES, read_exclusions
from analysis.data.tables import read_folder, read_outside
from analysis.preregister.compared import compare
from analysis.preregister.frozen import read_frozen
from analysis.preregister.shown import sentence, with_preregistration
from analysis.report.checks import suspect_sentence
from analysis.report.writer import check_folder, write_report
from analysis.statistics.bootstrap.draws import Means
from stimuli.catalogue import studies_of
from stimuli.errors import UserError


@dataclass(frozen=True, slots=True)
class Done:
    """A finished analysis.

    Attributes
    ----------
    page
        The report.
    headline
        What it shows, in about three sentences.
    suspect
        Why sessions and tables can't be trusted, which aren't analysed; one line each.
    """

    page: Path
    headline: tuple[str, ...]
    suspect: tuple[str, ...] = ()


# Matrices are small, or tall and narrow: more threads would mostly wait for each other.
@threadpool_limits.wrap(limits=1)
def run_analysis(
    study: str,
    out: Path,
    *,
    data: Path | None = None,
    trials: Path | None = None,
    beside: Mapping[str, Path] | None = None,
    protocol: Path | None = None,
    purpose: str | None = None,
    exclude: Path | None = None,
    pack: Path | None = None,
    preregistration: Path | None = None,
    means: Means = "two_way",
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
    trials, beside, protocol
        an outside trial table, and where there are, the tables beside it by the stem under
        which the study declares them, and its protocol.
    purpose
        Which sessions; None for main, or the one purpose that there is.
    exclude
        File with participants to leave out.
    pack
        The pack that was shown, for figures of what was shown; None for the dataset folder's
        copy, where that holds pictures.
    preregistration
        Folder of the preregistration that the analysis is compared with; None for none.
    means
        Where intervals of means come from; as in `Resampling`.
    step
        Told what is being done.

    Raises
    ------
    UserError
        If not one of `data` and `trials` is given, the study is unknown, a file is wrong, or
        the folder can't be written.
    """
    if (data is None) == (trials is None):
        raise UserError("give either --data DIR or --trials FILE")
    if data is not None and (beside or protocol is not None):
        given = [f"--{name}" for name in (*(beside or ()), *(["protocol"] if protocol else []))]
        raise UserError(
            f"{', '.join(given)}: go with --trials, not with --data; a dataset folder has its own"
        )
    if purpose is not None and purpose not in PURPOSES:
        raise UserError(f"--purpose {purpose!r}: not one of {', '.join(PURPOSES)}")
    inquiry = studies_of("analysis").require(study).inquiry()
    frozen = None if preregistration is None else read_frozen(preregistration)
    step("reading tables and journals")
    if data is not None:
        dataset = read_folder(study, data)
    else:
        assert trials is not None
        dataset = read_outside(study, trials, protocol, beside)
    dataset = replace(dataset, pack=pack_at_hand(dataset, pack), means=means)
    left_out = read_exclusions(exclude, dataset.trials) if exclude is not None else ()
    check_folder(out, {"tables": inquiry.tables, "figures": inquiry.figures})
    results = inquiry.analyse(dataset, purpose, left_out, step)
    suspect = dataset.sessions.all_suspect if dataset.sessions is not None else ()
    if dataset.sessions is not None and suspect:
        headline = [suspect_sentence(dataset.sessions), *results["headline"]]
        results = {**results, "headline": headline, "suspect": list(suspect)}
    step("drawing figures and writing the report")
    shown = results
    if dataset.pack is not None:
        shown = {**results, "pictures": inquiry.pictures(dataset.pack, results)}
    built = inquiry.build(shown)
    if frozen is not None:
        own = {section.title for section in inquiry.sections}
        sections = [section for section in built.sections if section.title in own]
        compared = compare(frozen, study, dataset, results, left_out, sections)
        built = with_preregistration(built, compared)
        headline = [*results["headline"], sentence(compared)]
        results = {**results, "headline": headline, "preregistration": plain(compared)}
    page = write_report(out, built, results, inquiry.json_schema())
    return Done(page, tuple(results["headline"]), suspect)
