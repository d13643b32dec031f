"""The command line: one module per group of commands, each a thin client of the engine."""
