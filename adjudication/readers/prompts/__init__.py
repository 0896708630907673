"""What a model is asked and how its answers are read, one module per kind of call.

Instructions, schema and parser of a kind share one ``VERSION``: whoever changes one of them
raises it, and answers to the earlier prompt are not read by the new parser.
"""

from adjudication.readers.prompts import answer, decompose, link, verify

__all__ = ["answer", "decompose", "link", "verify"]
