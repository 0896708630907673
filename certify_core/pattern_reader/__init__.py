"""The offline reader: question forms, relation cues and typed values, without a model."""

from certify_core.pattern_reader.reader import PatternReader

__all__ = ["PatternReader"]
