"""The report in headless Chromium: wide, tablet and phone, dark, printed. Skipped without a browser.

A copy of the page gets a script that measures. It is shown in a frame, because a window has a least
width; the page around it prints what was measured.
"""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "results"
PAGES = sorted(ROOT.glob("*/report.html"))
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
A4_WIDTH, A4_LANDSCAPE = 695, 1024  # CSS pixels between the page's margins

OPEN = "for (const part of document.querySelectorAll('details')) part.open = true;"
# what lies beyond the right edge, other than inside an area that scrolls
BEYOND = """
const edge = document.documentElement.clientWidth + 1;
const beyond = [...document.querySelectorAll("main *")].filter(e =>
  !e.closest(SCROLLS) && e.getClientRects().length && e.getBoundingClientRect().right > edge);
const broken = [...document.images].filter(i => !i.naturalWidth).map(i => i.src.slice(-60));
const width = document.documentElement.scrollWidth;
const found = {beyond: beyond.map(e => e.outerHTML.slice(0, 100)), width, broken};
"""

# the background's luminance, and the colours of text that differ too little from it
CONTRAST = """
const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const light = colour => {
  const [r, g, b] = colour.match(/[\\d.]+/g).map(v => linear(v / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = light(getComputedStyle(document.body).backgroundColor);
const isText = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && !e.closest("form");
const texts = [...document.querySelectorAll("main *:not(.zero)")].filter(isText);
const contrast = colour => {
  const [low, high] = [ground, light(colour)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const colours = new Set(texts.map(e => getComputedStyle(e).color));
const found = {ground, colours: colours.size, faint: [...colours].filter(c => contrast(c) < 4.5)};
"""
# clicks on every cell of the matrix, then sorts by our value
CLICKS = """
const bodies = () => [...document.querySelectorAll(".claims tbody")];
const shown = () => bodies().filter(b => !b.hidden).length;
const click = a => { a.click(); return [+a.textContent, shown()]; };
const cells = [...document.querySelectorAll(".matrix a")].map(click);
document.querySelector("form button").click();
document.querySelector(".claims th.n button").click();
const values = bodies().map(b => b.dataset.ours).filter(v => v).map(Number);
const rising = values.every((v, i) => !i || values[i - 1] <= v);
const found = {cells, open: document.getElementById("list").open, rising};
"""


@pytest.fixture(params=PAGES or [None], ids=lambda p: p.parent.name if p else "none")
def page(request) -> Path:
    if request.param is None:
        pytest.skip("no study was run here (make study writes results/quick)")
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    return request.param


def has_claims(page: Path) -> bool:
    """Whether the page is of a study of papers, not of data of one's own, nor the league's."""
    return 'class="claims"' in page.read_text(encoding="utf-8")


def browse(profile: Path, *arguments: str) -> str:
    """Output of the browser, with a profile of its own and without the network."""
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={profile}", "--allow-file-access-from-files", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout


def measured(page: Path, folder: Path, width: int, script: str, *flags: str, printed: bool = False) -> dict:
    """What `script` leaves in `found` after the page has loaded with every image."""
    text = page.read_text(encoding="utf-8").replace(' loading="lazy"', "")
    text = text.replace("<head>", f'<head><base href="{page.parent.as_uri()}/">')
    if printed:
        text = text.replace("@media print", "@media all").replace("@media screen and", "@media not all and")
    probe = f"<script>addEventListener('load', () => {{ {script} window.found = found; }})</script></body>"
    (folder / "copy.html").write_text(text.replace("</body>", probe), encoding="utf-8")
    print_found = "document.body.textContent = JSON.stringify(frames[0].found)"
    frame = f'<iframe src="copy.html" width="{width}" height="900" style="border: 0"></iframe>'
    around = folder / "around.html"
    around.write_text(f"<body onload='{print_found}'>{frame}</body>", encoding="utf-8")
    out = browse(folder / "profile", *flags, "--window-size=1400,1000", "--dump-dom", around.as_uri())
    return json.loads(unescape(re.search(r"<body[^>]*>(\{.*\})</body>", out, re.DOTALL)[1]))


@pytest.mark.parametrize("width", [1280, 800, 390])
def test_nothing_is_cut_at_any_width_and_every_figure_is_there(page, tmp_path, width):
    script = OPEN + BEYOND.replace("SCROLLS", "'.scroll, figure > a, math *'")
    found = measured(page, tmp_path, width, script)
    assert found == {"beyond": [], "width": width, "broken": []}


def test_no_table_is_cut_in_print(page, tmp_path):
    """Portrait, and landscape for tables with many columns."""
    script = OPEN + BEYOND.replace("SCROLLS", "'.item:has(.wide), math *'")
    assert measured(page, tmp_path, A4_WIDTH, script, printed=True)["beyond"] == []
    script = OPEN + BEYOND.replace("SCROLLS", "'math *'")
    assert measured(page, tmp_path, A4_LANDSCAPE, script, printed=True)["beyond"] == []


def test_dark_mode_can_be_read(page, tmp_path):
    """Contrast of at least 4.5 (WCAG AA) between every text and the page."""
    script = OPEN + CONTRAST
    dark = measured(page, tmp_path, 1280, script, "--force-dark-mode")
    bright = measured(page, tmp_path, 1280, script)
    assert dark["ground"] < 0.05 and bright["ground"] > 0.9
    assert dark["faint"] == bright["faint"] == []
    assert dark["colours"] >= (4 if has_claims(page) else 3)


def test_the_matrix_filters_the_claims_and_columns_sort_them(page, tmp_path):
    if not has_claims(page):
        pytest.skip("data of one's own: no claims")
    found = measured(page, tmp_path, 1280, CLICKS)
    assert found["cells"] and all(told == shown for told, shown in found["cells"])
    assert found["open"] and found["rising"]


def printed(address, folder) -> tuple[int, int]:
    """Pages and images of the page on paper."""
    pdf = folder / "report.pdf"
    browse(folder / "profile", "--no-pdf-header-footer", f"--print-to-pdf={pdf}", address)
    content = pdf.read_bytes()
    return len(re.findall(rb"/Type\s*/Page\b", content)), len(re.findall(rb"/Subtype\s*/Image\b", content))


def test_only_open_sections_are_printed(page, tmp_path):
    """As it opens, the summary on a few pages; with all sections open, each of their figures."""
    summary, few = printed(page.as_uri(), tmp_path)
    whole, images = printed(f"{page.as_uri()}#all", tmp_path)
    assert summary <= 10
    assert images >= page.read_text(encoding="utf-8").count("<img ")
    assert whole >= (10 if has_claims(page) else 5)
    assert few <= images
