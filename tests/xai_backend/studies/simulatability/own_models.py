"""Models that a lab could bring: a small BERT of three topics, and a boosted tree on a table."""

import csv
from pathlib import Path

import numpy as np

from tests.xai_backend.studies.simulatability.tables import HEADER, small_rows, write_csv

TOPICS = ("politics", "sports", "weather")
NOUNS = {
    "politics": ("minister", "election", "party"),
    "sports": ("coach", "player", "team"),
    "weather": ("storm", "winter", "morning"),
}
VERBS = ("came", "left", "stayed")
PLACES = ("town", "city", "village")
PIECES = ("mini", "elec", "##ster", "##tion", "win", "##ter")
"""Minister, election and winter aren't in the vocabulary: they are two pieces each."""
ROWS = 900

MODULE = '''\
"""A boosted tree that the lab trained on the cells of its file."""

from pathlib import Path

import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier

COLUMNS = ["Age", "Debt", "Work_full", "Work_none", "Work_part", "Home_own", "Home_rent"]


def ready(rows):
    return pd.get_dummies(rows[["Age", "Debt", "Work", "Home"]]).reindex(
        columns=COLUMNS, fill_value=0
    )


data = pd.read_csv(Path(__file__).parent / "small.csv")
tree = GradientBoostingClassifier(n_estimators=5, random_state=0)
tree.fit(ready(data), data["label"])


def chances(rows):
    return tree.predict_proba(ready(rows))
'''


def news(count: int = 540) -> list[tuple[str, str]]:
    """Return sentences with labels: a noun tells the topic, and a third of the labels are wrong."""
    rng = np.random.default_rng(5)
    found = []
    for number in range(count):
        topic = TOPICS[number % 3]
        noun, verb, place = (rng.choice(some) for some in (NOUNS[topic], VERBS, PLACES))
        label = topic if rng.random() < 0.5 else TOPICS[(number + 1 + rng.integers(2)) % 3]
        found.append((f"the {noun} {verb} in {place} {number}.", label))
    return found


def write_news(path: Path) -> Path:
    """Write the sentences."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("text", "label"), *news()])
    return path


def tokenizer_of_news():
    """Return a tokenizer of the sentences' words."""
    from transformers import BertTokenizerFast

    known = [word for own in NOUNS.values() for word in own]
    words = [word for word in (*known, *VERBS, *PLACES, "the", "in", ".")
             if word not in ("minister", "election", "winter")]  # fmt: skip
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    codes = {word: code for code, word in enumerate([*special, *PIECES, *words])}
    return BertTokenizerFast(vocab=codes)


def write_masked(folder: Path) -> Path:
    """Save a masked language model that has learned nothing, with its tokenizer."""
    import torch
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = tokenizer_of_news()
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8, max_position_embeddings=24, initializer_range=0.5,
    )  # fmt: skip
    BertForMaskedLM(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_bert(folder: Path) -> Path:
    """Train a small BERT on the nouns, and save it with its tokenizer."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = tokenizer_of_news()
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=24, num_labels=3,
        id2label=dict(enumerate(map(str.upper, TOPICS))),
    )  # fmt: skip
    network = BertForSequenceClassification(config)
    steps = torch.optim.Adam(network.parameters(), lr=0.01)
    texts = [text for text, _ in news(90)]
    right = torch.tensor([number % 3 for number in range(90)])
    asked = tokenizer(texts, return_tensors="pt", padding=True)
    for _ in range(25):
        loss = network(**asked, labels=right).loss
        steps.zero_grad()
        loss.backward()
        steps.step()
    network.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_tree(folder: Path, module: str) -> Path:
    """Write a table and the module of a model of it; return the table."""
    (folder / f"{module}.py").write_text(MODULE, encoding="utf-8")
    return write_csv(folder / "small.csv", loans(), (*HEADER[:-1], "Debt", "label"))


def loans() -> list[tuple[str, ...]]:
    """Return the rows of the small table with another column; of every fifth label the opposite."""
    rng = np.random.default_rng(7)
    debts, wrong = rng.integers(0, 100, ROWS), rng.random(ROWS) < 0.2
    opposite = {"yes": "no", "no": "yes"}
    return [
        (*row[:-1], str(debt), opposite[row[-1]] if turned else row[-1])
        for row, debt, turned in zip(small_rows(ROWS), debts, wrong, strict=True)
    ]
