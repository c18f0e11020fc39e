"""How Sphinx builds the site; ``python3 lab.py docs`` starts it."""

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from numpydoc import docscrape_sphinx
from pydata_sphinx_theme import toctree
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

from docs import generated
from stimuli.versions import suite_version

project = "Plainsight"
release = version = suite_version()
language = "en"
smartquotes = False
highlight_language = "none"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
]
exclude_patterns = ["figures/*.md"]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4

autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "Plainsight"
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "templates" / "scorer.js")
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {name: [] for name in ("index", "tutorial", "faq")}
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "collapse_navigation": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
    "show_prev_next": False,
}


class English(SearchEnglish):
    """Sphinx's English search language, which stems each word only once for all pages."""

    stem = functools.cache(SearchEnglish.stem)


# For each docstring, numpydoc would make an environment and compile its only template.
_templates = docscrape_sphinx.SandboxedEnvironment(
    loader=docscrape_sphinx.FileSystemLoader(Path(docscrape_sphinx.__file__).parent / "templates")
)
docscrape_sphinx.SandboxedEnvironment = lambda loader: _templates

# The sidebar shows only the current branch, without toggles: they have no name for screen readers.
toctree.add_collapse_checkboxes = lambda soup: None


def setup(app: Sphinx) -> None:
    """Connect `generated` to Sphinx's events: it writes pages before Sphinx reads any."""
    app.add_search_language(English)
    app.connect("builder-inited", generated.write_pages)
    app.connect("source-read", generated.adapt_links)
    if app.tags.has("outline"):
        app.connect("source-read", generated.keep_headings)
    app.connect("html-page-context", generated.mend_corners)
    app.connect("html-page-context", generated.link_pictures)
    app.connect("autodoc-skip-member", generated.skip_aliases)
