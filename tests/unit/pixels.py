"""What a figure shows, for comparisons that need no file."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def pixels(figure: Figure) -> bytes:
    """A figure at 40 dots per inch, without the layout that takes most of the time of saving it."""
    figure.set_layout_engine("none")
    figure.set_dpi(40)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return bytes(canvas.buffer_rgba())
