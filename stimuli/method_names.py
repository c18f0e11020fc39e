"""What the suite's explanation methods are called, in tables and reports of every study."""

from typing import Final

from stimuli.images.names import ANY_LANGUAGE, Names

METHOD_NAMES: Final[Names] = {
    (method, language): name
    for method, names in {
        "anchor": {ANY_LANGUAGE: "Anchor", "de": "Anker"},
        "attention_relevance": {ANY_LANGUAGE: "attention relevance"},
        "attention_rollout": {ANY_LANGUAGE: "attention rollout"},
        "composite": {ANY_LANGUAGE: "Composite", "de": "Zusammenstellung"},
        "decision_boundary": {ANY_LANGUAGE: "Decision boundary", "de": "Entscheidungsgrenze"},
        "extremal_perturbation": {ANY_LANGUAGE: "extremal perturbation", "de": "extreme Störung"},
        "gradcam": {ANY_LANGUAGE: "GradCAM"},
        "gradient_shap": {ANY_LANGUAGE: "gradient SHAP"},
        "human": {ANY_LANGUAGE: "human maps", "de": "Karten von Menschen"},
        "integrated_gradients": {
            ANY_LANGUAGE: "integrated gradients", "de": "integrierte Gradienten",
        },
        "kernel_shap": {ANY_LANGUAGE: "kernel SHAP"},
        "lime": {ANY_LANGUAGE: "LIME"},
        "lrp": {ANY_LANGUAGE: "LRP"},
        "nearest_neighbours": {ANY_LANGUAGE: "3-NN"},
        "no_explanation": {ANY_LANGUAGE: "No explanation", "de": "Ohne Erklärung"},
        "occlusion": {ANY_LANGUAGE: "occlusion", "de": "Verdeckung"},
        "omission": {ANY_LANGUAGE: "Omission", "de": "Weglassen"},
        "protopnet": {ANY_LANGUAGE: "ProtoPNet"},
        "prototype": {ANY_LANGUAGE: "Prototype", "de": "Prototyp"},
        "saliency_sod": {ANY_LANGUAGE: "salient objects", "de": "auffällige Objekte"},
        "salient_object": {ANY_LANGUAGE: "salient objects", "de": "auffällige Objekte"},
        "smoothgrad": {ANY_LANGUAGE: "SmoothGrad"},
    }.items()
    for language, name in names.items()
}  # fmt: skip
"""By method and language (IETF tag); `ANY_LANGUAGE` for languages without a name of their own."""


def method_name(method: str, language: str = ANY_LANGUAGE) -> str:
    """Return what a method is called within a sentence; a lab's own by its own name."""
    usual = METHOD_NAMES.get((method, ANY_LANGUAGE), method)
    return METHOD_NAMES.get((method, language), usual)


def method_title(method: str, language: str = ANY_LANGUAGE) -> str:
    """Return the same as a label or a heading: it begins with a capital, a lab's own as it is."""
    name = method_name(method, language)
    own = (method, ANY_LANGUAGE) not in METHOD_NAMES
    return name if own else name[:1].upper() + name[1:]
