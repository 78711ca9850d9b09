"""Plays many games fast, with the rules compiled."""
