"""A kernel of each class that is a function of coordinates, of any number of dimensions."""

from tvgp import kernels

EXAMPLES = {
    "se": kernels.make("se", variance=1.3, length_scale=0.3),
    "matern12": kernels.make("matern12", variance=1.3, length_scale=0.3),
    "matern32": kernels.make("matern32", variance=1.3, length_scale=0.3),
    "matern52": kernels.make("matern52", variance=1.3, length_scale=0.3),
    "periodic": kernels.make("periodic", variance=1.3, length_scale=0.7, period=0.8),
    "constant": kernels.make("constant", variance=1.3),
    "sum": kernels.make("matern32", variance=0.4, length_scale=0.3)
    + kernels.make("periodic", variance=0.9, length_scale=0.7, period=1.4),
    "product": kernels.make("matern52", variance=0.5, length_scale=0.5)
    * kernels.make("periodic", variance=2.6, length_scale=1.2, period=1.4),
}
