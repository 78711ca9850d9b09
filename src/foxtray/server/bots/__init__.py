"""The worker processes in which bots decide."""
