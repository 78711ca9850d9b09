"""The messages, the inputs of a log, and the refusals."""
