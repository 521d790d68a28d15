"""Style of all figures: looks of variants, layout, and saving.

The configuration gives each variant its look. Algorithms share a hue with their relatives (tuned, other
version, other subset), which differ by line and marker; no two looks share line, marker and filling, so
that figures survive greyscale.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib import style as mpl_style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.markers import CARETLEFT
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.typing import ColorType, LineStyleType
from numpy.typing import ArrayLike

from tvgp.study.execution.files import replacing
from tvgp.study.figures.base.palette import Colour
from tvgp.study.results import presentation

matplotlib.use("agg")

STYLE_FILE = Path(__file__).with_name("tvgp.mplstyle")
WIDTH = 7.2  # inches, a two-column page
LABEL = 27  # characters beside a panel
OFF_SCALE = CARETLEFT
INK, SOFT_INK = Colour.INK, Colour.SOFT_INK
STANDIN = "STAND-IN DATA"
WARNING = Colour.CRIMSON

DASHED: LineStyleType = (0, (4.5, 1.6))
DOTTED: LineStyleType = (0, (1.1, 1.5))
DASH_DOT: LineStyleType = (0, (5, 1.6, 1.2, 1.6))
DASH_DOT_DOT: LineStyleType = (0, (5, 1.4, 1.1, 1.4, 1.1, 1.4))
LONG_DASHED: LineStyleType = (0, (8, 2))

# Names of the configuration.
COLOURS = {colour.name.lower(): colour for colour in Colour}
LINES: dict[str, LineStyleType] = {
    "solid": "-",
    "dashed": DASHED,
    "dotted": DOTTED,
    "dash-dot": DASH_DOT,
    "dash-dot-dot": DASH_DOT_DOT,
    "long-dashed": LONG_DASHED,
}
MARKERS = tuple("osDdPpXxhHv^<>+_*12348")


@dataclass(frozen=True)
class Look:
    """How one variant is drawn: colour, line, marker, whether the marker is filled, line width."""

    colour: str
    line: LineStyleType
    marker: str
    filled: bool = True
    width: float = 1.25

    @classmethod
    def of(cls, configured: Mapping[str, Any]) -> Look:
        """The look of an entry of the configuration, whose colour is a name or "#rrggbb"."""
        options = dict(configured)
        colour, line = options.pop("colour"), options.pop("line")
        return cls(colour=COLOURS.get(colour, colour), line=LINES[line], **options)

    def curve(self) -> dict[str, Any]:
        """Keyword arguments for `Axes.plot`, without markers."""
        return {"color": self.colour, "linestyle": self.line, "linewidth": self.width}

    def point(self) -> dict[str, Any]:
        """Keyword arguments for the marker of `Axes.plot`."""
        return {
            "marker": self.marker,
            "markerfacecolor": self.colour if self.filled else "white",
            "markeredgecolor": self.colour,
        }

    def marked(self) -> dict[str, Any]:
        """Keyword arguments for `Axes.plot`, with markers."""
        return self.curve() | self.point()

    def handle(self, label: str) -> Line2D:
        """Entry of a legend."""
        return Line2D([], [], label=label, **self.marked())

    def bare(self) -> Look:
        """The same line without markers."""
        return replace(self, marker="")


_FALLBACK_COLOURS = (Colour.INDIGO, Colour.FOREST, Colour.WINE, Colour.AQUA, Colour.MAGENTA, Colour.OLIVE)
_FALLBACK_LINES = (DASHED, DASH_DOT, DASH_DOT_DOT, LONG_DASHED)
_FALLBACK_MARKERS = ("8", "p", "H", "1", "2", "3", "4")


def known(variant: str) -> bool:
    """Whether the configuration gives a variant a look."""
    return presentation.look(variant) is not None


def look(variant: str | Look) -> Look:
    """Look of a variant: that of the configuration, or one that follows from its name alone, so that an
    added policy also has the same look in every figure. A look is taken as it is."""
    if isinstance(variant, Look):
        return variant
    configured = presentation.look(variant)
    if configured is not None:
        return Look.of(configured)
    number = zlib.crc32(variant.encode())
    colour = _FALLBACK_COLOURS[number % len(_FALLBACK_COLOURS)]
    line = _FALLBACK_LINES[(number >> 8) % len(_FALLBACK_LINES)]
    marker = _FALLBACK_MARKERS[(number >> 16) % len(_FALLBACK_MARKERS)]
    return Look(colour, line, marker, filled=False)


def entry(variant: str) -> Line2D:
    """Entry of a legend for a variant, by its label."""
    return look(variant).handle(presentation.label(variant))


def luminance(colour: ColorType) -> float:
    """Relative luminance of an sRGB colour in [0, 1] (WCAG 2.1)."""
    channels = np.array(to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def context() -> AbstractContextManager[None]:
    """Context manager under which figures are drawn and saved."""
    return mpl_style.context(["default", STYLE_FILE])


def new_figure(height: float) -> Figure:
    """An empty figure of a height in inches."""
    figure = Figure(figsize=(WIDTH, height))
    FigureCanvasAgg(figure)
    return figure


def panels(
    height: float, rows: int = 1, columns: int = 1, title: str = "", **options: Any
) -> tuple[Figure, np.ndarray]:
    """A figure of a height in inches with axes (rows, columns), laid out to fit titles, labels and
    legend, and its title; `options` are those of `Figure.subplots`, such as sharey."""
    figure = new_figure(height)
    figure.set_layout_engine("constrained", w_pad=0.06, h_pad=0.05)
    if title:
        figure.suptitle(title, x=0.012, ha="left", fontsize=8.5, fontweight="bold")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def legend(figure: Figure, entries: Sequence[Artist], columns: int) -> None:
    """A legend in columns below all axes of a figure from `panels`."""
    figure.legend(handles=entries, loc="outside lower left", ncols=columns, columnspacing=1.6)


def reference(axes: Axes, value: float, label: str, colour: str = SOFT_INK, **line: Any) -> None:
    """A horizontal line with its name above its right end."""
    axes.axhline(value, **dict[str, Any](color=colour, linewidth=0.8, zorder=1) | line)
    axes.annotate(
        label,
        (1, value),
        xycoords=axes.get_yaxis_transform(),
        xytext=(-2, 1.5),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=6.5,
        color=colour,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5},  # curves pass behind
    )


def x_ticks(axes: Axes, values: Sequence[float] | np.ndarray, form: str = "g") -> None:
    """Ticks of the x axis at these values alone, which are printed in this format."""
    axes.set_xticks(values, [f"{value:{form}}" for value in values])
    axes.minorticks_off()


def tick_labels(values: ArrayLike, gap: float) -> list[str]:
    """Labels of ticks at rising `values`, every one of which was run: empty where the next label to the
    right is less than `gap` away."""
    labels, following = [], np.inf
    for value in np.asarray(values, dtype=float)[::-1]:
        fits = following - value >= gap
        labels.append(f"{value:g}" if fits else "")
        following = value if fits else following
    return labels[::-1]


def axes_at(figure: Figure, left: float, bottom: float, width: float, height: float, **options) -> Axes:
    """Axes placed in inches from the lower left corner, for labels beside them (`label_ends`)."""
    total_width, total_height = figure.get_size_inches()
    box = (left / total_width, bottom / total_height, width / total_width, height / total_height)
    return figure.add_axes(box, **options)


def inches(axes: Axes) -> np.ndarray:
    """Width and height of axes in inches."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return np.asarray(axes.get_position().size) * figure.get_size_inches()


