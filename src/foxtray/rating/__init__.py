"""Rates bots by a fixed suite of games, with a certificate that anybody can verify."""
