"""The same rules at machine speed."""
