"""Translates the compilable subset of Python to JavaScript (docs/translator.md)."""
