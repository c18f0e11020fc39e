"""The network whose answers a pack is about, what its outputs are, and what labels are called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stimuli.errors import UserError
from stimuli.io.given_tables import rows_of
from stimuli.names import ANY_LANGUAGE, folded, read_names
from xai_backend.explain.answering import Network, classifier_at_hand
from xai_backend.models.classifier import Classifier, outputs_of

WITHOUT_HEADER = frozenset({".json", ".txt"})
"""Suffixes of ImageNet's files: its class index, and its WordNet ids with their words."""


def classes_of(classifier: Classifier, file: Path | None) -> tuple[str, ...]:
    """Return the label id of each of a network's outputs, in order.

    Parameters
    ----------
    classifier
        The network; its published categories are used if there is no file.
    file
        ImageNet's class index in JSON, its WordNet ids with their words (see `read_names`), or a
        CSV with a column ``label`` and a row for each output.

    Raises
    ------
    UserError
        If the outputs' labels aren't known.
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


@dataclass(frozen=True, slots=True)
class Subject:
    """A network that is explained.

    Attributes
    ----------
    network
        The network, as workers load it.
    classifier
        The network, loaded in this process.
    outputs
        The class of each output: a class of the pack, or else the network's name for it.
    """

    network: Network
    classifier: Classifier
    outputs: tuple[str, ...]

    @property
    def side_px(self) -> int:
        """Side of the picture that it takes, pixels."""
        return self.classifier.frame.crop_px


def subject(
    name: str,
    weights: str | None,
    device: str,
    classes: Sequence[str],
    classes_file: Path | None = None,
    order: Sequence[str] = (),
) -> Subject:
    """Return a network and the classes of its outputs.

    Parameters
    ----------
    name, weights, device
        See `load_network`.
    classes
        The classes of the pack. Each is matched to an output by the network's id, by its name, or
        by either in another spelling (case, accents, underscores).
    classes_file
        File of the outputs' labels, see `classes_of`.
    order
        Labels of the outputs if there is no file; empty for the network's categories.

    Raises
    ------
    UserError
        If the network isn't available, the file names another number of classes than it has
        outputs, or one of the classes isn't among its outputs.
    """
    classifier = classifier_at_hand(name, weights, device)
    labels = tuple(order) or classes_of(classifier, classes_file)
    count = outputs_of(classifier) if classes_file else len(labels)
    if len(labels) != count:
        raise UserError(
            f"--classes {classes_file}: names {len(labels)} labels, but {name} has {count} outputs"
        )
    names = names_of_classes(classes_file)
    places = _places(labels, {label: names.get((label, ""), label) for label in labels})
    outputs = list(labels)
    for class_id in classes:
        place = _place(class_id, places, name)
        outputs[place] = class_id
    network = Network(name, weights, device, classifier.weights_sha256)
    return Subject(network, classifier, tuple(outputs))


def _places(labels: Sequence[str], names: Mapping[str, str]) -> dict[str, set[int]]:
    places: dict[str, set[int]] = {}
    for number, label in enumerate(labels):
        for word in {label, folded(label), folded(names[label])}:
            places.setdefault(word, set()).add(number)
    return places


def _place(class_id: str, places: Mapping[str, set[int]], name: str) -> int:
    outputs = places.get(class_id) or places.get(folded(class_id)) or set()
    if len(outputs) == 1:
        return min(outputs)
    trouble = "is several of its outputs" if outputs else "is none of its outputs"
    raise UserError(
        f"--model {name}: class {class_id} {trouble}; name the images' classes as the network "
        "does, or give --classes FILE (ImageNet's class index, or a CSV with a column label)"
    )
