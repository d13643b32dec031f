"""Background enrichment of a meeting by the local language model."""
