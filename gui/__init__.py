"""The desktop window, a client of the engine."""
