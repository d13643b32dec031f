"""Qt item models over the store."""
