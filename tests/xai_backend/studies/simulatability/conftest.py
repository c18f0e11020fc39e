"""What several modules of tests ask."""

import pytest

from tests.xai_backend.studies.simulatability.own_model_packs import built_in, write_protocol
from tests.xai_backend.studies.simulatability.own_models import (
    write_bert,
    write_masked,
    write_news,
    write_tree,
)


@pytest.fixture(scope="session")
def bert_folder(tmp_path_factory):
    """A folder with a small BERT of three topics, and its tokenizer."""
    return write_bert(tmp_path_factory.mktemp("bert") / "bert")


@pytest.fixture(scope="session")
def news_lab(tmp_path_factory, bert_folder):
    """A lab with a BERT, a masked language model and a pack, and what its build left."""
    folder = tmp_path_factory.mktemp("news")
    (folder / "bert").symlink_to(bert_folder)
    asked = {
        "text": write_news(folder / "news.csv"),
        "text_model": f"hf:{folder / 'bert'}",
        "edits": f"hf:{write_masked(folder / 'masked')}",
        "protocol_file": write_protocol(folder, "text", 6, 12),
    }
    return folder, built_in(folder, **asked)


@pytest.fixture(scope="session")
def tree_lab(tmp_path_factory):
    """A lab with a tree and a pack, and what its build left."""
    folder = tmp_path_factory.mktemp("tree")
    asked = {
        "table": write_tree(folder, "lab_tree"),
        "table_model": "lab_tree:chances",
        "protocol_file": write_protocol(folder, "tabular", 4, 8),
    }
    return folder, built_in(folder, **asked)
