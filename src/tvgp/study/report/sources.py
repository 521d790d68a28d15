"""Files that the page shows as they are: manifests of raw files, tables as CSV, the checks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from tvgp.study.execution import files
from tvgp.study.report.cells import number


def manifest(path: str | Path) -> dict:
    """Content of a manifest of raw files, with file names in place of full paths."""
    content = files.read_object(path)
    try:
        return {
            "dataset": content["dataset"],
            "standin": content["source"] == "standin",
            "note": content.get("note", ""),
            "files": [
                {
                    "name": Path(f["path"]).name,
                    "bytes": f["bytes"],
                    "sha256": f["sha256"],
                    "url": f.get("url") or "",
                }
                for f in content["files"]
            ],
        }
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path}: not a manifest of raw files (no {error})") from None


def table(path: str | Path) -> pd.DataFrame:
    """A CSV file. ValueError, one line, for one that cannot be read."""
    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: not readable as a table ({reason})") from None


def checks(path: str | Path | None) -> list[tuple[str, str]]:
    """The checks as pairs of name and value, nested mappings flattened."""
    if path is None:
        return []

    def flat(value, prefix=""):
        if isinstance(value, Mapping):
            for key, inner in value.items():
                yield from flat(inner, f"{prefix}{key}: ".replace("_", " "))
        else:
            yield prefix.rstrip(": "), number(value) if not isinstance(value, list) else str(value)

    return list(flat(files.read_object(path)))
