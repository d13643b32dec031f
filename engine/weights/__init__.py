"""Models: the catalogue, fetching, verifying, and turning weights into what the runtimes load."""
