"""Models of Transformers, from a local folder; no code of it is run.

A folder that ``save_pretrained`` wrote holds a classifier of sentences; a language model that
answers with the likeliest next token; or a masked language model, which says what a word can be
changed to, in any language: each word is masked in turn. A language model becomes a classifier by
its ``model.toml``: ``prompt`` says what it is asked, with ``{text}`` for the sentence, and
``classes`` its answers.
"""

import hashlib
import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from stimuli.errors import UserError, first_line
from stimuli.studies.simulatability.stimulus import Edit, TextInput
from xai_backend.determinism import deterministic
from xai_backend.models.classifier import FOLDER_FILE, ModelSettings
from xai_backend.models.transformers_models import MISSING, PREFIX
from xai_backend.studies.simulatability.methods.around import changed_words

OPTION: Final = "--edits"
SUBSTITUTES: Final = 20
"""Most words by which a word may be replaced: the likeliest ones."""
DECIMALS: Final = 6

Substitutes = tuple[tuple[tuple[str, float], ...], ...]


@dataclass(frozen=True, slots=True)
class MaskedModel:
    """A masked language model: its network and tokenizer, and the words among its pieces.

    Attributes
    ----------
    network, tokenizer
        Of Transformers; float32, in evaluation mode.
    words
        The words that are a single piece, by the piece's code.
    sha256
        Hash of all files of the folder.
    """

    network: Any
    tokenizer: Any
    words: dict[int, str]
    sha256: str

    @torch.inference_mode()
    def chances(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability of each piece at the mask of each text, float64 (n, pieces)."""
        read = self.tokenizer(list(texts), return_tensors="pt", padding=True, truncation=True)
        rows, places = torch.where(read["input_ids"] == self.tokenizer.mask_token_id)
        found = torch.zeros(len(texts), self.network.config.vocab_size, dtype=torch.float64)
        logits = self.network(**read.to(self.network.device)).logits.cpu()
        found[rows] = logits[rows, places].double().softmax(dim=1)
        return found.numpy()


@dataclass(frozen=True, slots=True)
class MaskedSpace:
    """A `TextSpace` from a masked language model.

    Attributes
    ----------
    name
        ``hf:DIR``; each process loads the model once.
    device
        Where the network computes.
    """

    name: str
    device: str = "cpu"
    _known: dict[TextInput, Substitutes] = field(default_factory=dict, repr=False, compare=False)

    def substitutes(self, given: TextInput) -> Substitutes:
        """Return the 20 likeliest words in each word's place, with their probabilities.

        A substitute has only letters, and a capital where the word has one. Tokens without a letter
        have none.
        """
        if given not in self._known:
            self._known[given] = self._find_substitutes(given)
        return self._known[given]

    def changes(
        self, given: TextInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of a sentence, as `changed_words` does."""
        return changed_words(self, given, most_edits, rng)

    def _find_substitutes(self, given: TextInput) -> Substitutes:
        tokens = given.tokens
        model = masked_model(self.name, self.device)
        places = [place for place, token in enumerate(tokens) if any(map(str.isalpha, token))]
        mask = model.tokenizer.mask_token
        texts = [
            given.replaced((*tokens[:place], mask, *tokens[place + 1 :])).text for place in places
        ]
        if not texts:
            return ((),) * len(tokens)
        with deterministic():
            chances = model.chances(texts)
        found = {
            place: likeliest(tokens[place], chance, model.words)
            for place, chance in zip(places, chances, strict=True)
        }
        return tuple(found.get(place, ()) for place in range(len(tokens)))


def likeliest(
    token: str, chances: np.ndarray, words: dict[int, str]
) -> tuple[tuple[str, float], ...]:
    """Return the words that are likeliest in a word's place, except the word itself."""
    chosen: dict[str, float] = {}
    for piece in np.argsort(-chances, kind="stable"):
        chance = round(float(chances[piece]), DECIMALS)
        if len(chosen) == SUBSTITUTES or chance <= 0:
            break
        word = words.get(int(piece), "")
        if not word or word.casefold() == token.casefold():
            continue
        cased = word[:1].upper() + word[1:] if token[:1].isupper() else word
        chosen.setdefault(cased, chance)
    return tuple(chosen.items())


@cache
def masked_model(name: str, device: str) -> MaskedModel:
    """Return the model of a folder that ``save_pretrained`` wrote; none of its code is run.

    Raises
    ------
    UserError
        If Transformers isn't installed, or the folder holds no masked language model.
    """
    where, folder = f"{OPTION} {name}", Path(name.removeprefix(PREFIX)).expanduser()
    if not (folder / "config.json").is_file():
        raise UserError(f"{where}: no such folder with a config.json")
    transformers = library()
    try:
        network, loaded = transformers.AutoModelForMaskedLM.from_pretrained(
            str(folder), dtype=torch.float32, output_loading_info=True,
            local_files_only=True, trust_remote_code=False,
        )  # fmt: skip
    except Exception as fault:  # another library may raise anything
        raise UserError(
            f"{where}: contains no masked language model ({first_line(fault)})"
        ) from None
    if loaded["missing_keys"]:
        lacking = sorted(loaded["missing_keys"])[0]
        raise UserError(f"{where}: lacks weights of a masked language model ({lacking})")
    tokenizer = tokenizer_in(folder, where)
    if tokenizer.mask_token is None:
        raise UserError(f"{where}: the tokenizer has no mask")
    network = network.eval().requires_grad_(False).to(device)
    return MaskedModel(network, tokenizer, _words(tokenizer), folder_sha256(folder))


def _words(tokenizer: Any) -> dict[int, str]:
    """Return the words of letters that are a single piece, as they occur within a sentence."""
    pieces = tokenizer.get_vocab()
    marked = sum(piece[:1] in ("Ġ", "▁") for piece in pieces) > len(pieces) / 10
    found = {}
    for piece, code in pieces.items():
        # In some vocabularies a mark begins a word; in others ## continues one.
        word = piece[1:] if piece[:1] in ("Ġ", "▁") else "" if marked else piece
        if marked and word:
            word = tokenizer.convert_tokens_to_string([piece]).strip()
        if word.isalpha():
            found[code] = word
    return found


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
    where, folder = f"{option} {name}", Path(name.removeprefix(PREFIX)).expanduser()
    if PLACE not in settings.prompt or len(settings.classes) < 2:
        raise UserError(
            f"{folder / FOLDER_FILE}: prompt needs {PLACE} for the sentence, classes the answers"
        )
    try:
        network = library().AutoModelForCausalLM.from_pretrained(
            str(folder), dtype=torch.float32, **LOCAL
        )
    except Exception as fault:  # another library may raise anything
        raise UserError(f"{where}: contains no language model ({first_line(fault)})") from None
    tokenizer = tokenizer_in(folder, where)
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
        network.eval().requires_grad_(False).to(device), tokenizer, settings.prompt,
        settings.classes, tuple(answers), folder_sha256(folder),
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
