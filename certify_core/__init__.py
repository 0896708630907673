"""Requirement-directed evidence certificates: a pure, standard-library engine.

Values in, values out. Nothing here knows of a database, a network or Django.
Source of the algorithm: arXiv 2610.34684, sections 3 and 4.
"""
