"""Figures in the report: linked beside the page, the key figures embedded at screen size."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from tvgp.study.report.links import Links

COLOURS = 128  # of an embedded or published figure, which makes it a third of its file


@dataclass(frozen=True)
class Picture:
    """A PNG figure: what it shows ("across" where several experiments), its name in the configuration, the
    figure that draws it, its caption, half its size in pixels (that at which it is read), its file."""

    experiment: str
    name: str
    kind: str
    caption: str
    width: int
    height: int
    path: Path

    @property
    def anchor(self) -> str:
        """Its id in the page."""
        return f"{self.experiment}-{self.name}"

    def reduced(self) -> Image.Image:
        """The figure with few colours; those of small markers stay apart, unlike with a median cut, and
        each is moved to the mean of its pixels, without which a grey grid turns pink."""
        with Image.open(self.path) as image:
            whole = image.convert("RGB")
        few = whole.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        colour, pixels = np.asarray(few).ravel(), np.asarray(whole).reshape(-1, 3)
        counts = np.maximum(np.bincount(colour, minlength=COLOURS), 1)
        # nearly what `quantize` does with `kmeans`, in a tenth of the time
        means = [np.bincount(colour, channel, COLOURS) / counts for channel in pixels.T]
        few.putpalette(np.stack(means, axis=1).round().astype(np.uint8).tobytes())
        return few

    def embedded(self) -> str:
        """The figure with few colours, as a data address; the same file gives the same text."""
        content = io.BytesIO()
        self.reduced().save(content, "PNG", optimize=True)
        return f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode('ascii')}"


def read(paths: Sequence[str | Path]) -> list[Picture]:
    """The PNG files among `paths`, in their order. ValueError, one line, unless every one is a figure of this
    study."""
    pictures = []
    for path in map(Path, paths):
        if path.suffix != ".png":
            continue
        try:
            with Image.open(path) as image:
                text, size = dict(image.info), image.size
                image.verify()  # checksums alone: decoding takes a third of the report's time
        except (OSError, SyntaxError, AttributeError):
            raise ValueError(f"{path}: not a readable PNG figure") from None
        experiment, _, kind = text.get("Title", "").partition("/")
        if not kind:
            raise ValueError(f"{path}: no title in its metadata; expected a figure of this study")
        caption = text.get("Description", "")
        pictures.append(Picture(experiment, path.stem, kind, caption, size[0] // 2, size[1] // 2, path))
    return pictures


def linked(picture: Picture, link: Links) -> dict:
    """A figure for the template, its file beside the page."""
    pdf = picture.path.with_suffix(".pdf")
    return {
        "id": picture.anchor,
        "name": picture.kind.replace("_", " "),
        "caption": picture.caption,
        "width": picture.width,
        "height": picture.height,
        "address": link.to(picture.path),
        "pdf": link.to(pdf) if pdf.is_file() else None,
    }


def embedded(picture: Picture, link: Links) -> dict:
    """The same, in the page itself."""
    return linked(picture, link) | {"address": picture.embedded()}
