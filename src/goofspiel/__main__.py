"""`python -m goofspiel` is the command, wherever it is installed."""

import sys

from goofspiel.cli import main

if __name__ == "__main__":
    sys.exit(main())
