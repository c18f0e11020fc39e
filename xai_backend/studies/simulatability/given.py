"""What a lab gives beside its inputs: recorded outputs, and what inputs are changed to.

A table of inputs may contain what some system said of them; then no model is asked. Such a table
also says what inputs are changed to, and what the system said then. If a model is asked, a table of
edits or a masked language model says what inputs are changed to.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final, Literal

import numpy as np

from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256, hash_of
from stimuli.studies.simulatability.material import Use
from stimuli.studies.simulatability.stimulus import (
    Edit,
    TableInput,
    TextInput,
    edited,
    edits_between,
)
from xai_backend.packs.lab_tables import Line, lines_of, number_in, values_in
from xai_backend.packs.origins import name_in_pack
from xai_backend.studies.simulatability.table_data import TableData, read_table
from xai_backend.studies.simulatability.text_data import sentence_in
from xai_backend.studies.simulatability.trained import AnyInput, Labelled, Reals, Trained

Domain = Literal["text", "tabular"]
ID, TEXT, LABEL, OUTPUT = "id", "text", "label", "output"
PROBABILITY, CHANGED, CHANGED_OUTPUT, USE = "probability", "changed", "changed_output", "use"
OWN_COLUMNS: Final = (ID, LABEL, OUTPUT, PROBABILITY, CHANGED, CHANGED_OUTPUT, USE)
"""Columns that aren't inputs, so that people don't see them in a row."""
USES: Final[tuple[Use, ...]] = ("counterfactual", "learning", "forward")
"""Uses in the order in which items are chosen: the most demanding of an input comes first."""
ALL: Final = "table"
"""The split of inputs whose use the table doesn't state."""
FOLDER: Final = "hf:"
EDITS: Final = "edits"
DOMAIN: Final = "domain"


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """Recorded outputs for inputs, changed or not.

    Attributes
    ----------
    classes
        All recorded outputs and labels; of two, the negative one comes first.
    outputs
        Outputs by input.
    """

    classes: tuple[str, ...]
    outputs: Mapping[AnyInput, str]

    def scores(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return 1 for the recorded class and 0 for other classes, shape (n, classes)."""
        places = [self.classes.index(self.outputs[instance]) for instance in inputs]
        return np.eye(len(self.classes))[places]

    def margins(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return 1 if the positive class was recorded, else −1, shape (n,)."""
        return 2 * self.scores(inputs)[:, 1] - 1


@dataclass(frozen=True, slots=True)
class GivenChanges:
    """Recorded changes of inputs."""

    edits: Mapping[AnyInput, Sequence[tuple[Edit, ...]]]

    def changes(
        self, instance: AnyInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Yield the changes of an input, in the order in which they are given."""
        yield from self.edits.get(instance, ())


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What has been read so far."""

    path: Path
    rows: list[tuple[str, Labelled]] = field(default_factory=list)
    outputs: dict[AnyInput, str] = field(default_factory=dict)
    edits: dict[AnyInput, list[tuple[Edit, ...]]] = field(default_factory=dict)

    def say(self, instance: AnyInput, output: str) -> None:
        """Note the output for an input; ValueError if it already has another output."""
        known = self.outputs.setdefault(instance, output)
        if known != output:
            raise ValueError(
                f"{OUTPUT}: the same input has the outputs {known!r} and {output!r}; give it once"
            )


def read_outputs(path: Path, domain: Domain, positive: Sequence[str] = ()) -> Trained:
    """Return a domain whose outputs were recorded.

    Parameters
    ----------
    path
        A table with the columns ``id``, ``label`` and ``output``; of sentences
        ``text``, of rows any further columns. For counterfactuals it has ``changed`` (the changed
        sentence; of a row ``Column = value`` with ``|`` between) and ``changed_output``. It may
        have ``probability`` (of the output) and ``use``, which says what a row is for.
    domain
        ``text`` or ``tabular``.
    positive
        Classes, one of which may be the positive one of two; by default it is the last
        alphabetically.

    Raises
    ------
    UserError
        If it can't be read, or a line doesn't fit; the message names the line and what is wrong.
    """
    lines = lines_of(path, (ID, LABEL, OUTPUT, *([TEXT] if domain == "text" else [])))
    recorded = _Recorded(path)
    for line in lines:
        try:
            _read_line(line, domain, recorded)
        except ValueError as error:
            raise UserError(f"{path}, row {line.number}: {error}") from None
    twice = [
        name for name, n in Counter(row.source_id for _, row in recorded.rows).items() if n > 1
    ]
    if twice:
        raise UserError(f"{path}: the id {twice[0]} occurs twice")
    names = {row.label for _, row in recorded.rows} | set(recorded.outputs.values())
    classes = ordered_classes(names, positive, str(path))
    own_uses = USE in lines[0].cells
    return Trained(
        domain=domain,
        model=RecordedModel(classes, recorded.outputs),
        prototypes=None,
        splits=_splits(recorded.rows, own_uses=own_uses),
        space=None,
        accuracy=None,
        edits=GivenChanges(recorded.edits),
        uses={use: use if own_uses else ALL for use in USES},
        source={
            "outputs": path.name,
            "sha256": file_sha256(path),
            "order": hash_of(list(classes)),
        },
    )


def ordered_classes(names: set[str], positive: Sequence[str], where: str) -> tuple[str, ...]:
    """Return classes alphabetically; of two, the positive one last.

    Raises
    ------
    UserError
        If there is only one.
    """
    classes = sorted(names)
    if len(classes) < 2:
        raise UserError(f"{where}: has one class ({classes[0]}); two or more are needed")
    if len(classes) == 2:
        classes.sort(key=lambda name: name in positive)
    return tuple(classes)


def _splits(
    rows: Sequence[tuple[str, Labelled]], *, own_uses: bool
) -> dict[str, tuple[Labelled, ...]]:
    if not own_uses:
        return {ALL: tuple(row for _, row in rows)}
    return {use: tuple(row for row_use, row in rows if row_use == use) for use in USES}


def _read_line(line: Line, domain: Domain, recorded: _Recorded) -> None:
    """Note a line's input, output and change; ValueError if it doesn't fit."""
    cells = line.cells
    use = cells.get(USE, "")
    if USE in cells and use not in USES:
        raise ValueError(f"{USE}: {use!r} isn't {', '.join(USES[1:])} or {USES[0]}")
    instance = sentence_in(cells, TEXT) if domain == "text" else _row(cells)
    if cells.get(PROBABILITY) and not 0 <= number_in(cells[PROBABILITY], PROBABILITY) <= 1:
        raise ValueError(f"{PROBABILITY}: {cells[PROBABILITY]} isn't from 0 to 1")
    recorded.say(instance, cells[OUTPUT])
    changed, output = cells.get(CHANGED, ""), cells.get(CHANGED_OUTPUT, "")
    if bool(changed) != bool(output):
        lacking = CHANGED_OUTPUT if changed else CHANGED
        raise ValueError(f"{lacking} is empty; give both, or neither")
    if changed:
        edits = edits_to(instance, cells)
        recorded.say(edited(instance, edits), output)
        recorded.edits.setdefault(instance, []).append(edits)
    recorded.rows.append((use, Labelled(cells[ID], instance, cells[LABEL], cells[OUTPUT])))


def _row(cells: Mapping[str, str]) -> TableInput:
    visible = {name: cell for name, cell in cells.items() if name not in OWN_COLUMNS}
    empty = [name for name, cell in visible.items() if not cell]
    if not visible:
        raise ValueError("has no column that people could see")
    if empty:
        raise ValueError(f"{empty[0]} is empty; write a value for what isn't known, such as ?")
    return TableInput(columns=tuple(visible), values=tuple(visible.values()))


def edits_to(instance: AnyInput, cells: Mapping[str, str]) -> tuple[Edit, ...]:
    """Return the edits that lead to a line's changed input.

    Raises
    ------
    ValueError
        If nothing is changed, or it names anything but columns.
    """
    if isinstance(instance, TextInput):
        edits = _edits_of_words(instance, sentence_in(cells, CHANGED))
    else:
        values = values_in(cells[CHANGED], instance.columns, CHANGED)
        pairs = zip(instance.columns, instance.values, strict=True)
        new = tuple(values.get(column, old) for column, old in pairs)
        edits = edits_between(instance, instance.model_copy(update={"values": new}))
    if not edits:
        raise ValueError(f"{CHANGED}: is the same as the input")
    return edits


def _edits_of_words(sentence: TextInput, changed: TextInput) -> tuple[Edit, ...]:
    """Return edits of single tokens; inserted words are joined to the word before or after.

    A deleted word becomes an empty one.
    """
    old, new, edits = sentence.tokens, changed.tokens, {}
    gaps = ["" if place in changed.glued else " " for place in range(len(new))]
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        words = [gap + word for gap, word in zip(gaps[j1:j2], new[j1:j2], strict=True)]
        if i1 == i2:  # inserted
            place = i1 - 1 if i1 else 0
            before = edits.get(place, old[place])
            after = gaps[j2] + before if not i1 else ""
            edits[place] = "".join([before, *words] if i1 else [*words, after]).strip()
            continue
        for place in range(i1, i2):
            last = place == i2 - 1
            taken = words if last else words[:1]
            words = words[len(taken) :]
            edits[place] = "".join(taken).strip()
    return tuple(
        Edit(place=place, old=old[place], new=word) for place, word in sorted(edits.items())
    )


@dataclass(frozen=True, slots=True)
class GivenEdits:
    """The source of a lab's own changes.

    Attributes
    ----------
    name
        A table with the columns ``id`` and ``changed``, for the counterfactuals; or
        ``hf:DIR``, a masked language model, for the counterfactuals of sentences, Anchor and
        Decision boundary. A file for rows alone may have columns of the table instead of
        ``changed``; empty cells stay as they are.
    domains
        The kinds of data that can be changed. If there are two, the file's column ``domain`` says
        to which data a line belongs.
    device
        Where a masked language model computes.
    """

    name: str
    domains: Collection[str]
    device: str = "cpu"

    @property
    def by_model(self) -> bool:
        """Whether a masked language model replaces words."""
        return self.name.startswith(FOLDER)

    def ids(self, domain: str) -> frozenset[str]:
        """Return the ids of changed inputs; empty if a masked language model replaces words."""
        return frozenset(line.cells[ID] for line in self.lines(domain))

    def lines(self, domain: str) -> list[Line]:
        """Return the lines of one kind of data.

        Raises
        ------
        UserError
            If the table can't be read, or a line belongs to data that aren't given.
        """
        if self.by_model or domain not in self.domains:
            return []
        path = Path(self.name)
        lines = lines_of(path, (ID,) if set(self.domains) == {"tabular"} else (ID, CHANGED))
        if DOMAIN not in lines[0].cells:
            if len(self.domains) == 1:
                return lines
            raise UserError(
                f"{path}: column missing: {DOMAIN}; there are sentences and rows, so each line "
                "must say text or tabular"
            )
        for line in lines:
            if line.cells[DOMAIN] not in self.domains:
                raise UserError(
                    f"{path}, row {line.number}: {DOMAIN}: {line.cells[DOMAIN]!r} isn't "
                    f"{' or '.join(sorted(self.domains, reverse=True))}, of which there are data"
                )
        return [line for line in lines if line.cells[DOMAIN] == domain]


def with_edits(trained: Trained, edits: GivenEdits, source: Path) -> Trained:
    """Return a domain with a lab's own changes; unchanged if there are none for it.

    Parameters
    ----------
    trained
        The domain.
    edits
        The changes.
    source
        The domain's data.

    Raises
    ------
    UserError
        If a line doesn't fit the data, or there is no such model.
    """
    if edits.by_model:
        return _by_model(trained, edits) if trained.domain == "text" else trained
    lines = edits.lines(trained.domain)
    if not lines:
        return trained
    path = Path(edits.name)
    table = read_table(source, trains=False) if trained.domain == "tabular" else None
    by_instance: dict[AnyInput, list[tuple[Edit, ...]]] = {}
    rows = _rows_by_id(trained)
    for line in lines:
        row = rows.get(line.cells[ID])
        if row is None:
            raise UserError(f"{path}, row {line.number}: the data have no id {line.cells[ID]}")
        try:
            row_edits = _edits_of(row.instance, line.cells, table)
        except ValueError as error:
            raise UserError(f"{path}, row {line.number}: {error}") from None
        by_instance.setdefault(row.instance, []).append(row_edits)
    known = {EDITS: path.name, "edits_sha256": file_sha256(path)}
    source_of = {**trained.source, **known}
    return replace(trained, edits=GivenChanges(by_instance), source=source_of)


def _by_model(trained: Trained, edits: GivenEdits) -> Trained:
    from xai_backend.studies.simulatability.masked_words import MaskedSpace, masked_model

    model = masked_model(edits.name, edits.device)
    known = {EDITS: name_in_pack(edits.name), "edits_sha256": model.sha256}
    space = MaskedSpace(edits.name, edits.device)
    return replace(trained, space=space, source={**trained.source, **known})


def _rows_by_id(trained: Trained) -> Mapping[str, Labelled]:
    """Return inputs by id; if several splits have an id, the input that can be changed.

    Adult's ids are places in a split.
    """
    last = trained.uses["counterfactual"]
    splits = sorted(trained.splits, key=lambda name: name == last)
    return {row.source_id: row for name in splits for row in trained.splits[name]}


def _edits_of(
    instance: AnyInput, cells: Mapping[str, str], table: TableData | None
) -> tuple[Edit, ...]:
    if not isinstance(instance, TableInput):
        return edits_to(instance, cells)
    assert table is not None
    named = values_in(cells[CHANGED], instance.columns, CHANGED) if CHANGED in cells else {
        name: cell
        for name, cell in cells.items()
        if cell and (name in instance.columns or name not in (*OWN_COLUMNS, DOMAIN))
    }  # fmt: skip
    new = {name: table.value_shown(name, cell) for name, cell in named.items()}
    pairs = zip(instance.columns, instance.values, strict=True)
    values = tuple(new.get(column, old) for column, old in pairs)
    edits = edits_between(instance, instance.model_copy(update={"values": values}))
    if not edits:
        raise ValueError(f"{CHANGED}: changes nothing that people see of the row")
    return edits
