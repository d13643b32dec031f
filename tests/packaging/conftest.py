"""The scripts in ``packaging/`` are no package; they find each other as neighbours in a folder."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))
