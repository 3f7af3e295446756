"""`python -m attnexplorer` is the command line."""

from __future__ import annotations

import sys

from attnexplorer.app.command_line import main

if __name__ == "__main__":
    sys.exit(main())
