"""The dice of the day: one game of each kind per day, with the same dice for everybody."""
