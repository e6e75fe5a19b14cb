"""`python -m goofspiel.cli` is the command, wherever it is installed."""

import sys

from goofspiel.cli.command import main

sys.exit(main())
