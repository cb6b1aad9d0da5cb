"""Dates in the common ways of writing them, as ISO 8601."""

from __future__ import annotations

import re
from datetime import datetime
from email.utils import parsedate

_ISO = re.compile(r"(\d{4})(?:[-/.]?(\d{1,2})(?:[-/.]?(\d{1,2})(?!\d))?)?(?=$|[T ])")
_FORMATS = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%B %Y", "%b %Y")


def iso_date(text: str) -> str:
    """Return a year, month or day as in ISO 8601, "" for what is none for certain (03/04/2026 may be two days).

    Parameters
    ----------
    text
        A date such as "2026-11-19", "2026-11-19T10:00:00Z", "19 Nov 2026", or "Thu, 19 Nov 2026 20:44:45 +0000".

    Examples
    --------
    >>> iso_date("November 19, 2026"), iso_date("1790"), iso_date("19/11")
    ('2026-11-19', '1790', '')
    """
    text = text.strip()
    if match := _ISO.match(text):
        year, month, day = match.groups()
        return _checked(int(year), int(month or 1), int(day or 1), 4 + 3 * bool(month) + 3 * bool(day))
    for form in _FORMATS:
        try:
            found = datetime.strptime(text, form)
        except ValueError:
            continue
        return _checked(found.year, found.month, found.day, 10 if "%d" in form else 7)
    parts = parsedate(text) if re.search("[A-Za-z]{3}.*:", text) else None
    return "" if parts is None else _checked(*parts[:3], 10)


def _checked(year: int, month: int, day: int, length: int) -> str:
    try:
        return f"{datetime(year, month, day):%Y-%m-%d}".zfill(10)[:length]
    except ValueError:
        return ""
