"""Readers that ask a language model. No rows live here: who keeps the calls is up to the caller."""
