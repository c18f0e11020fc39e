"""Pages that are made from declarations: commands, settings, columns, results, public modules."""

import ast
import importlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import GenericAlias
from typing import Any, Final
from unittest.mock import patch

import lab

ROOT: Final = Path(__file__).parents[1]
PUBLIC: Final[dict[str, tuple[str, ...]]] = {
    "Declare a study": (
        "stimuli.study",
        "participants.study",
        "xai_backend.study",
        "experiments.study",
        "analysis.study",
        "analysis.questions.question",
        "analysis.questions.inquiry",
        "analysis.questions.trials",
        "stimuli.table_study.protocol",
        "stimuli.table_study.study",
        "participants.table_study.study",
        "experiments.table_study.study",
        "analysis.table_study.study",
    ),
    "Make stimuli": (
        "stimuli.colour.spaces",
        "stimuli.colour.display",
        "stimuli.plates.plate",
        "stimuli.plates.render",
        "stimuli.maps.map_set",
        "stimuli.pack",
    ),
    "Explain": (
        "xai_backend.methods",
        "xai_backend.methods.registry",
    ),
    "Run sessions": (
        "participants.session.plan",
        "participants.session.timed_choice",
        "experiments.engine.stage",
        "experiments.engine.present",
    ),
    "Analyse": (
        "analysis.read_results",
        "analysis.mixed",
        "analysis.mixed.result",
        "analysis.statistics.two_way",
        "analysis.statistics.bootstrap",
        "analysis.statistics.proportions",
        "analysis.report.parts",
    ),
}
"""Modules that a lab's own studies and scripts import, by purpose."""
GALLERY: Final = """\
# Gallery

These pages show screens that people see, and figures of reports. The answers in the figures are
robots'. Click on a picture to see it larger. To make the pictures again, type:

```
.venv/bin/python -m tests.pictures
```

## Screens and figures

```{toctree}
:maxdepth: 1

PAGES
```

## Plates on each axis and at each rung

![One digit on every rung of the ladder, on three axes](figures/plates/ladder.png)

## One photograph, explained by each method

The explained class is *lemon*. Eleven methods explain SqueezeNet with its published weights, and
*saliency_sod* marks what stands out, whatever the network. Attention rollout, attention
relevance and AttnLRP explain a small vision transformer. ProtoPNet is a network of its own, on top
of SqueezeNet's layers. The transformer and the ProtoPNet learned the three kinds of fruit from 72
other made-up photographs. Then each of them named all of 48 new photographs correctly, this one
among them. Maps of people aren't here, since people paint them.

"""
METHOD_PICTURES: Final = "methods"
GALLERY_FOLDERS: Final = {
    "accept_reject": "accept_reject",
    "annotate": "accept_reject: an expert's session",
    "screening": "Screening of colour vision",
    "accept_reject_accuracy": "accept_reject_accuracy",
    "progressive_reveal": "progressive_reveal",
    "human_ai_team": "human_ai_team",
    "simulatability": "simulatability",
}
"""Folders of ``docs/pictures`` with their titles, in the order of the gallery; each has a page."""
GALLERY_PARTS: Final = {
    "en": "screens in English",
    "de": "screens in German",
    "report": "figures of the report",
}
LOOKED_UP: Final = re.compile(
    "api/|changelog|commands|data_dictionary|protocol_|results_|statements_"
)
"""Names of long pages that are made from declarations."""
EMPTY_HEADER: Final = re.compile(r'<th class="[^"]*head[^"]*">\s*(?:<p>\s*</p>)?\s*</th>')
GALLERY_PICTURE: Final = re.compile(r'(<img [^>]*src="([^"]+\.webp)"[^>]*/?>)')
LOOKED_UP_IN: Final = re.compile(r"\]\(reference\.md#([a-z_/]+)\)")
"""A page's link to a page that only the site has; elsewhere it opens the list of such pages."""
PAGES_OF_ROOT: Final = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def write_pages(_: Any) -> None:
    """Write the generated pages into ``docs``; they aren't under version control."""
    here = ROOT / "docs"
    _write(here / "commands.md", commands_page())
    _write(here / "api.md", api_page())
    for name, text in gallery_pages().items():
        _write(here / f"{name}.md", text)
    for file, text in declared_pages().items():
        _write(here / file, text)
    for page in (here / "api").glob("*.md"):
        page.unlink()
    for name in (name for modules in PUBLIC.values() for name in modules):
        _write(here / "api" / f"{name}.md", module_page(name))
    for file, page in PAGES_OF_ROOT.items():
        text = (ROOT / file).read_text(encoding="utf-8").replace("](docs/", "](")
        for other, its_page in PAGES_OF_ROOT.items():
            text = text.replace(f"]({other}", f"]({its_page}")
        _write(here / page, text)


