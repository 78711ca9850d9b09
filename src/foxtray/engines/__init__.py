"""Bots that are programs of their own, in any language: the engine protocol (docs/engines.md)."""
