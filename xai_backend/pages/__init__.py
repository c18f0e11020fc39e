"""HTML pages of this room, made from the templates of this folder."""

from pathlib import Path
from typing import Any


def rendered(template: str, **values: Any) -> str:
    """Return a page: one of this folder's templates, filled in."""
    # Jinja2 is slow to import, and other commands don't need it.
    from jinja2 import Environment, FunctionLoader

    def source(name: str) -> str:
        return Path(__file__).with_name(name).read_text(encoding="utf-8")

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(source)
    )
    return environment.get_template(template).render(**values)
