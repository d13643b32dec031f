"""Widgets that know no page and no engine: plain values in, signals out."""
