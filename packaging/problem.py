"""What stops a command of dev.py: a sentence for the user, printed without a traceback."""

from __future__ import annotations


class Problem(Exception):
    """Something that the user can mend; the message says what it is and how."""
