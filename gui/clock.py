"""Times, dates and sizes as people read them, and names of files."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale


def clock(seconds: float, *, tenths: bool = False) -> str:
    """Write a position as ``3:07`` or ``1:02:03``, with tenths as ``3:07.4``."""
    seconds = max(0.0, seconds)
    whole = int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    text = f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
    return f"{text}.{int((seconds - whole) * 10)}" if tenths else text


def length(seconds: float) -> str:
    """Write a duration in words, such as ``42 min`` or ``1 h 05 min``."""
    tr = QCoreApplication.translate
    if seconds < 60:
        return tr("clock", "{n} s").format(n=round(seconds))
    minutes = round(seconds / 60)
    if minutes < 60:
        return tr("clock", "{n} min").format(n=minutes)
    return tr("clock", "{h} h {m:02d} min").format(h=minutes // 60, m=minutes % 60)


def remaining(seconds: float | None) -> str:
    """Write a remaining time, empty while nothing is known."""
    if seconds is None:
        return ""
    return QCoreApplication.translate("clock", "{time} left").format(time=length(seconds))


def day(iso: str) -> str:
    """Write the day of an ISO 8601 moment as the user's locale does, short."""
    try:
        moment = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    shape = "d MMM" if moment.year == datetime.now(moment.tzinfo).year else "d MMM yyyy"
    return QLocale().toString(moment.date(), shape)  # type: ignore[call-overload,no-any-return]


def moment(iso: str) -> str:
    """Write the day and the time of an ISO 8601 moment, in local time."""
    try:
        at = datetime.fromisoformat(iso).astimezone()
    except ValueError:
        return iso
    return f"{day(at.isoformat())}, {at:%H:%M}"


def size(n_bytes: int) -> str:
    """Write a number of bytes with a unit."""
    return QLocale().formattedDataSize(n_bytes, 1)


def with_ending(path: str, *endings: str) -> str:
    """A path as it was chosen, with the first of these endings if it has none of them."""
    has_one = Path(path).suffix.lower().lstrip(".") in endings
    return path if has_one else f"{path}.{endings[0]}"


def file_name(title: str) -> str:
    """A title as a file may be called on every system."""
    return "".join(c if c.isalnum() or c in " -_." else "_" for c in title).strip() or "_"
