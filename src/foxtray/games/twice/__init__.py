"""Twice as Clever (Doppelt so clever, 2019)."""
