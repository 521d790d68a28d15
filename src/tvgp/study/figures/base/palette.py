"""Colours of all figures, by name.

The hues of the published methods are those of Okabe and Ito (2008), chosen for colour-blind readers.
"""

from enum import StrEnum


class Colour(StrEnum):
    """Colours as matplotlib reads them; the configuration names them in small letters."""

    ORANGE = "#e69f00"
    SKY = "#56b4e9"
    GREEN = "#009e73"
    BLUE = "#0072b2"
    VERMILION = "#d55e00"
    PINK = "#cc79a7"
    BLACK = "#000000"
    BROWN = "#7a5c00"
    PURPLE = "#5e3c99"
    TEAL = "#00796b"
    WINE = "#882255"
    RUST = "#8a3b00"
    TURQUOISE = "#26a69a"
    RED = "#c51b1b"
    CRIMSON = "#b2182b"
    INDIGO = "#332288"
    FOREST = "#117733"
    AQUA = "#44aa99"
    MAGENTA = "#aa4499"
    OLIVE = "#999933"
    STEEL = "#9aa5ad"
    # blues from light to dark, BLUE among them
    PALE_BLUE = "#7fb8dc"
    LIGHT_BLUE = "#4f9bcb"
    DARK_BLUE = "#005a8d"
    NAVY = "#003f66"
    MIDNIGHT = "#00243b"
    # greys from dark to light
    INK = "#262626"
    GREY_30 = "#303030"
    GREY_40 = "#404040"
    GREY = "#4d4d4d"
    SOFT_INK = "#5f5f5f"
    GREY_6E = "#6e6e6e"
    GREY_7F = "#7f7f7f"
    GREY_8C = "#8c8c8c"
    GREY_9A = "#9a9a9a"
    GREY_B0 = "#b0b0b0"
    GREY_B5 = "#b5b5b5"
    GREY_C2 = "#c2c2c2"
    GREY_C4 = "#c4c4c4"
    GREY_D0 = "#d0d0d0"
    GREY_DE = "#dedede"
    GREY_F1 = "#f1f1f1"
    GREY_F2 = "#f2f2f2"
    GREY_F3 = "#f3f3f3"
