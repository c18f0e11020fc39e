"""What a pack's build makes differ from the published study and isn't a setting: data, models."""

from collections.abc import Iterator, Mapping
from typing import Final

from stimuli.protocol import Deviation
from stimuli.studies.simulatability.protocol import Simulatability
from xai_backend.packs.differences import OF_COMMAND, of_build, stated
from xai_backend.packs.origins import name_in_pack
from xai_backend.studies.simulatability.embedded import LOANS, REVIEWS
from xai_backend.studies.simulatability.request import DATA, MODELS, OUTPUTS, CaseRequest

PUBLISHED: Final = {
    "text": "There are 10,662 sentences of film reviews.",
    "tabular": "There are 15,682 rows of Adult, which is about people's income.",
}
EMBEDDED: Final = {
    "text": f"There are {REVIEWS:,} reviews, which a grammar made up.",
    "tabular": f"There are {LOANS:,} applications for loans, which a rule made up.",
}
MODEL: Final = {
    "text": "The model of sentences is a bidirectional LSTM with attention.",
    "tabular": "The model of rows is a network with two hidden layers.",
}


def with_differences(
    protocol: Simulatability, request: CaseRequest, left_out: Mapping[str, str]
) -> Simulatability:
    """Return a pack's protocol with what its build makes differ from the study.

    Parameters
    ----------
    protocol, request
        The pack's protocol, and what was asked for.
    left_out
        Why methods are left out, by method.
    """
    arms = [
        of_build("design.methods", "There are five methods.", f"{name} is left out.", f"{reason}.")
        for name, reason in left_out.items()
    ]
    others = [*arms, *_of_data(protocol, request)]
    return stated(protocol, request.protocol_file, others)


def _of_data(protocol: Simulatability, request: CaseRequest) -> Iterator[Deviation]:
    """Yield where inputs, outputs and word vectors come from; sheets are the published ones."""
    for name in () if request.kind == "sheets" else protocol.design.domains:
        source, recorded = request.sources.get(name), name in request.outputs
        if source is None:
            yield of_build(DATA[name], PUBLISHED[name], EMBEDDED[name], OF_COMMAND)
        elif recorded or not source.is_dir():
            option, what = (OUTPUTS, "Inputs and outputs") if recorded else (DATA, "Inputs")
            here = f"{what} are those of {source.name}."
            yield of_build(option[name], PUBLISHED[name], here, OF_COMMAND)
        if name in request.models:
            here = f"The model is the lab's own: {name_in_pack(request.models[name])}."
            yield of_build(MODELS[name], MODEL[name], here, OF_COMMAND)
        elif name == "text" and not recorded and request.vectors is None:
            here = "They are learned from the sentences of the training split."
            yield of_build("--vectors", "Vectors of words are GloVe's.", here, OF_COMMAND)
