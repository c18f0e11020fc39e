"""Words of a text that count most for a lab's own model: for texts alone, without data around them.

Methods that read a network, or take words away, need nothing but the model. LIME, anchors and other
methods need further texts.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from stimuli.errors import UserError
from stimuli.maps.origin import NETWORK, Origin, settings_text
from stimuli.studies.simulatability.protocol import OF_INSIDE, OF_LEAVING_OUT
from stimuli.studies.simulatability.stimulus import TextInput, Weights
from xai_backend.metrics import perturbation
from xai_backend.packs.origins import name_in_pack
from xai_backend.studies.simulatability.methods.left_out import (
    shown_words,
    weights_without_words,
)
from xai_backend.studies.simulatability.own_model import (
    FOLDER,
    TRIED,
    OwnModel,
    Source,
    answerer,
    names_of_answers,
    sentence_classifier,
    source_of_model,
    texts_of,
    tried,
)
from xai_backend.studies.simulatability.text_data import sentence_in
from xai_backend.studies.simulatability.trained import Trained, outputs_of
from xai_backend.study import Metrics

ALONE: Final = (*OF_LEAVING_OUT, *OF_INSIDE)
"""Methods that need only a model and a text."""
MOST: Final = 3
"""Number of words that are marked."""
TEXT: Final = "text"


def marked_words(
    model: str, device: str, method: str, texts: Sequence[str], metrics: bool = False
) -> tuple[list[str], Origin, list[Metrics]]:
    """Return texts in Markdown with the words in bold that count most for a model's answer.

    Who marked them is returned, too, and with ``metrics`` those of each text's marked words, while
    all others count 0 (`faithfulness`).

    Parameters
    ----------
    model, device
        ``hf:DIR`` or ``module:function``, and where a network computes.
    method
        One of `ALONE`.
    texts
        In Markdown; each becomes one paragraph, without its own marks.

    Raises
    ------
    UserError
        If the method or the model can't be used.
    """
    inputs, source, asked = _inputs_and_model(model, device, method, texts)
    settings = settings_text({"words": MOST})
    origin = Origin(NETWORK, name_in_pack(model), method, settings, weights_sha256=source.sha256)
    marked = [_marked(sentence, asked, method, metrics=metrics) for sentence in inputs]
    return [text for text, _ in marked], origin, [scores for _, scores in marked]


def word_metrics(model: str, device: str, method: str, texts: Sequence[str]) -> list[Metrics]:
    """Return the metrics of all words' weights, of each text.

    Parameters and errors as in `marked_words`.
    """
    inputs, _, asked = _inputs_and_model(model, device, method, texts)
    trained = Trained(TEXT, asked, None, {}, None, None)
    scores = []
    for sentence, output in zip(inputs, outputs_of(asked, inputs), strict=True):
        weights = _weights(sentence, trained, method)
        values = np.zeros(len(sentence.tokens))
        for term in weights.terms:
            values[list(term.places)] = _sign(weights, output) * term.weight
        scores.append(perturbation.faithfulness(shown_words(trained, sentence, output), values))
    return scores


def _inputs_and_model(
    model: str, device: str, method: str, texts: Sequence[str]
) -> tuple[list[TextInput], Source, OwnModel]:
    """Return what is explained, and the model; UserError if one or the method can't be used."""
    if method not in ALONE:
        raise UserError(f"{method}: explains no text alone; these do: {', '.join(ALONE)}")
    inputs = [sentence_in({TEXT: text.replace("*", "")}, TEXT) for text in texts]
    source = source_of_model(model, TEXT, device)
    asked = _own_model(model, device, source, inputs)
    if method not in OF_LEAVING_OUT:
        _require_network(asked, method)
    return inputs, source, asked


def _own_model(name: str, device: str, source: Source, inputs: Sequence[TextInput]) -> OwnModel:
    where = f"model {name}"
    probabilities = tried(answerer(name, TEXT, device), texts_of(inputs[:TRIED]), where)
    numbered = source.labels or tuple(f"class {place}" for place in range(probabilities.shape[1]))
    answers = names_of_answers(source, numbered, probabilities.shape[1], where)
    return OwnModel(name, TEXT, answers, tuple(range(len(answers))), texts_of, device)


def _require_network(model: OwnModel, method: str) -> None:
    from xai_backend.studies.simulatability.own_transformers import SentenceClassifier

    known = model.name.startswith(FOLDER)
    if not known or not isinstance(
        sentence_classifier(model.name, model.device), SentenceClassifier
    ):
        raise UserError(
            f"{method}: reads the inside of a classifier of Transformers ({FOLDER}DIR); "
            f"{', '.join(OF_LEAVING_OUT)} explain any model"
        )


def _marked(
    sentence: TextInput, model: OwnModel, method: str, *, metrics: bool
) -> tuple[str, Metrics]:
    trained = Trained(TEXT, model, None, {}, None, None)
    weights = _weights(sentence, trained, method)
    (output,) = outputs_of(model, [sentence])
    sign = _sign(weights, output)
    ranked = sorted(weights.terms, key=lambda term: (-sign * term.weight, term.places))
    places = [
        place
        for term in ranked
        if sign * term.weight > 0
        for place in term.places
        if any(map(str.isalnum, sentence.tokens[place]))
    ][:MOST]
    words = (
        f"**{token}**" if place in places else token for place, token in enumerate(sentence.tokens)
    )
    marked = "".join(map(str.__add__, sentence.gaps, words))
    if not metrics:
        return marked, {}
    values = np.zeros(len(sentence.tokens))
    for term in weights.terms:
        values[[place for place in term.places if place in places]] = sign * term.weight
    return marked, perturbation.faithfulness(shown_words(trained, sentence, output), values)


def _sign(weights: Weights, output: str) -> int:
    """Return the sign of weights that speak for the answer; they may be of the other class."""
    return 1 if weights.target in (None, output) else -1


def _weights(sentence: TextInput, trained: Trained, method: str) -> Weights:
    if method in OF_LEAVING_OUT:
        return weights_without_words(method, trained, sentence, len(sentence.tokens))
    from xai_backend.studies.simulatability.methods import weights  # with torch

    return getattr(weights, method)(trained, sentence, len(sentence.tokens))
