"""Snakemake without its limit on jobs per second; the arguments are Snakemake's. `tvgp run` calls it.

Snakemake's command line always sets a limit. With one, every job that ends adds a timer, which makes the
scheduler look for work again and again until nothing is ready: after a hundred jobs that takes a whole core
(Snakemake 9.27).
"""

from __future__ import annotations

import sys

from snakemake import cli
from snakemake.exceptions import print_exception


def main(arguments: list[str]) -> int:
    """Run Snakemake; its exit code. Exceptions are printed as Snakemake prints them."""
    try:
        parser, given = cli.parse_args(arguments)
        given.max_jobs_per_timespan = None
        return 0 if cli.args_to_api(given, parser) else 1
    except Exception as error:
        print_exception(error)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
