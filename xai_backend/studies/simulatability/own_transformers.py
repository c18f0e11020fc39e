"""Text classifiers of Transformers, from a local folder; no code of it is run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from stimuli.errors import UserError, first_line
from xai_backend.models.language_models import LOCAL, folder_sha256, library, tokenizer_in
from xai_backend.models.transformers_models import PREFIX

AT_ONCE: Final = 64
"""Number of sentences of similar length that are read together."""
MOST_TOKENS: Final = 100_000
"""A tokenizer with a larger maximum length than this has no limit."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """Sentences as a network reads them.

    Attributes
    ----------
    codes
        The network's inputs, (n, pieces) each.
    spans
        Start and end of each piece of the first sentence in its text.
    """

    codes: dict[str, Tensor]
    spans: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class SentenceClassifier:
    """A network that classifies sentences, with its tokenizer.

    Attributes
    ----------
    network, tokenizer
        Of Transformers; float32, in evaluation mode.
    labels
        Names of its answers, in order; empty if they have only numbers.
    longest
        Most word pieces of a sentence; the rest isn't read.
    sha256
        Hash of all files of the folder.
    """

    network: Any
    tokenizer: Any
    labels: tuple[str, ...]
    longest: int
    sha256: str

    @property
    def device(self) -> torch.device:
        """The network's device."""
        return self.network.device

    @torch.inference_mode()
    def __call__(self, texts: Sequence[str]) -> Any:
        """Return probabilities, float64 (n, classes)."""
        pieces = self.tokenizer(list(texts), truncation=True, max_length=self.longest)
        lengths = torch.tensor([len(piece) for piece in pieces["input_ids"]])
        order = lengths.argsort(stable=True)
        parts = [self._read(pieces, rows) for rows in order.split(AT_ONCE)]
        return torch.cat(parts)[order.argsort()].numpy()

    def pieces(self, texts: Sequence[str]) -> Pieces:
        """Return sentences as word pieces, with their places in the first one."""
        read = self.tokenizer(
            list(texts), truncation=True, max_length=self.longest, padding=True,
            return_offsets_mapping=True, return_tensors="pt",
        )  # fmt: skip
        spans = read.pop("offset_mapping")[0].tolist()
        return Pieces(dict(read.to(self.device)), [(begin, end) for begin, end in spans])

    @property
    def joins_pieces(self) -> bool:
        """Whether the tokenizer tells the pieces' places in a text."""
        return bool(self.tokenizer.is_fast)

    @property
    def has_class_token(self) -> bool:
        """Whether a sentence begins with a class token, and its answer is read from it alone."""
        codes = dict(self.tokenizer("a b", return_tensors="pt").to(self.device))
        ids = codes.pop("input_ids")
        if self.tokenizer.cls_token_id is None or ids[0, 0] != self.tokenizer.cls_token_id:
            return False
        with torch.enable_grad():
            vectors = self.network.get_input_embeddings()(ids).requires_grad_()
            ran = self.network(**codes, inputs_embeds=vectors, output_hidden_states=True)
            tokens = ran.hidden_states[-1]
            (slope,) = torch.autograd.grad(ran.logits[0, 0], tokens, allow_unused=True)
        return slope is not None and not bool(slope[:, 1:].any())

    def _read(self, pieces: Any, rows: Tensor) -> Tensor:
        chosen = {name: [codes[row] for row in rows.tolist()] for name, codes in pieces.items()}
        padded = self.tokenizer.pad(chosen, return_tensors="pt")
        return self.network(**padded.to(self.device)).logits.double().softmax(dim=1).cpu()


def load_classifier(name: str, option: str, device: str) -> SentenceClassifier:
    """Return the classifier of a folder that ``save_pretrained`` wrote, with its tokenizer.

    Its network is put on the device, ``cpu`` or ``cuda``.

    Raises
    ------
    UserError
        If Transformers isn't installed, or the folder holds no classifier of sentences.
    """
    where, folder = f"{option} {name}", Path(name.removeprefix(PREFIX)).expanduser()
    if not (folder / "config.json").is_file():
        raise UserError(f"{where}: no such folder with a config.json")
    transformers = library()
    try:
        network, loaded = transformers.AutoModelForSequenceClassification.from_pretrained(
            str(folder),
            dtype=torch.float32,
            attn_implementation="eager",
            output_loading_info=True,
            **LOCAL,
        )
    except Exception as fault:  # another library may raise anything
        raise UserError(
            f"{where}: contains no classifier of sentences ({first_line(fault)})"
        ) from None
    if loaded["missing_keys"]:
        lacking = sorted(loaded["missing_keys"])[0]
        raise UserError(f"{where}: lacks weights of a classifier ({lacking}); train and save it")
    config = network.config
    if config.num_labels < 2 or config.problem_type in ("regression", "multi_label_classification"):
        raise UserError(f"{where}: doesn't choose one of two or more classes")
    tokenizer = tokenizer_in(folder, where)
    return SentenceClassifier(
        network.eval().requires_grad_(False).to(device), tokenizer, _labels(config),
        _longest(tokenizer, config), folder_sha256(folder),
    )  # fmt: skip


def _labels(config: Any) -> tuple[str, ...]:
    """Return the answers' names; none if they are LABEL_0, LABEL_1 and so on."""
    labels = tuple(str(config.id2label[number]) for number in sorted(config.id2label))
    numbered = tuple(f"LABEL_{number}" for number in range(len(labels)))
    return () if labels == numbered else labels


def _longest(tokenizer: Any, config: Any) -> int:
    """Return how many word pieces fit; a network may keep some positions for itself."""
    places = int(getattr(config, "max_position_embeddings", 0) or MOST_TOKENS)
    if config.model_type in ("roberta", "xlm-roberta", "camembert"):
        places -= 2
    return min(int(tokenizer.model_max_length), places, MOST_TOKENS)
