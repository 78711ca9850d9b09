"""Everything that speaks HTTP or WebSocket."""
