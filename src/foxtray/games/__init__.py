"""The games: a folder for each, and the registry that finds them."""
