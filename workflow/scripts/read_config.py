"""Read configuration files strictly, before Snakemake does: python read_config.py FILE...

Snakemake reads them in its own way; what it cannot read would end in many lines or in no end.
"""

import sys

from tvgp.study.config import strict_yaml
from tvgp.study.errors import one_line_errors

with one_line_errors():
    for path in sys.argv[1:]:
        strict_yaml.read(path)
