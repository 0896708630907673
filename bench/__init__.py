"""Measurements of the program as people get it; `python -m bench --help` lists them."""
