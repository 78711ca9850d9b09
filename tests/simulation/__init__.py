"""The server, its clients, their network, disk and workers in one seeded event loop."""
