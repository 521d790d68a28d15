"""`python -m tvgp`: the command `tvgp`, where its script is not on the path."""

import sys

from tvgp.study.command import main

if __name__ == "__main__":
    sys.exit(main())
