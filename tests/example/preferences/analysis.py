"""What is asked of the data beside the general questions: each in a module of its own."""

from pathlib import Path

from analysis.table_study.study import declare


def questions() -> tuple:
    """Return the study's own questions, in the order of the page; imported when needed."""
    from preferences.first_answer import FIRST_ANSWER

    return (FIRST_ANSWER,)


STUDY = declare(Path(__file__).parent, questions)
