"""Outside data sets: bytes in, neutral records out. No database, nothing guessed silently."""
