"""The live table: people and bots play together, and no acknowledged move is ever lost."""
