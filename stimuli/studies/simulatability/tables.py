"""Tables of a simulatability pack."""

from typing import Final

from stimuli.io.tables import Column, TableSchema, levels
from stimuli.maps.metrics import SCORES
from stimuli.maps.origin import origin_columns

DOMAINS: Final = levels(text="sentences", tabular="rows of a table")
USES: Final = levels(
    learning="examples to learn from",
    forward="the model's output on an input is predicted",
    counterfactual="the model's output on a changed input is predicted",
)
SECTIONS: Final = levels(
    learning="examples with label and output",
    forward_pre="outputs are predicted",
    learning_again="the same examples, with explanations",
    forward_post="the same outputs are predicted",
    counterfactual_pre="outputs on changed inputs are predicted",
    counterfactual_post="the same, with explanations of the outputs on the original inputs",
)
OUTCOMES: Final = levels(
    true_positive="the model says the positive class and is right",
    false_positive="the model says the positive class and is wrong",
    true_negative="the model says the negative class and is right",
    false_negative="the model says the negative class and is wrong",
    right="the model is right; where there are more than two classes",
    wrong="the model is wrong; where there are more than two classes",
)
WORD_KINDS: Final = {"class": "a class", "term": "a column, or a value of one"}

ITEMS = TableSchema(
    "items",
    "What all arms see: one row for each item, in an order that reveals nothing.",
    (
        Column("presentation", "text", "Opaque id of the item."),
        Column("domain", "text", "The kind of data.", levels=DOMAINS),
        Column("use", "text", "What the item is for.", levels=USES),
        Column("input", "text", "The sentence or row, as JSON: tokens, or columns and values."),
        Column(
            "edits",
            "text",
            "What is changed in it, as JSON: place, old, new; only for counterfactuals.",
            optional=True,
        ),
        Column("shown_label", "text", "Its true class; empty if it isn't shown.", optional=True),
        Column(
            "shown_output",
            "text",
            "The model's output for the unchanged input; empty if people predict it.",
            optional=True,
        ),
    ),
)

EXPLANATIONS = TableSchema(
    "explanations",
    "Explanations of the outputs for unchanged inputs: one row for each item and method.",
    (
        Column("presentation", "text", "The item, as in items.csv."),
        Column("method", "text", "The method, as in the protocol's design.methods."),
        Column("explanation", "text", "The explanation, as JSON; docs/simulatability.md."),
        *SCORES,
    ),
)

METHODS = TableSchema(
    "methods",
    "Who made each method's explanations, how, and what the method is called: one row for each "
    "method and language.",
    (
        Column("method", "text", "The method, as in the protocol's design.methods."),
        Column("language", "text", "IETF tag; empty for all other languages.", optional=True),
        Column("name", "text", "What it is called."),
        *origin_columns("origin", "the explanations"),
    ),
)

WORDS = TableSchema(
    "words",
    "What classes, columns and values are called: one row for each term and language.",
    (
        Column("domain", "text", "The kind of data.", levels=DOMAINS),
        Column("kind", "text", "What it is.", levels=WORD_KINDS),
        Column("term", "text", "The class, column or value."),
        Column("language", "text", "IETF tag; empty for all other languages.", optional=True),
        Column("word", "text", "The name that people read."),
    ),
)

CLASSES = TableSchema(
    "classes",
    "The classes of each domain, in their order.",
    (
        Column("domain", "text", "The kind of data.", levels=DOMAINS),
        Column("class", "text", "Its id."),
        Column(
            "positive",
            "boolean",
            "Whether it is the positive class; false for all where there are more than two.",
        ),
    ),
)

LISTS = TableSchema(
    "lists",
    "What each sheet shows. Each participant gets a sheet and an arm, which the session follows.",
    (
        Column("list", "text", "The sheet."),
        Column("arm", "text", "Domain and method, such as text_lime."),
        Column("section", "text", "The part of the session.", levels=SECTIONS),
        Column("position", "integer", "Place in the section, from 1."),
        Column("presentation", "text", "What is shown, as in items.csv."),
    ),
)

KEY = TableSchema(
    "key",
    "What each item is. A session reads it only to write its tables.",
    (
        Column("presentation", "text", "Opaque id, as in items.csv."),
        Column("item", "text", "Domain, split, use and source id, separated by colons."),
        Column("source_id", "text", "Its id in the data that it comes from."),
        Column("true_label", "text", "The class of the unchanged input."),
        Column("original_output", "text", "The model's output on the unchanged input."),
        Column("output", "text", "The model's output that people predict."),
        Column(
            "outcome",
            "text",
            "True class and model's output of the unchanged input.",
            levels=OUTCOMES,
        ),
        Column(
            "flips",
            "boolean",
            "Whether the change changes the model's output; only for counterfactuals.",
            optional=True,
        ),
        Column("short", "boolean", "Whether a shortened test includes it."),
    ),
)

MODELS = TableSchema(
    "models",
    "How accurate the models are: one row for each domain.",
    (
        Column("domain", "text", "The kind of data.", levels=DOMAINS),
        Column(
            "accuracy",
            "real",
            "Share of the test split that the task model gets right; empty if no model was asked.",
            optional=True,
        ),
        Column(
            "prototype_accuracy",
            "real",
            "The same for the prototype network; empty without one.",
            optional=True,
        ),
    ),
)