def spread(positions: ArrayLike, gap: float, low: float, high: float) -> np.ndarray:
    """Positions moved as little as possible (least squares) to be at least `gap` apart within
    [low, high], in the same order. Where they cannot all fit, they are spaced evenly."""
    from scipy.optimize import isotonic_regression  # slow to import, and not every figure has labels

    targets = np.asarray(positions, dtype=float)
    count = len(targets)
    if count == 0:
        return targets
    gap = min(gap, (high - low) / max(count - 1, 1))
    order = np.argsort(targets, kind="stable")
    steps = gap * np.arange(count)
    # less gap * rank, positions that are far enough apart are non-decreasing
    level = isotonic_regression(np.clip(targets[order], low, high) - steps).x
    moved = np.empty(count)
    moved[order] = np.clip(level, low, high - steps[-1]) + steps
    return moved


def short(text: str) -> str:
    """A label that fits beside a panel: without its last bracket, then cut, where it is longer."""
    if len(text) > LABEL and text.endswith(")"):
        text = text.rpartition(" (")[0] or text
    return text if len(text) <= LABEL else f"{text[: LABEL - 1].rstrip()}…"


def label_ends(
    axes: Axes, curves: Sequence[tuple[float, str, Look]], size: float = 7.5, low: float = 0.0
) -> None:
    """Name curves beside the right end of the axes: (y of the curve's end, text, look) each.

    The y limits must be final. Labels are spread so that none touch, above `low` (a fraction of
    the axes' height); a thin leader joins each to its curve, and a sample of line and marker
    stands before the text.
    """
    width, height = inches(axes)
    inverse = axes.transAxes.inverted()
    ends = [inverse.transform(axes.transData.transform((axes.get_xlim()[1], y)))[1] for y, _, _ in curves]
    labels = spread(ends, gap=1.36 * size / 72 / height, low=low, high=1.0)
    inch = 1 / width
    for (_, text, look), end, label in zip(curves, ends, labels, strict=True):
        axes.plot(
            [1 + 0.02 * inch, 1 + 0.2 * inch],
            [np.clip(end, 0, 1), label],
            transform=axes.transAxes,
            color=Colour.GREY_B0,
            linewidth=0.6,
            clip_on=False,
        )
        axes.add_line(
            Line2D(
                [1 + 0.22 * inch, 1 + 0.33 * inch, 1 + 0.44 * inch],
                [label] * 3,
                transform=axes.transAxes,
                clip_on=False,
                markevery=[1],
                **look.marked(),
            )
        )
        axes.text(
            1 + 0.5 * inch,
            label,
            short(text),
            transform=axes.transAxes,
            va="center_baseline",
            fontsize=size,
            clip_on=False,
        )


