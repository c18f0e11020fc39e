"""What labels are called and what they mean, by language."""

from collections.abc import Collection

from stimuli.images.names import ANY_LANGUAGE, name_rows
from stimuli.io.tables import Row
from stimuli.studies.human_ai_team.material import Words


def label_rows(labels: Collection[str], names: Words, definitions: Words) -> list[Row]:
    """Return the rows of ``labels.csv``: each is whole, so that a reader takes one of them.

    A label without a word is called by its id. In a language that has but a word or a definition
    of its own, the other is the one for any language.

    Raises
    ------
    UserError
        If two labels have one word: nobody could tell them apart.
    """
    words = {
        (str(row["label"]), str(row["language"] or ANY_LANGUAGE)): row["name"]
        for row in name_rows(labels, names)
    }
    for label, tag in definitions:
        if label in labels:
            words.setdefault((label, tag), words[label, ANY_LANGUAGE])
    return [
        {
            "label": label,
            "language": tag or None,
            "name": word,
            "definition": definitions.get((label, tag), definitions.get((label, ANY_LANGUAGE))),
        }
        for (label, tag), word in sorted(words.items())
    ]
