"""Weights of a row's values by Kernel SHAP, and of words from the inside of a Transformer.

Kernel SHAP (Lundberg & Lee 2017): the weights divide up the model's output. The worth of a
coalition of values is the mean probability of the explained class over rows of the training split
that take over these values. With up to 12 columns all coalitions are used, and the weights are
exact Shapley values; with more, coalitions are drawn. The explained class is the positive one of
two, else the output.

The Transformer is a lab's own. Integrated gradients (Sundararajan et al. 2017) run from a sentence
of padding to the sentence, in the space of word vectors; a word's weight is the sum over its pieces
and dimensions. With two classes they explain the margin between the logits, with more classes the
logit of the output.

Gradient x input (Shrikumar et al. 2016) is the gradient of the same value times the word vectors.
AttnLRP (Achtibat et al. 2024) is the same with its rules' gradient; γ is 0, as its authors take it
for texts.

Attention rollout (Abnar & Zuidema 2020, 3.1) is how much of each word reaches the class token
through all layers. It speaks for no class. Attention relevance (Chefer et al. 2021, equations 5 and
6) weights attention by the gradient of the output, and leaves out what speaks against it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch import Tensor

from stimuli.studies.simulatability.stimulus import TableInput, TextInput, Weights
from xai_backend.methods.attn_lrp import Rules
from xai_backend.methods.kernel_shap import KernelShap, shapley_values
from xai_backend.studies.simulatability.methods.around import (
    CachedAnswers,
    coded,
    explained_share,
    shown_weights,
    values_around,
)
from xai_backend.studies.simulatability.own_model import OwnModel, sentence_classifier
from xai_backend.studies.simulatability.own_transformers import SentenceClassifier
from xai_backend.studies.simulatability.trained import Reals, Trained, outputs_of

if TYPE_CHECKING:
    from xai_backend.studies.simulatability.own_transformers import Pieces

BACKGROUND: Final = 50
"""Number of rows of the training split whose values replace absent values."""
SAMPLES: Final = 4096
"""Most coalitions; with up to 12 columns, these are all of them."""
STEPS: Final = 50
"""Points of Gauss-Legendre quadrature on the path, as in captum."""
AT_ONCE: Final = 32
RESIDUAL: Final = 0.5
"""Weight of the residual connection in rollout."""


def kernel_shap(trained: Trained, row: TableInput, most: int, rng: np.random.Generator) -> Weights:
    """Return the values that count most, from the highest weight to the lowest."""
    (output,) = outputs_of(trained.model, [row])
    target = trained.classes[1] if len(trained.classes) == 2 else output
    rows = [example.instance for example in trained.splits["train"]]
    chosen = rng.permutation(len(rows))[:BACKGROUND]
    weights = value_weights(trained, row, target, [rows[place] for place in chosen], rng)
    return shown_weights(row, weights, target, most)


def value_weights(
    trained: Trained,
    row: TableInput,
    target: str,
    background: list[TableInput],
    rng: np.random.Generator,
) -> Reals:
    """Return the Shapley values of a row's values, shape (columns,).

    They sum to the probability of ``target`` less its mean over the background.
    """
    around = values_around(row, trained.table)
    others = coded(around, background)
    answers = CachedAnswers(explained_share(trained.model, target), around.inputs)
    count = len(row.columns)
    coalitions, chances = KernelShap(samples=SAMPLES).coalitions(count, rng)
    ends = np.array([np.zeros(count), np.ones(count)], bool)
    worth = np.array(
        [answers.values(np.where(here, 0, others)).mean() for here in np.vstack([ends, coalitions])]
    )
    return shapley_values(coalitions, chances, worth[2:] - worth[0], worth[1] - worth[0])


@dataclass(frozen=True, slots=True)
class Inside:
    """A sentence as a network reads it, and what is explained of its answer.

    Attributes
    ----------
    classifier
        The network with its tokenizer.
    read
        The sentence in word pieces.
    target
        The positive class of two, or the output.
    says
        From logits to the explained value; see `explained_logit`.
    """

    classifier: SentenceClassifier
    read: "Pieces"
    target: str
    says: Callable[[Tensor], Tensor]

    @classmethod
    def of(cls, trained: Trained, sentence: TextInput) -> "Inside":
        """Read a sentence by a domain's own network."""
        model = trained.model
        assert isinstance(model, OwnModel)
        classifier = sentence_classifier(model.name, model.device)
        assert isinstance(classifier, SentenceClassifier)
        target = trained.classes[1]
        if len(trained.classes) > 2:
            (target,) = outputs_of(model, [sentence])
        return cls(
            classifier, classifier.pieces([sentence.text]), target, explained_logit(model, target)
        )

    def rest_for(self, count: int) -> dict[str, Tensor]:
        """Return the network's inputs besides the codes of the pieces, for so many copies."""
        rest = {name: codes for name, codes in self.read.codes.items() if name != "input_ids"}
        return {name: codes.expand(count, -1) for name, codes in rest.items()}

    def by_pieces(self, kind: type, **options: Any) -> Reals:
        """Return a layer method of captum's on the word vectors, summed over them, (pieces,)."""
        network = self.classifier.network
        attribution = kind(
            lambda ids: self.says(network(**self.rest_for(len(ids)), input_ids=ids).logits),
            network.get_input_embeddings(),
        )
        values = attribution.attribute(self.read.codes["input_ids"], **options)
        return values.sum(dim=2)[0].detach().double().cpu().numpy()