def adapt_links(_: Any, name: str, source: list[str]) -> None:
    """Turn links and targets that a page has for other Markdown viewers into the site's."""
    for file, page in PAGES_OF_ROOT.items():
        source[0] = source[0].replace(f"](../{file}", f"]({page}")
    source[0] = LOOKED_UP_IN.sub(r"](/\1.md)", source[0])
    source[0] = re.sub(r'<a id="([^"]+)"></a>', r'[]{id="\1"}', source[0])


def mend_corners(*event: Any) -> None:
    """Turn a table's empty corner header into a plain cell: a screen reader announces headers."""
    context: dict[str, Any] = event[3]
    if "body" in context:
        context["body"] = EMPTY_HEADER.sub("<td></td>", context["body"])


def link_pictures(_: Any, name: str, __: str, context: dict[str, Any], *event: Any) -> None:
    """Link each small picture of the gallery to its file, where its text can be read."""
    if name.startswith("gallery"):
        context["body"] = GALLERY_PICTURE.sub(r'<a href="\2">\1</a>', context["body"])


def keep_headings(_: Any, name: str, source: list[str]) -> None:
    """Cut a long reference page down to its headings, to which other pages link."""
    if LOOKED_UP.match(name):
        text = re.sub(r"^```.*?^```$", "", source[0], flags=re.DOTALL | re.MULTILINE)
        source[0] = "\n\n".join(re.findall("^#+ .*$", text, flags=re.MULTILINE))


def skip_aliases(_: Any, kind: str, name: str, member: object, skipped: bool, __: Any) -> bool:
    """Return whether autodoc skips a member: it can't write the signature of a type alias."""
    return skipped or isinstance(member, GenericAlias)


def declared_pages() -> dict[str, str]:
    """Return the pages of protocols, columns, events, results and deviations, by file name."""
    from analysis import dictionary as results
    from participants import dictionary as columns
    from stimuli.catalogue import OUTSIDE

    with patch.dict(os.environ, {OUTSIDE: ""}):
        return {**columns.documents(), **results.documents()}


def gallery_pages() -> dict[str, str]:
    """Return the gallery's pages by name: all pictures of ``docs/pictures`` but the tutorial's."""
    pages = {f"gallery/{folder}": _folder_page(folder) for folder in GALLERY_FOLDERS}
    first = GALLERY.replace("PAGES", "\n".join(pages))
    methods = _pictures(METHOD_PICTURES, "One photograph")
    return {"gallery": "\n".join([first, *methods]), **pages}


def _folder_page(folder: str) -> str:
    title = GALLERY_FOLDERS[folder]
    parts = [f"# {title}\n"]
    for part, what in GALLERY_PARTS.items():
        pictures = list(_pictures(f"{folder}/{part}", f"{title}, {what}"))
        parts += [f"## {what[0].upper()}{what[1:]}\n", *pictures] if pictures else []
    return "\n".join(parts)


def _pictures(folder: str, of_what: str) -> Iterator[str]:
    """Yield a folder's pictures with their names, side by side where there is room."""
    files = sorted((ROOT / "docs" / "pictures" / folder).glob("*.webp"))
    if not files:
        return
    yield "::::{container} gallery\n"
    for file in files:
        name = re.sub("[-_]+", " ", file.stem)
        path = f"/pictures/{folder}/{file.name}"
        yield f":::{{figure}} {path}\n:alt: {of_what}: {name}\n:loading: lazy\n\n{name}\n:::\n"
    yield "::::\n"


