"""What a figure shows, for comparisons that need no file."""

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def pixels(figure: Figure) -> bytes:
    """A figure at 40 dots per inch, without the layout that takes most of the time of saving it."""
    figure.set_layout_engine("none")
    figure.set_dpi(40)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return bytes(canvas.buffer_rgba())


def lay_out(figure: Figure) -> None:
    """Set all texts of a figure in its layout, at the resolution of a thumbnail."""
    figure.savefig(io.BytesIO(), format="png", dpi=30)
