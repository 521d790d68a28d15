"""Speed and memory of tvgp against its peers: `python -m benchmarks` (or `make bench`).

One BLAS thread for everyone: BLAS libraries read these variables when NumPy is first imported, so
they are set here, before anything else of this package.
"""

import os

for _name in ("OPENBLAS", "OMP", "MKL", "BLIS", "NUMEXPR", "VECLIB_MAXIMUM"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"
