"""What the times of tables mean: ends that may be inclusive, and times with fractions.

Idea: the rules are those of package format/times of the command, whose comment has the reasons. If all times are
multiplied by the same power of ten, no offset changes.

Invariant: a problem of whole numbers is not looked at here, except for the name of its ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Optional

from . import _units
from ._errors import InputError, InputWarning, warn

#: What the ends of lifespans may be.
ENDS = ("inclusive", "half-open")

#: Names for the end of a lifespan that are read only if ends says what they mean.
AMBIGUOUS = ("stop", "last", "until", "to")

#: The largest number of decimal places of a time.
MOST_PLACES = 18


class EndsWarning(InputWarning):
    """The ends of lifespans were read as inclusive, and could be half-open. ends="inclusive" or ends="half-open" says
    what they are."""


class TimesWarning(InputWarning):
    """Times have fractions, and all times of the problem were multiplied by a power of ten."""


def checked(ends: Optional[str]) -> Optional[str]:
    if ends is not None and ends not in ENDS:
        raise InputError(f"ends is {ends!r}, must be 'inclusive' or 'half-open'")
    return ends


def inclusive(name: object, ends: Optional[str]) -> bool:
    """Returns whether the ends in a column of a name are inclusive."""
    word = str(name).strip().lower()
    if word == "upper":
        if ends == "inclusive":
            raise InputError(f"the column {name} is half-open, and ends says otherwise: call it end if it has the last time slot of the lifespan")
        return False
    if ends is None and word in AMBIGUOUS:
        raise InputError(
            f"the column {name} may end a lifespan in two ways: ends=\"half-open\" if it has the first time slot after the lifespan, "
            'ends="inclusive" if it has the last one in it; the names upper and end say the same'
        )
    return ends != "half-open"


def tell_ends(name: object, point: Optional[str]) -> None:
    """Says that ends were read as inclusive though nobody said so. A buffer that starts and ends in one time slot
    shows that they are."""
    if point is None:
        warn(
            f"{name} is read as inclusive, the last time slot of each lifespan; if it is the first one after the lifespan, "
            'say ends="half-open" [ends]', EndsWarning,
        )  # fmt: skip


def tell_scale(scale: int) -> None:
    if scale > 1:
        warn(f"the times have fractions and are multiplied by {scale} here, which changes no offset [times]", TimesWarning)


def scaled(
    lower: Iterable[Any], upper: Iterable[Any], gaps: Optional[Iterable[Any]] = None, evictions: Optional[Iterable[Any]] = None, period: Any = None,
) -> Optional[tuple[list[int], list[int], Any, Any, Any, int]]:
    """Returns times multiplied by the least power of ten that makes all of them whole, and the power; None if a time is
    no number, for the caller to say so."""
    lowers, uppers = list(lower), list(upper)
    if gaps is not None:
        gaps = [_units.gaps(g) if isinstance(g, str) else g for g in gaps]
    spans = [row[:2] for of_one in gaps or () if _rows(of_one) for row in of_one if _rows(row) and len(row) >= 2]
    stays = [_ends_of(row) for of_one in evictions or () if _rows(of_one) for row in of_one]
    places = 0
    for of_one in ((*lowers, *uppers), *spans, *stays, () if period is None else (period,)):
        for x in of_one:
            exact = _decimal(x)
            if exact is None:
                return None
            places = max(places, -int(exact.as_tuple().exponent))
    if places > MOST_PLACES:
        raise InputError(f"a time has more than {MOST_PLACES} decimal places: round the times")
    scale = 10**places

    def whole(x: Any) -> int:
        exact = _decimal(x)
        assert exact is not None
        sign, digits, exponent = exact.as_tuple()
        n: int = int("".join(map(str, digits))) * 10 ** (int(exponent) + places) * (-1 if sign else 1)
        if not -(2**63) <= n < 2**63:
            raise InputError(f"the time {x!r} does not fit into 64 bits if it is multiplied by {scale}, as the fractions of the times ask for: round them")
        return n

    def stay(row: Any) -> Any:
        if isinstance(row, Mapping):
            return {k: whole(x) if k in ("lower", "upper") else x for k, x in row.items()}
        return (whole(row[0]), whole(row[1]), *row[2:])

    if gaps is not None:
        gaps = [[(whole(row[0]), whole(row[1]), *row[2:]) if _rows(row) and len(row) >= 2 else row for row in of_one] if _rows(of_one) else of_one for of_one in gaps]
    if evictions is not None:
        evictions = [[stay(row) for row in of_one] if _rows(of_one) else of_one for of_one in evictions]
    return [whole(x) for x in lowers], [whole(x) for x in uppers], gaps, evictions, None if period is None else whole(period), scale


def wrong(**columns: Iterable[Any]) -> Optional[InputError]:
    """Returns an error that names the first value of the columns that is no number; None if all are."""
    for name, values in columns.items():
        for i, x in enumerate(values):
            if _decimal(x) is None:
                return InputError(_units.no_number(f"{name} of buffer {i}", x))
    return None


def _rows(x: Any) -> bool:
    return isinstance(x, Sequence) and not isinstance(x, str)


def _ends_of(row: Any) -> Sequence[Any]:
    if isinstance(row, Mapping):
        return [row.get("lower"), row.get("upper")]
    return row[:2] if _rows(row) else [row]


def _decimal(x: Any) -> Optional[Decimal]:
    """Returns a number as a decimal with the fewest places, by its shortest text; None if it is none."""
    if isinstance(x, str) or x is None:
        return None
    try:
        exact = Decimal(x) if isinstance(x, (int, Decimal)) else Decimal(str(x))
    except (InvalidOperation, ValueError, TypeError):
        return None
    if not exact.is_finite():
        return None
    sign, digits, exponent = exact.as_tuple()
    at = int(exponent)
    while at < 0 and digits and digits[-1] == 0:
        digits, at = digits[:-1], at + 1
    return Decimal((sign, digits or (0,), at if digits else 0))


def written(n: int, scale: int) -> Any:
    """Returns a time as it was before it was multiplied: a whole number, or the float with the same digits. If a float
    has too few digits, the product is returned for every time."""
    return n if scale == 1 else n // scale if n % scale == 0 else n / scale