def watermark(figure: Figure) -> None:
    """Mark a figure drawn from stand-in data: a frame and a label on it, which hide no data."""
    width, height = figure.get_size_inches()
    layout = figure.get_layout_engine()
    if (
        isinstance(layout, ConstrainedLayoutEngine) and not figure.legends
    ):  # beside a legend there is room for the label
        layout.set(rect=(0, 0.2 / height, 1, 1 - 0.2 / height))
    frame = Rectangle((0, 0), 1, 1, transform=figure.transFigure, fill=False, color=WARNING, linewidth=5)
    figure.add_artist(frame)
    figure.text(
        1 - 0.06 / width,
        0.06 / height,
        STANDIN,
        ha="right",
        va="bottom",
        fontsize=8,
        fontweight="bold",
        color="white",
        bbox={"facecolor": WARNING, "edgecolor": "none", "pad": 2.0},
        zorder=1000,
    )


def subtitle(figure: Figure, text: str) -> None:
    """A small line at the top right of a figure."""
    width, height = figure.get_size_inches()
    figure.text(1 - 0.07 / width, 1 - 0.06 / height, text, ha="right", va="top", fontsize=6, color=SOFT_INK)


@cache
def _fonts_for(text: str) -> tuple[list[str], str]:
    """Installed families for the characters of a text that the style's own font lacks, and those that no font
    has."""
    own = font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap()
    missing = {ord(character) for character in text if character.isprintable()} - own.keys()
    found: list[str] = []
    for entry in sorted(font_manager.fontManager.ttflist, key=lambda each: (each.name, each.fname)):
        if not missing:
            break
        if entry.style == "normal" and not entry.name.startswith("Last Resort"):  # which has boxes for all
            known = font_manager.get_font(entry.fname).get_charmap().keys()
            if missing & known:
                found, missing = [*found, entry.name], missing - known
    return found, "".join(each for each in text if ord(each) in missing)


def _fonts(figure: Figure) -> str:
    """Give texts in other scripts an installed font that has them; a remark where none has."""
    lacking = ""
    for text in figure.findobj(Text):
        if not text.get_text().isascii():
            families, missing = _fonts_for(text.get_text())
            lacking += missing
            if families:
                text.set_fontfamily(["sans-serif", *families])
    if not lacking:
        return ""
    warnings.filterwarnings("ignore", "Glyph .* missing from font")  # said once, in the caption
    shown = "".join(dict.fromkeys(lacking))[:5]
    return f" No installed font has {shown}: install one, such as Noto Sans CJK, and draw anew."


def save(
    figure: Figure,
    stem: str | Path,
    title: str = "",
    caption: str = "",
    formats: Sequence[str] = ("pdf", "png"),
    pdf_fonts: int = 42,
) -> list[Path]:
    """Save `<stem>.<format>`, "pdf" or "png", each written atomically, the same bytes for the same
    figure. Title and caption go into the files' metadata. pdf_fonts: 42, TrueType, which journals ask for,
    or 3, glyphs as outlines, in a third of the time. Returns the paths."""
    stem = Path(stem)
    caption += _fonts(figure)
    layout = figure.get_layout_engine()
    if layout is not None:  # left to `savefig`, each format would cost another layout and a draw for it alone
        figure.set_dpi(matplotlib.rcParams["savefig.dpi"])
        layout.execute(figure)
        figure.set_layout_engine(None)
    options: dict[str, dict[str, Any]] = {
        "pdf": {"metadata": {"CreationDate": None, "Title": title, "Subject": caption}},
        # 5 % larger than at level 6, in two thirds of the time
        "png": {"metadata": {"Title": title, "Description": caption}, "pil_kwargs": {"compress_level": 1}},
    }
    paths = [stem.parent / f"{stem.name}.{each}" for each in formats]
    for path, each in zip(paths, formats, strict=True):
        with replacing(path) as temporary, matplotlib.rc_context({"pdf.fonttype": pdf_fonts}):
            figure.savefig(temporary, format=each, **options[each])
    return paths
