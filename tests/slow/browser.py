"""How a browser sets texts: its lines, and its picture of a line (chromium, without a window)."""

import json
import re
import shutil
import subprocess
from html import escape
from pathlib import Path

import numpy as np
from PIL import Image

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ROW_PX = 64
SCRIPT = """
const lines = [];
for (const part of document.querySelectorAll('p')) {
  const own = [], node = part.firstChild, range = document.createRange();
  let top = null;
  for (let at = 0; at < node.length; at += 1) {
    range.setStart(node, at); range.setEnd(node, at + 1);
    const box = [...range.getClientRects()].find((one) => one.width > 0);
    const y = box ? box.top + box.height / 2 : top;
    if (top === null || (y !== null && y > top + SIZE / 2)) { own.push(''); top = y; }
    own[own.length - 1] += node.data[at];
  }
  lines.push(own.map((one) => one.trim()));
}
document.body.textContent = JSON.stringify(lines);
"""


class Browser:
    """Pages of texts in a typeface, with fonts for the signs that it lacks."""

    def __init__(self, folder: Path, fonts: list[Path], language: str) -> None:
        faces = "".join(
            f"@font-face {{ font-family: f{k}; src: url('{path.as_uri()}'); }}"
            for k, path in enumerate(fonts)
        )
        family = ", ".join(f"f{k}" for k in range(len(fonts)))
        self.folder, self.language = folder, language
        self.style = (
            f"{faces} body {{ margin: 0; font-family: {family}; "
            "background: white; "
            # Else signs that stand beside each other would lose room in Chinese and Japanese.
            "text-spacing-trim: space-all } p { text-align: left }"
        )

    def lines(self, texts: list[str], width_px: int, size_px: int) -> list[list[str]]:
        """Return the lines of each text in a column of a width."""
        style = f"p {{ width: {width_px}px; font-size: {size_px}px; margin: 40px }}"
        wait = f"document.fonts.ready.then(() => {{ {SCRIPT.replace('SIZE', str(size_px))} }})"
        page = self._page(style, texts, f"<script>{wait}</script>")
        found = self._run(page, "--dump-dom")
        told = re.search(r"<body>(.*)</body>", found, re.DOTALL)
        assert told, found[:500]
        plain = told[1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
        return json.loads(plain)

    def pictures(self, lines: list[str], size_px: int) -> list[np.ndarray]:
        """Return a picture of each line, black on white, codes (64, 1600)."""
        style = (
            f"p {{ margin: 0; height: {ROW_PX}px; line-height: {ROW_PX}px; white-space: nowrap; "
            f"font-size: {size_px}px; overflow: hidden }}"
        )
        shot = self.folder / "shot.png"
        size = f"--window-size=1600,{ROW_PX * len(lines)}"
        self._run(self._page(style, lines), f"--screenshot={shot}", size, "--hide-scrollbars")
        codes = np.asarray(Image.open(shot).convert("L"))
        return [codes[at * ROW_PX : (at + 1) * ROW_PX] for at in range(len(lines))]

    def _page(self, style: str, texts: list[str], more: str = "") -> Path:
        parts = "".join(f"<p dir='auto'>{escape(text, quote=False)}</p>" for text in texts)
        head = f"<meta charset='utf-8'><style>{self.style} {style}</style>"
        page = self.folder / "page.html"
        page.write_text(
            f"<!doctype html><html lang='{self.language}'><head>{head}</head>"
            f"<body>{parts}{more}</body></html>",
            encoding="utf-8",
        )
        return page

    def _run(self, page: Path, *how: str) -> str:
        command = [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
            "--virtual-time-budget=20000",  # until large fonts are read
            "--allow-file-access-from-files", f"--user-data-dir={self.folder / 'profile'}", *how,
            page.as_uri(),
        ]  # fmt: skip
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
