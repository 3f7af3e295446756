"""Numbers in and out in other programs' formats. No Qt."""
