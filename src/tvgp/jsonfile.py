"""Reading JSON files that the study wrote itself."""

from __future__ import annotations

import json
from pathlib import Path


def read_object(path: str | Path) -> dict:
    """The object in a file; ValueError naming the file for anything else."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: not readable as JSON ({reason})") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected a JSON object")
    return content
