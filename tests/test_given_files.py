"""A pipe, a socket or a device in a file's place is named; nothing waits for it or reads it."""

import os

import pytest

from analysis.data import table_text
from analysis.data.selected import read_exclusions
from analysis.fit.command import read_any_table
from analysis.preregister.frozen import RECORD, read_frozen
from analysis.read_results import read_results
from experiments.rig.checklist import read_answers
from experiments.rig.colours.taking_over import read_measurement
from experiments.rig.profile import read_rig
from participants.export.description import read_about
from participants.folder import LabFolder
from stimuli.catalogue import LAB_FILE, declared_studies
from stimuli.colour.spectra import read_spectra
from stimuli.errors import UserError
from stimuli.images.digits import read_idx
from stimuli.io.given_tables import rows_of
from stimuli.io.tables import TableSchema
from stimuli.maps.map_set import MAP_TABLE, read_map_set
from stimuli.names import read_names
from stimuli.protocol import load_protocol
from xai_backend.ilsvrc.truth import Synsets, read_truth
from xai_backend.methods.human import READERS
from xai_backend.models.checkpoint import sound
from xai_backend.models.classifier import read_state, settings_beside
from xai_backend.studies.progressive_reveal.clickme import records_of
from xai_backend.studies.progressive_reveal.images import listed_images
from xai_backend.studies.simulatability.table_data import read_table
from xai_backend.studies.simulatability.text_words import read_vectors


def _checkpoint(path):
    with sound(path, "checkpoint"):
        path.read_bytes()


def _in_a_folder(read, name):
    """Let a reader of a folder meet what lies there under a name."""

    def reader(path):
        path.rename(path.with_name(name))
        return read(path.parent)

    return reader


ODD = r"is a device, not a file; put a file in its place$"
READ = {
    "adult.data": read_table,
    "checklist": lambda path: read_answers(path, None),
    "checkpoint": _checkpoint,
    "classes.json": read_names,
    "colours.icc": lambda path: read_measurement(path, None),
    "dataset.toml": lambda path: read_about(path, None),
    "digits": lambda path: read_idx(path, 3),
    "exclusions": lambda path: read_exclusions(path, None),
    "fit": read_any_table,
    "images of rounds": lambda path: listed_images(path, ()),
    "lab": _in_a_folder(LabFolder.open, LAB_FILE),
    "map.npy": lambda path: next(READERS[".npy"](path)),
    "map set": _in_a_folder(read_map_set, MAP_TABLE),
    "net.toml": settings_beside,
    "photos.tfrecords": lambda path: next(records_of(path)),
    "preregistration": _in_a_folder(read_frozen, RECORD),
    "protocol.toml": lambda path: load_protocol("accept_reject", path),
    "results.json": read_results,
    "rig.toml": read_rig,
    "rows": lambda path: rows_of(path, ()),
    "spectra": read_spectra,
    "studies of a lab": _in_a_folder(declared_studies, LAB_FILE),
    "table": TableSchema("table", "A table.", ()).read,
    "trials": lambda path: table_text.read_text(path, ()),
    "truth": lambda path: read_truth(path, Synsets()),
    "vectors": lambda path: read_vectors(path, ()),
    "weights.pt": read_state,
    "words.txt": read_names,
}


@pytest.mark.skipif(os.name != "posix", reason="needs a device that is a file")
@pytest.mark.parametrize("name", READ)
def test_a_device_in_a_files_place_is_named_in_one_line(name, tmp_path):
    place = tmp_path / name
    place.symlink_to("/dev/null")
    with pytest.raises(UserError, match=ODD) as said:
        READ[name](place)
    assert "\n" not in str(said.value)
