"""Arrays from other programs' files: what a file holds is listed, one array is read when it is chosen. No Qt."""
