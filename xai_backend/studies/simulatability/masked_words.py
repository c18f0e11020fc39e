"""What a sentence can be changed to by a masked language model, in any language.

Each word is masked in turn, and the model says which words could stand there. No tagger is needed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from stimuli.errors import UserError, first_line
from stimuli.studies.simulatability.stimulus import Edit, TextInput
from xai_backend.determinism import deterministic
from xai_backend.models.language_models import folder_sha256, library, tokenizer_in
from xai_backend.models.transformers_models import PREFIX
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
        chances = torch.zeros(len(texts), self.network.config.vocab_size, dtype=torch.float64)
        logits = self.network(**read.to(self.network.device)).logits.cpu()
        chances[rows] = logits[rows, places].double().softmax(dim=1)
        return chances.numpy()


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

    def substitutes(self, sentence: TextInput) -> Substitutes:
        """Return the 20 likeliest words in each word's place, with their probabilities.

        A substitute has only letters, and a capital where the word has one. Tokens without a letter
        have none.
        """
        if sentence not in self._known:
            self._known[sentence] = self._find_substitutes(sentence)
        return self._known[sentence]

    def changes(
        self, instance: TextInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of a sentence, as `changed_words` does."""
        return changed_words(self, instance, most_edits, rng)

    def _find_substitutes(self, sentence: TextInput) -> Substitutes:
        tokens = sentence.tokens
        model = masked_model(self.name, self.device)
        places = [place for place, token in enumerate(tokens) if any(map(str.isalpha, token))]
        mask = model.tokenizer.mask_token
        texts = [
            sentence.replaced((*tokens[:place], mask, *tokens[place + 1 :])).text
            for place in places
        ]
        if not texts:
            return ((),) * len(tokens)
        with deterministic():
            chances = model.chances(texts)
        by_place = {
            place: likeliest(tokens[place], chance, model.words)
            for place, chance in zip(places, chances, strict=True)
        }
        return tuple(by_place.get(place, ()) for place in range(len(tokens)))


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
    words = {}
    for piece, code in pieces.items():
        # In some vocabularies a mark begins a word; in others ## continues one.
        word = piece[1:] if piece[:1] in ("Ġ", "▁") else "" if marked else piece
        if marked and word:
            word = tokenizer.convert_tokens_to_string([piece]).strip()
        if word.isalpha():
            words[code] = word
    return words
