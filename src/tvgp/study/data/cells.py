"""Cells of raw tables as text: each distinct text is read once, faults are named with their line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from tvgp.study.data import raw_files


def each(texts: Any, read: Callable[[str], Any], dtype: Any = float) -> np.ndarray:
    """read(text) of each text, in the shape of `texts`; equal texts are read once."""
    texts = np.asarray(texts, dtype=object)
    codes, distinct = pd.factorize(texts.ravel())
    return np.array([read(text) for text in distinct], dtype=dtype)[codes].reshape(texts.shape)


def numbers(texts: Any) -> np.ndarray:
    """The number in each text, in the shape of `texts`; NaN for any other text."""
    return each(texts, raw_files.number)


def refuse(faulty: Any, table: pd.DataFrame, label: str, fault: str) -> None:
    """ValueError for the first faulty row of a table that is indexed by line: file, line and `fault`, in
    which {column} is the row's text in that column."""
    rows = np.flatnonzero(faulty)
    if len(rows):
        row = table.iloc[rows[0]]
        raise ValueError(f"{label}, line {row.name}: {fault.format_map(row)}")
