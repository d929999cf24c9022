"""Numbers as people write them: sizes with a unit, times with a unit, gaps.

Idea: the command and CSV files take the same texts, so the rules here are theirs (Go:
internal/units, format/csv and time.ParseDuration). Tests compare the two: both read each
spelling, and the gaps of a shared table. Only 0 to 9 are digits: int() and \\d of Python also take other alphabets and underscores.
"""

from __future__ import annotations

from typing import Any, Optional, SupportsIndex, SupportsInt, Union

from ._errors import InputError

#: A number of bytes: a whole number, which may be a float such as 1e9, or a text such as
#: "2KiB" or "1.5 MB".
Size = Union[SupportsIndex, float, str]

#: A time limit: a number of seconds, or a text such as "500ms" or "1m30s".
Seconds = Union[SupportsIndex, float, str]

MOST = (1 << 61) - 1  # the largest size there is
_EVER = 9e9  # seconds, about 2**63 nanoseconds: such a limit is none

_BYTES = (
    ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("tib", 1 << 40), ("kb", 10**3), ("mb", 10**6), ("gb", 10**9), ("tb", 10**12),
    ("k", 1 << 10), ("m", 1 << 20), ("g", 1 << 30), ("t", 1 << 40), ("b", 1),
)  # fmt: skip
_SECONDS = {"ns": 1e-9, "us": 1e-6, "\u00b5s": 1e-6, "\u03bcs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


class _Bad(ValueError):
    """An error that says what is wrong with a text."""


def _bytes(text: str, units: bool = True) -> int:
    """Returns the number of bytes that a text stands for."""
    import re

    number, unit = text.strip().lower(), 1
    for suffix, factor in _BYTES if units else ():
        if number.endswith(suffix):
            number, unit = number.removesuffix(suffix).strip(), factor
            break
    m = re.fullmatch(r"([+-]?)([0-9]+)(?:\.([0-9]+))?(?:e([+-]?[0-9]{1,9}))?", number)
    if m is None:
        raise _Bad("must be a number, or one with a suffix KiB, MiB, GiB, TiB (K, M, G, T) or kB, MB, GB, TB")
    sign, whole, fraction, exponent = m[1], m[2], m[3] or "", int(m[4] or 0)
    exponent -= len(fraction)
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return 0
    if len(digits) + exponent > 64:
        raise _Bad(f"must be at most {MOST}")
    n, rest = 0, 1
    if exponent >= -128:
        n, rest = divmod(int(digits) * unit * int(10 ** max(exponent, 0)), int(10 ** max(-exponent, 0)))
    if rest:
        raise _Bad("must be a whole number of bytes")
    if n > MOST:
        raise _Bad(f"must be at most {MOST}")
    return -n if sign == "-" else n


def size(name: str, x: Size, least: int = 0) -> int:
    """Returns an option that is a number of bytes. A number below the least is refused."""
    if not isinstance(x, str):
        return whole(name, x, least)
    try:
        n = _bytes(x)
        if n < least:
            raise _Bad(f"must be at least {least}")
    except _Bad as err:
        raise InputError(f"{name} is {x!r}, {err}") from None
    return n


def cell(name: str, text: str) -> int:
    """Returns a size, offset or alignment that a table has as a text, by the rule of CSV
    files."""
    import re

    trimmed = text.strip(" \t")
    try:
        if re.fullmatch(r"[+-]?[0-9]+", trimmed):
            n = int(trimmed)
            if not -(1 << 63) <= n < 1 << 63:
                raise _Bad("does not fit into 64 bits")
            return n
        if re.fullmatch(r"[+-]?[0-9]*\.000", trimmed) and len(trimmed) <= 8 and trimmed[:-4].strip("+-0"):
            raise _Bad("may mean thousands: write it without the point")
        return _bytes(text)
    except _Bad as err:
        raise InputError(f"{name}: {text!r} is no size: it {err}") from None


def whole(name: str, x: object, least: int = 0) -> int:
    """Returns an option that is a whole number of 63 bits. One below the least is refused."""
    n: Optional[int] = None
    if type(x) is int:  # a bool is not
        n = x
    elif isinstance(x, float):
        n = int(x) if x.is_integer() else None
    elif not isinstance(x, bool) and (index := getattr(x, "__index__", None)) is not None:
        n = int(index())
    if n is not None and least <= n < 1 << 63:
        return n
    raise InputError(f"{name} is {x!r}, must be a whole number {'above 0' if least == 1 else 'from 0 on'}, below 2**63")


def integer(text: str) -> int:
    """Returns the whole number that a text of the digits 0 to 9 stands for."""
    import re

    if re.fullmatch(r"[+-]?[0-9]+", text.strip()) is None:
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def seconds(x: Optional[Seconds], name: str = "timeout") -> float:
    """Returns a time limit as a number of seconds; 0 for none."""
    if x is None:
        return 0.0
    words = 'must be a number of seconds, or a text such as "500ms", "10s" or "1h30m"'
    if isinstance(x, str):
        try:
            n = _duration(x)
        except ValueError:
            raise InputError(f"{name} is {x!r}, {words}") from None
    else:
        try:
            n = float(x)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{name} is {x!r}, {words}") from None
    if not n > 0:
        raise InputError(f"{name} is {x!r}, must be more than 0 seconds")
    return n if n < _EVER else 0.0


def _duration(text: str) -> float:
    """Returns the seconds of a text: a number, or numbers with a unit, one after another.
    Between a number and a unit there may be spaces."""
    import re

    fields = text.split()
    for before, field in zip(fields, fields[1:]):
        if (before[-1] in "0123456789") == (field[0] in "0123456789"):
            raise ValueError(text)
    text = "".join(fields)
    if re.fullmatch(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,9})?", text):
        return float(text)
    number = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
    parts = rf"({number})({'|'.join(_SECONDS)})"
    m = re.fullmatch(rf"([+-]?)(?:{parts})+", text)  # the rule of time.ParseDuration
    if m is None:
        raise ValueError(text)
    total = sum(float(n) * _SECONDS[unit] for n, unit in re.findall(parts, text))
    return -total if m[1] == "-" else total


