"""Numbers as people write them: decimal signs and signs between thousands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from tvgp.study.data import csv_tables


@dataclass(frozen=True)
class Notation:
    """decimal: sign before the fraction, . or ,; thousands: sign between groups of three digits, or None."""

    decimal: str = "."
    thousands: str | None = None

    def number(self, text: str) -> float:
        """The number in a text, NaN for any other text, such as 1.020 where the decimal sign is a comma."""
        if self.thousands and self._grouped.fullmatch(text):
            text = text.replace(self.thousands, "")
        return csv_tables.number(text if self.decimal == "." else text.translate(_EXCHANGED))

    @cached_property
    def _grouped(self) -> re.Pattern[str]:
        sign, decimal = re.escape(self.thousands or ""), re.escape(self.decimal)
        return re.compile(rf"[-+]?\d{{1,3}}({sign}\d{{3}})+({decimal}\d*)?")


def has_signs(text: str) -> bool:
    """Whether a text is a number but for the signs between its digits."""
    return re.fullmatch(r"[-+]?\d+([., '\u00a0\u202f]\d+)+", text) is not None


def groups(text: str, sign: str) -> bool:
    """Whether the sign may stand between thousands: before groups of three digits, not after a zero."""
    return re.fullmatch(rf"[-+]?[1-9]\d{{0,2}}({re.escape(sign)}\d{{3}})+", text) is not None


_EXCHANGED = str.maketrans(",.", ".,")