def integrated_gradients(trained: Trained, sentence: TextInput, most: int) -> Weights:
    """Return the words that count most, signed for the positive class of two or for the output."""
    from captum.attr import LayerIntegratedGradients

    inside = Inside.of(trained, sentence)
    empty = padding(inside.classifier, inside.read.codes["input_ids"])
    values = inside.by_pieces(
        LayerIntegratedGradients, baselines=empty, n_steps=STEPS, method="gausslegendre"
    )
    weights = of_words(sentence, values, inside.read.spans)
    return shown_weights(sentence, weights, inside.target, most)


def gradient_x_input(trained: Trained, sentence: TextInput, most: int) -> Weights:
    """Return the words that count most, signed as `integrated_gradients`."""
    from captum.attr import LayerGradientXActivation

    inside = Inside.of(trained, sentence)
    weights = of_words(sentence, inside.by_pieces(LayerGradientXActivation), inside.read.spans)
    return shown_weights(sentence, weights, inside.target, most)


def attn_lrp(trained: Trained, sentence: TextInput, most: int) -> Weights:
    """Return the words that count most, signed as `integrated_gradients`."""
    with Rules(gamma=0.0, gamma_conv=0.0):
        return gradient_x_input(trained, sentence, most)


def attention_relevance(trained: Trained, sentence: TextInput, most: int) -> Weights:
    """Return the words whose attention made the output, signed for the positive class of two."""
    inside = Inside.of(trained, sentence)
    network = inside.classifier.network
    with torch.enable_grad():
        vectors = network.get_input_embeddings()(inside.read.codes["input_ids"]).requires_grad_()
        ran = network(**inside.rest_for(1), inputs_embeds=vectors, output_attentions=True)
        says = inside.says(ran.logits)[0]
        sign = -1 if len(trained.classes) == 2 and says < 0 else 1
        slopes = torch.autograd.grad(sign * says, ran.attentions)
    reached = torch.eye(slopes[0].shape[-1], device=inside.classifier.device)
    for layer, slope in zip(ran.attentions, slopes, strict=True):
        reached = reached + (layer * slope)[0].clamp(min=0).mean(dim=0).detach() @ reached
    weights = of_words(sentence, reached[0].double().cpu().numpy(), inside.read.spans)
    return shown_weights(sentence, sign * weights, inside.target, most)


def attention_rollout(trained: Trained, sentence: TextInput, most: int) -> Weights:
    """Return the words with the largest shares in the class token; all words' shares sum to 1."""
    inside = Inside.of(trained, sentence)
    classifier, read = inside.classifier, inside.read
    with torch.inference_mode():
        layers = classifier.network(**read.codes, output_attentions=True).attentions
    reached = torch.eye(layers[0].shape[-1], device=classifier.device)
    for layer in layers:
        reached = (1 - RESIDUAL) * layer[0].mean(dim=0) @ reached + RESIDUAL * reached
    shares = of_words(sentence, reached[0].double().cpu().numpy(), read.spans)
    return shown_weights(sentence, shares / shares.sum(), None, most)


def explained_logit(model: OwnModel, target: str) -> Callable[[Tensor], Tensor]:
    """Return a function from logits to the explained value, (n,): the margin of two, or one."""
    column = model.columns[model.classes.index(target)]
    others = [other for other in model.columns if other != column]

    def says(logits: Tensor) -> Tensor:
        return logits[:, column] - logits[:, others[0]] if len(others) == 1 else logits[:, column]

    return says


def padding(classifier: SentenceClassifier, codes: Tensor) -> Tensor:
    """Return a sentence's codes with all but the special ones replaced by padding."""
    special = torch.isin(codes, codes.new_tensor(classifier.tokenizer.all_special_ids))
    known_as = classifier.tokenizer.unk_token_id
    unknown = codes == (-1 if known_as is None else known_as)
    return torch.where(special & ~unknown, codes, classifier.tokenizer.pad_token_id)


def of_words(sentence: TextInput, per_piece: Reals, spans: list[tuple[int, int]]) -> Reals:
    """Return the sum over each token's pieces, shape (tokens,); 0 if no piece was read.

    Parameters
    ----------
    per_piece
        Shape (pieces,).
    spans
        Start and end of each piece in the text; special pieces have no length.
    """
    sums = np.zeros(len(sentence.tokens))
    for value, (begin, end) in zip(per_piece, spans, strict=True):
        shared = [
            min(end, token_end) - max(begin, token_begin)
            for token_begin, token_end in sentence.spans
        ]
        if shared and max(shared) > 0:
            sums[int(np.argmax(shared))] += value
    return sums
