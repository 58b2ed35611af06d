"""The extractive reader: answers composed from verbatim spans and cells, with no model call."""

from grounded.generation.extractive.reader import ExtractiveReader

__all__ = ["ExtractiveReader"]
