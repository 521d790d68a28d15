"""Figures with few colours show what the drawn ones do."""

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tvgp.study.report import pictures


def _reduced(pixels, folder):
    text = PngInfo()
    text.add_text("Title", "across/league")
    Image.fromarray(pixels.astype(np.uint8)).save(folder / "league.png", pnginfo=text)
    (picture,) = pictures.read([folder / "league.png"])
    reduced = picture.reduced()
    assert len(reduced.getcolors()) <= pictures.COLOURS
    return np.asarray(reduced.convert("RGB")).astype(int)


def test_few_colours_keep_the_markers_of_a_busy_figure_apart(tmp_path):
    """A thousand shades fill the figure; three markers of similar hue have 40 pixels each."""
    ramp = np.linspace(0, 255, 1000).astype(np.uint8)
    image = np.stack(
        [np.tile(ramp, (300, 1)), np.tile(ramp[::-1], (300, 1)), np.full((300, 1000), 90)], axis=2
    )
    markers = {(10, 10): (213, 94, 0), (10, 30): (230, 159, 0), (10, 50): (240, 228, 66)}
    for (row, column), colour in markers.items():
        image[row : row + 5, column : column + 8] = colour
    shown = _reduced(image, tmp_path)
    for (row, column), colour in markers.items():
        assert np.abs(shown[row + 2, column + 3] - colour).max() < 16


def test_few_colours_keep_a_grey_grid_grey(tmp_path):
    """Beside pixels of all colours, a quarter of the figure has one."""
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (200, 500, 3))
    image[::4] = 231
    shown = _reduced(image, tmp_path)
    assert np.ptp(shown[::4], axis=-1).max() < 8
