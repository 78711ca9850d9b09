"""The coach: reviews of finished games, hints, and exercises made of them."""
