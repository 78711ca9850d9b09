"""Burrow, a game for Foxtray: dig tunnels, store food, mind the foxes."""