def api_page() -> str:
    """Return the page that lists the public modules."""
    parts = [
        "# Python API\n\nThese modules are public: a study or a script of your own may import "
        "them. Everything else may change without notice.\n"
    ]
    for title, modules in PUBLIC.items():
        rows = [f"| [`{name}`](api/{name}.md) | {_cell(_purpose(name))} |" for name in modules]
        parts.append(
            f"## {title}\n\n| module | what it is for |\n|---|---|\n" + "\n".join(rows) + "\n"
        )
    every = "\n".join(f"api/{name}" for modules in PUBLIC.values() for name in modules)
    return "\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{every}\n```\n"])


def module_page(name: str) -> str:
    """Return the page of a public module, whose docstrings Sphinx inserts."""
    return f"# {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n```\n"


def _purpose(name: str) -> str:
    """Return the first line of a module's docstring, without importing it."""
    path = ROOT / name.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return said.partition("\n")[0]


def commands_page() -> str:
    """Return the page of all commands, made from their declarations."""
    parts = [
        "# Commands\n\nEvery command with its options. `python3 lab.py VERB --help` prints the "
        "same in the terminal.\n"
    ]
    for verb, (room, _, what) in lab.VERBS.items():
        parts.append(f"## {verb}\n")
        if room is None:
            parts.append(f"{what.capitalize()}.\n")
            continue
        tree = command_tree(room, verb)
        parts += _describe((verb,), tree.commands[verb])
    return "\n".join(parts)


def command_tree(room: str, verb: str) -> Any:
    """Return a room's command tree, as its command line builds it for a verb and every study.

    A lab's own studies are left out, so that the documentation's pages are the same on every PC.
    """
    from typer.main import get_command

    from stimuli.catalogue import OUTSIDE, studies_of

    found: list[Any] = []

    def keep(app: Any, _: Sequence[str], add_verbs: Any = lambda: None) -> int:
        add_verbs()
        found.append(get_command(app))
        return 0

    cli = importlib.import_module(f"{room}.cli")
    with patch.dict(os.environ, {OUTSIDE: ""}), patch.object(cli, "run_app", keep):
        cli.main([verb, *studies_of("stimuli")])
    return found[0]


def _describe(path: tuple[str, ...], command: Any) -> Iterator[str]:
    if len(path) > 1:
        yield f"{'#' * min(len(path) + 1, 4)} {' '.join(path)}\n"
    yield _prose(command.help or "")
    if hasattr(command, "commands"):
        for name, sub in command.commands.items():
            yield from _describe((*path, name), sub)
        return
    rows = [_row(parameter) for parameter in command.params if not _is_help(parameter)]
    if rows:
        yield "| option | what it does |\n|---|---|\n" + "\n".join(rows) + "\n"


def _is_help(parameter: Any) -> bool:
    return "--help" in parameter.opts


def _row(parameter: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    if parameter.param_type_name == "argument":
        names = f"`{(parameter.metavar or parameter.name).strip('{}[]').upper()}`"
    needed = " Required." if parameter.required else ""
    return f"| {names} | {_cell(getattr(parameter, 'help', '') or '')}{needed} |"


def _cell(text: str) -> str:
    return _escaped(" ".join(text.split())).replace("|", "\\|")


def _prose(text: str) -> str:
    """Return a help text as Markdown: paragraphs, with each example as code."""
    parts = []
    for paragraph in text.split("\n\n"):
        said = " ".join(paragraph.split())
        prose, _, example = said.partition("Example: ")
        if prose.strip():
            parts.append(_escaped(prose.strip()))
        if example:
            parts.append(f"```\n{example.rstrip('.') if example.endswith('..') else example}\n```")
    return "\n\n".join(parts) + "\n"


def _escaped(text: str) -> str:
    """Return text with Markdown's markup escaped, except code."""
    return re.sub(r"([<>*_{}\[\]$~])", r"\\\1", text)


def _write(path: Path, text: str) -> None:
    """Write a page only if it has changed, so that Sphinx doesn't read it again for nothing."""
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
