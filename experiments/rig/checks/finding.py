"""What a check is, and what it found.

Code names the sentences of ``texts/rig/LANGUAGE/checks.toml``. A finding has them in English, for
records and terminals, and can be told in another language.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from participants.texts.rig import CheckWords
from participants.texts.translation import english, sentence_of, translated
from stimuli.errors import UserError

Status = Literal["pass", "warn", "fail"]
Sentence = tuple[str, Mapping[str, Any]]
"""The name of a sentence, and its values: each a text, or a list of sentences."""
REMEDY: Final = "do"
"""The usual name of a check's remedy."""
TODO: Final = "todo"
"""The name of a remedy that an error tells."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check.

    Attributes
    ----------
    check
        The check's name.
    status
        pass, warn or fail.
    found
        What the check found, in English.
    remedy
        What to do, in English; empty for a pass.
    names
        Names of the sentences of both; empty if an error said them.
    values
        The sentences' values.
    """

    check: str
    status: Status
    found: str
    remedy: str = ""
    names: Sequence[str] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    def in_words(self, words: CheckWords) -> str:
        """Return the check's name, what it found, and what to do, in the language of the words."""
        name = words.tables.get(self.check, {}).get("name", self.check)
        return f"{name}: {self._line(words)}"

    def _line(self, words: CheckWords) -> str:
        line = "; ".join(filter(None, (self.found, self.remedy)))
        if TODO in self.names:
            # An error says in one line what is wrong and what to do.
            return translated(line, words)
        try:
            sentences = [(name, self.values) for name in self.names]
            return (
                "; ".join(_sentence(words, self.check, sentence) for sentence in sentences) or line
            )
        except KeyError:
            # The doctor of another version found it.
            return translated(line, words)


@dataclass(frozen=True, slots=True)
class Check:
    """A check's documentation; also creates the check's findings.

    Attributes
    ----------
    name
        The name in findings and journals.
    asks
        What it checks.
    warns, fails
        When it warns and when it fails; empty if it never does.
    every_session
        Whether `run` makes this check before a session too.
    """

    name: str
    asks: str
    warns: str = ""
    fails: str = ""
    every_session: bool = False

    def passed(self, found: str, /, **values: Any) -> Finding:
        """Return a finding that passes; `found` and `remedy` are names of sentences."""
        return self._finding("pass", values, found)

    def warned(self, found: str, remedy: str = REMEDY, /, **values: Any) -> Finding:
        """Return a warning."""
        return self._finding("warn", values, found, remedy)

    def failed(self, found: str, remedy: str = REMEDY, /, **values: Any) -> Finding:
        """Return a failure, which stops sessions."""
        return self._finding("fail", values, found, remedy)

    def attempted(self, look: Callable[[], Finding]) -> Finding:
        """Return a function's finding; a UserError becomes a failure."""
        try:
            return look()
        except UserError as error:
            return self.refused(error)

    def refused(self, error: UserError) -> Finding:
        """Return a failure by an error, which may say what to do."""
        what, _, todo = str(error).partition("; ")
        return self.failed("refused", TODO if todo else REMEDY, what=what, todo=todo)

    def _finding(self, status: Status, values: Mapping[str, Any], *names: str) -> Finding:
        texts = (_sentence(english(), self.name, (name, values)) for name in names)
        return Finding(self.name, status, *texts, names=names, values=values)


def _sentence(words: CheckWords, check: str, sentence: Sentence) -> str:
    """Fill a sentence; lists of sentences become one text. KeyError for an unknown name."""
    name, values = sentence
    texts = {
        key: value
        if isinstance(value, str)
        else "; ".join(_sentence(words, check, nested) for nested in value)
        for key, value in values.items()
    }
    return sentence_of(words, check, name, texts)


def failures(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that stop a session."""
    return [finding for finding in findings if finding.status == "fail"]
