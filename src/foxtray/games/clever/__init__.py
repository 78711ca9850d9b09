"""Clever (Ganz schön clever, 2018)."""
