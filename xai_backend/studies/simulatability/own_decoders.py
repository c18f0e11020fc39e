"""Language models of Transformers as classifiers: the answer is the likeliest next token.

A folder that ``save_pretrained`` wrote becomes one by its ``model.toml``: ``prompt`` says what the
model is asked, with ``{text}`` for the sentence, and ``classes`` its answers. No code of the folder
is run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from stimuli.errors import UserError
from xai_backend.models.classifier import FOLDER_FILE, ModelSettings
from xai_backend.models.language_models import load_language_model
from xai_backend.models.transformers_models import PREFIX
from xai_backend.studies.simulatability.own_transformers import AT_ONCE

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

    def _read(self, texts: Sequence[str]) -> Tensor:
        codes = [self.tokenizer(text)["input_ids"] for text in texts]
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
    model = load_language_model(name, option, device)
    tokenizer = model.tokenizer
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
        model.network, tokenizer, settings.prompt, settings.classes, tuple(answers), model.sha256
    )
