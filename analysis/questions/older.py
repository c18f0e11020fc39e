"""Older versions of results.json: what most of their conversion is."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, Final

Document = Mapping[str, Any]

ANY: Final = "*"
"""Stands for any key in the paths of `Inquiry.renamed`, which a study's own step moves."""
NOT_FITTED: Final[Document] = {
    "formula": "", "family": "", "engine": "", "n": 0, "groups": {}, "log_likelihood": None,
    "converged": False, "fixed": [], "random": [], "correlations": [], "notes": [],
}  # fmt: skip
"""What a model that wasn't fitted has in version 2.0 beside the reason."""


def with_keys_moved(old: Document, renamed: Mapping[str, str]) -> dict[str, Any]:
    """Return a document with its values under new keys; others stay where they are.

    Parameters
    ----------
    old
        As JSON has it.
    renamed
        New keys by old ones, as paths from the root with ``/`` between keys. Paths with ``*``
        aren't moved.
    """
    new = deepcopy(dict(old))
    moves = [(path.split("/"), to.split("/")) for path, to in renamed.items() if ANY not in path]
    moved = [(to, _take(new, path)) for path, to in moves if _has(new, path)]
    for name in {path[0] for path, _ in moves if len(path) > 1}:
        if new.get(name) == {}:
            del new[name]
    for (*above, last), value in moved:
        place = new
        for name in above:
            place = place.setdefault(name, {})
        place[last] = value
    return new


def as_version_2(old: Document, renamed: Mapping[str, str], tag: str) -> dict[str, Any]:
    """Return a document of version 1 under the keys and the tag of version 2."""
    new = with_keys_moved(old, renamed)
    new["schema"] = tag
    # The first files of version 1 don't say who made what arms show.
    new["data"].setdefault("origins", [])
    return new


def rename_values(rows: Iterable[dict[str, Any]], names: Mapping[str, str]) -> None:
    """Give values of rows other names."""
    for row in rows:
        for old, new in names.items():
            row[new] = row.pop(old)


def whole_fit(fit: Document) -> dict[str, Any]:
    """Return a model's outcome of version 1.0 with all keys of version 2.0."""
    return {"reason": "", **NOT_FITTED, **fit}


def _has(document: Any, path: list[str]) -> bool:
    for name in path:
        if not isinstance(document, Mapping) or name not in document:
            return False
        document = document[name]
    return True


def _take(document: dict[str, Any], path: list[str]) -> Any:
    """Return the value at a path, and take it out of the document."""
    *above, last = path
    for name in above:
        document = document[name]
    return document.pop(last)
