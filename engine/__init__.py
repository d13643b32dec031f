"""The Earwitness meeting engine: hears recordings, keeps the meeting graph, answers questions.

Importing this package is instant; heavy libraries load inside the modules that own them.
"""

__version__ = "0.1.0"
