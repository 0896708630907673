"""The page of one claim: what every app knows about it, as one person may see it."""
