"""Any CSV or TSV as a table of numbers and text."""

import csv
import warnings
from pathlib import Path

import pandas as pd

from analysis.mixed.cells import MISSING, as_numbers
from stimuli.errors import UserError


def read_any_table(path: Path) -> pd.DataFrame:
    """Return a table whose columns are numbers where every filled cell is one, else text.

    Parameters
    ----------
    path
        UTF-8; separated by tabs where it ends in ``.tsv`` or its header holds tabs and no
        comma, by semicolons where its header holds those and no comma; there numbers may
        have a decimal comma.

    Raises
    ------
    UserError
        If the file can't be read, a column occurs twice, or it has no rows.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            header = stream.readline()
        separator = _separator(path, header)
        names = next(csv.reader([header], delimiter=separator), [])
        twice = sorted({name for name in names if name and names.count(name) > 1})
        if twice:
            raise UserError(f"{path}: column occurs twice: {', '.join(twice)}")
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            text = pd.read_csv(
                path,
                sep=separator,
                dtype=str,
                keep_default_na=False,
                encoding="utf-8-sig",
                index_col=False,
                skipinitialspace=True,
            )
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; save it as UTF-8 CSV") from None
    except pd.errors.ParserWarning:
        raise UserError(f"{path}: rows have more cells than the header has names") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: is not a CSV or TSV table ({reason})") from None
    if text.empty:
        raise UserError(f"{path}: has a header and no rows")
    text.columns = [str(name).strip() for name in text.columns]
    decimal = "," if separator == ";" else "."
    return pd.DataFrame({name: _numbers_or_text(text[name], decimal) for name in text})


def _separator(path: Path, header: str) -> str:
    if path.suffix.lower() in (".tsv", ".tab") or ("\t" in header and "," not in header):
        return "\t"
    return ";" if ";" in header and "," not in header else ","


def _numbers_or_text(cells: pd.Series, decimal: str) -> pd.Series:
    stripped = cells.str.strip()
    empty = stripped.isin(MISSING)
    numbers = as_numbers(stripped.mask(empty).str.replace(decimal, ".", regex=False))
    if (numbers.notna() | empty).all() and not empty.all():
        return numbers
    return stripped.mask(empty, None).astype(object)
