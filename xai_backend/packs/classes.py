"""What a classifier's outputs are, and what their labels are called."""

from collections.abc import Mapping
from pathlib import Path

from stimuli.errors import UserError
from stimuli.images.sets import rows_of
from stimuli.names import ANY_LANGUAGE, read_names
from xai_backend.models.classifier import Classifier

WITHOUT_HEADER = frozenset({".json", ".txt"})
"""Files of ImageNet's own: its class index, and its WordNet ids with their words."""


def classes_of(classifier: Classifier, file: Path | None) -> tuple[str, ...]:
    """Return the label's id of each of a network's outputs, in order.

    Parameters
    ----------
    classifier
        The network; its published categories are taken where there is no file.
    file
        ImageNet's class index in JSON, its WordNet ids with their words (see `read_names`), or a
        CSV with a column ``label``, a row an output.

    Raises
    ------
    UserError
        If nothing says what the outputs are.
    """
    if file is None:
        if not classifier.categories:
            raise UserError(
                f"--model {classifier.name}: nothing says what its outputs are; name a file with "
                "--classes (a CSV with a column label, a row an output)"
            )
        return classifier.categories
    return labels_of(file)


def labels_of(file: Path) -> tuple[str, ...]:
    """Return the labels of a file of classes, in order (see `classes_of`); UserError as there."""
    if file.suffix.lower() in WITHOUT_HEADER:
        return tuple(label for label, language in read_names(file) if language == ANY_LANGUAGE)
    return tuple(row["label"] for row in rows_of(file, ("label",)))


def names_of_classes(file: Path | None) -> Mapping[tuple[str, str], str]:
    """Return the names of labels in a file of classes; {} if it has none.

    Keys are a label and a language (see `read_names`).
    """
    if file is None or (file.suffix.lower() not in WITHOUT_HEADER and "name" not in _header(file)):
        return {}
    return read_names(file)


def _header(file: Path) -> list[str]:
    rows = rows_of(file, ("label",))
    return list(rows[0]) if rows else []
