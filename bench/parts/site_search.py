"""The site's size, how long it takes to build, and how soon its search finds a symptom."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np

from bench.book import Effort, Measured
from bench.parts.commands import command_environment
from bench.parts.robot_sessions import ROOT
from docs.cli import build_site
from stimuli.errors import UserError

SOUGHT = "my colours look wrong"
SEARCHES, QUICK_SEARCHES = 7, 1
PATIENCE_S = 60.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SEARCH, FOUND = "search.html", "/found"
WATCH = f"""<script>
new MutationObserver((_, watch) => {{
  const first = document.querySelector("#search-results li a");
  if (!first) return;
  watch.disconnect();
  const place = encodeURIComponent(first.getAttribute("href"));
  fetch(`{FOUND}?ms=${{performance.now()}}&place=${{place}}`);
}}).observe(document.documentElement, {{childList: true, subtree: true}});
</script>"""
"""Tells the server when the first result stands on the page, from the page's beginning on."""


def measure(effort: Effort) -> Measured:
    """Build the site, and search it in a browser."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        effort.say("building the site")
        build_s = _built(site, quick=effort.quick)
        shutil.rmtree(site / ".doctrees")
        files = [file for file in site.rglob("*") if file.is_file()]
        whole_mb = sum(file.stat().st_size for file in files) / 1e6
        pages = sum(file.suffix == ".html" for file in files)
        pictures = sum(file.parent.name == "_images" for file in files)
        found = _searched(site, QUICK_SEARCHES if effort.quick else SEARCHES)
    times_ms = [float(one["ms"][0]) for one in found]
    (place,) = {one["place"][0].partition("?")[0] for one in found}
    text = (
        f"The site has {pages} pages and {pictures} pictures, {whole_mb:.0f} MB in all. Building "
        f"it anew takes {build_s:.0f} s.\n\n"
        f"From a search for “{SOUGHT}” to its first result on the page it takes "
        f"{np.median(times_ms) / 1000:.2f} s in Chromium (median of {len(times_ms)}; longest "
        f"{max(times_ms) / 1000:.2f} s), with nothing in the browser’s cache. The first "
        f"result is the page [{Path(place).stem}]({Path(place).stem}.md)."
    )
    figures = {"pages": pages, "pictures": pictures, "mb": round(whole_mb, 1)}
    return Measured(text, {**figures, "build_s": round(build_s, 1), "search_ms": times_ms})


def _built(site: Path, *, quick: bool) -> float:
    """Build the site as the door does, in its short form if ``quick``; return the seconds."""
    begun_s = time.perf_counter()
    if quick:
        build_site(site, "outline")
    else:
        door = [sys.executable, "lab.py", "docs", "--out", str(site)]
        subprocess.run(door, cwd=ROOT, env=command_environment(), check=True, capture_output=True)
    return time.perf_counter() - begun_s


def _searched(site: Path, searches: int) -> list[dict[str, list[str]]]:
    """Search in new browsers one after the other; return what each told."""
    page = site / SEARCH
    page.write_text(page.read_text("utf-8").replace("</head>", f"{WATCH}</head>"), "utf-8")
    told: Queue[str] = Queue()
    with _served(site, told) as address:
        asked = urlencode({"q": SOUGHT})
        return [_told_by_browser(f"{address}/{SEARCH}?{asked}", told) for _ in range(searches)]


def _told_by_browser(address: str, told: Queue[str]) -> dict[str, list[str]]:
    command = next(filter(None, map(shutil.which, BROWSERS)), None)
    if command is None:
        raise UserError(f"no browser; install one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        quiet = ("--disable-background-networking", "--no-first-run", "--disable-gpu")
        own = ("--headless", "--no-sandbox", f"--user-data-dir={profile}", "--timeout=60000")
        browser = subprocess.Popen(
            [command, *quiet, *own, "--remote-debugging-port=0", address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return parse_qs(urlsplit(told.get(timeout=PATIENCE_S)).query)
        except Empty:
            raise UserError(f"the search found nothing in {PATIENCE_S:.0f} s") from None
        finally:
            browser.terminate()
            browser.wait()


@contextmanager
def _served(site: Path, told: Queue[str]) -> Iterator[str]:
    """Serve a folder on this machine, and pass on what its pages tell."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Server, told, directory=str(site)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(SimpleHTTPRequestHandler):
    def __init__(self, told: Queue[str], *args: object, **how: object) -> None:
        self._told = told
        super().__init__(*args, **how)

    def do_GET(self) -> None:
        if self.path.startswith(FOUND):
            self._told.put(self.path)
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""
