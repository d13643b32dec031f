"""The meeting graph: store, edges, search, edits. SQLite is the truth."""