def gaps(text: str) -> list[list[Any]]:
    """Returns the gaps of a text as CSV has them: a-b or a-b@lo:hi, with spaces between."""
    import re

    found = []
    for one in re.split(r"[ \t\n\r]+", text.strip(" \t\n\r")) if text.strip(" \t\n\r") else ():
        m = re.fullmatch(r"(-?[0-9]+(?:\.[0-9]+)?)-(-?[0-9]+(?:\.[0-9]+)?)(?:@(-?[0-9]+):(-?[0-9]+))?", one)
        if m is None:
            raise InputError(f"gaps: {one!r} is neither a-b nor a-b@lo:hi")
        found.append([_time(x) for x in m.groups() if x is not None])
    return found


def _time(text: str) -> Any:
    """Returns a number without an exponent: an int, or a Decimal if it has a fraction."""
    whole, _, fraction = text.partition(".")
    if not fraction.strip("0"):
        return int(whole)
    from decimal import Decimal

    return Decimal(text)


def number(name: str, x: SupportsInt, text: bool) -> int:
    """Returns a value of a column as a whole number. A float such as 3.0 is one, because
    tables have such floats. Some columns also take a text with a unit."""
    if text and isinstance(x, str):
        return cell(name, x)
    try:
        n = int(x)
        if n == x and not isinstance(x, str) and -(2**63) <= n < 2**63:
            return n
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(no_number(name, x))


def no_number(name: str, x: object) -> str:
    """Says that a value of a column is no whole number."""
    return f"{name} is None, must be a whole number" if x is None else f"{name}: {x!r} is no whole number of 64 bits"
