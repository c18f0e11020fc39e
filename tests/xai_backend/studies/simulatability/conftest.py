"""What several modules of tests ask."""

import pytest

from tests.xai_backend.studies.simulatability.own_models import write_bert


@pytest.fixture(scope="session")
def bert_folder(tmp_path_factory):
    """A folder with a small BERT of three topics, and its tokenizer."""
    return write_bert(tmp_path_factory.mktemp("bert") / "bert")
