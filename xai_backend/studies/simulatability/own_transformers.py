"""Models of Transformers, from a local folder; no code of it is run.

A folder that ``save_pretrained`` wrote holds a classifier of sentences, or a language model that
answers with the likeliest next token. A language model becomes a classifier by its ``model.toml``:
``prompt`` says what it is asked, with ``{text}`` for the sentence, and ``classes`` its answers.
"""

import hashlib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from stimuli.errors import UserError, first_line
from xai_backend.models.classifier import FOLDER_FILE, ModelSettings
from xai_backend.models.transformers_models import MISSING, PREFIX

PLACE: Final = "{text}"


@dataclass(frozen=True, slots=True)
class AnswerReader:
    """A language model that answers with one of several words.

    Attributes
    ----------
    network, tokenizer
        Of Transformers; float32, in evaluation mode.
    prompt
        What is asked.
    labels, answers
        The classes, and the first token of each.
    sha256
        Hash of all files of the folder.
    """

    network: Any
    tokenizer: Any
    prompt: str
    labels: tuple[str, ...]
    answers: tuple[int, ...]
    sha256: str

    @torch.inference_mode()
    def __call__(self, texts: Sequence[str]) -> Any:
        """Return the answers' probabilities among themselves, float64 (n, classes)."""
        asked = [self.prompt.replace(PLACE, text) for text in texts]
        parts = [self._read(asked[at : at + AT_ONCE]) for at in range(0, len(asked), AT_ONCE)]
        return torch.cat(parts).numpy()

    def _read(self, asked: Sequence[str]) -> Tensor:
        codes = [self.tokenizer(text)["input_ids"] for text in asked]
        lengths = torch.tensor(list(map(len, codes)))
        # What comes after a token doesn't change what a decoder says after it.
        filled = torch.zeros(len(codes), int(lengths.max()), dtype=torch.int64)
        for row, code in zip(filled, codes, strict=True):
            row[: len(code)] = torch.tensor(code)
        there = (torch.arange(filled.shape[1]) < lengths[:, None]).long()
        device = self.network.device
        logits = self.network(input_ids=filled.to(device), attention_mask=there.to(device)).logits
        last = logits[torch.arange(len(codes)), lengths.to(device) - 1]
        return last[:, list(self.answers)].double().softmax(dim=1).cpu()


def load_decoder(name: str, option: str, device: str, settings: ModelSettings) -> AnswerReader:
    """Return the language model of a folder, which its settings make a classifier.

    Raises
    ------
    UserError
        If the folder holds none, the prompt has no place for the text, or the classes aren't told
        apart by their first token.
    """
    folder = Path(name.removeprefix(PREFIX)).expanduser()
    if PLACE not in settings.prompt or len(settings.classes) < 2:
        raise UserError(
            f"{folder / FOLDER_FILE}: prompt needs {PLACE} for the sentence, classes the answers"
        )
    where = f"{option} {name}"
    network, tokenizer = model_in(folder, where, "AutoModelForCausalLM", "language model")
    gap = "" if settings.prompt[-1].isspace() else " "
    answers = [
        tokenizer(f"{gap}{word}", add_special_tokens=False)["input_ids"][0]
        for word in settings.classes
    ]
    for word, answer in zip(settings.classes, answers, strict=True):
        if answers.count(answer) > 1 or answer == tokenizer.unk_token_id:
            raise UserError(
                f"{where}: the first token of {word} is unknown or another answer's, too; name "
                f"answers in {FOLDER_FILE} that begin differently"
            )
    return AnswerReader(
        network.to(device), tokenizer, settings.prompt, settings.classes, tuple(answers),
        folder_sha256(folder),
    )  # fmt: skip


LOCAL: Final[dict[str, Any]] = {"local_files_only": True, "trust_remote_code": False}
"""Nothing is downloaded, and no code of a folder is run."""
AT_ONCE: Final = 64
"""Number of sentences of similar length that are read together."""
TOKENIZERS: Final = ("tokenizer_config.json", "tokenizer.json")
"""Files of which a tokenizer writes at least one."""
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
        chosen = {name: [own[row] for row in rows.tolist()] for name, own in pieces.items()}
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
    kind, what = "AutoModelForSequenceClassification", "classifier of sentences"
    network, tokenizer = model_in(folder, where, kind, what, attn_implementation="eager")
    config = network.config
    if config.num_labels < 2 or config.problem_type in ("regression", "multi_label_classification"):
        raise UserError(f"{where}: doesn't choose one of two or more classes")
    longest = _longest(tokenizer, config)
    return SentenceClassifier(
        network.to(device), tokenizer, _labels(config), longest, folder_sha256(folder)
    )


def model_in(folder: Path, where: str, kind: str, what: str, **settings: str) -> tuple[Any, Any]:
    """Return a folder's network, float32 and in evaluation mode, and its tokenizer.

    Parameters
    ----------
    folder
        A folder that ``save_pretrained`` wrote.
    where
        The model as messages name it.
    kind, what
        The class of Transformers that loads it, and what it loads in words.
    settings
        Given to Transformers.

    Raises
    ------
    UserError
        If Transformers isn't installed, or the folder holds no such model.
    """
    if not (folder / "config.json").is_file():
        raise UserError(f"{where}: no such folder with a config.json")
    loads = getattr(library(), kind).from_pretrained
    try:
        network, loaded = loads(
            str(folder), dtype=torch.float32, output_loading_info=True, **LOCAL, **settings
        )
    except Exception as fault:  # another library may raise anything
        raise UserError(f"{where}: contains no {what} ({first_line(fault)})") from None
    if loaded["missing_keys"]:
        lacking = min(loaded["missing_keys"])
        raise UserError(f"{where}: lacks weights of a {what} ({lacking}); train and save it")
    return network.eval().requires_grad_(False), tokenizer_in(folder, where)


def library() -> Any:
    """Return Transformers, which says nothing on the terminal; UserError if it isn't installed."""
    try:
        transformers: Any = importlib.import_module("transformers")
    except ImportError:
        raise UserError(MISSING) from None
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    return transformers


def tokenizer_in(folder: Path, where: str) -> Any:
    """Return a folder's tokenizer; if there were none, Transformers would make an empty one.

    Raises
    ------
    UserError
        If there is none, or it can't be read.
    """
    try:
        if not any((folder / name).is_file() for name in TOKENIZERS):
            raise FileNotFoundError(f"there is no {TOKENIZERS[0]}")
        return library().AutoTokenizer.from_pretrained(str(folder), **LOCAL)
    except Exception as fault:  # as above
        raise UserError(
            f"{where}: contains no tokenizer ({first_line(fault)}); "
            "tokenizer.save_pretrained(DIR) saves one"
        ) from None


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


def folder_sha256(folder: Path) -> str:
    """Return the SHA-256 of all files of a folder, with their names."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file():
            digest.update(f"{path.name} {path.stat().st_size}\n".encode())
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
