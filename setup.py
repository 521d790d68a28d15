"""The wheel carries what a study needs beside the library, so that `tvgp run` works without a checkout."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

FOLDER = "tvgp/study/packaged"  # where tvgp.study.command.checkout looks for it
CARRIED = (
    "Snakefile",
    "config",
    "data/raw/README.md",
    "docs/results/league/league_runs.csv",
    "docs/your_data.md",
    "profiles/default",
    "workflow",
)


class BuildWithStudy(build_py):
    """An editable installation finds them in its checkout."""

    def run(self) -> None:
        super().run()
        for name in () if self.editable_mode else CARRIED:
            source, target = Path(name), Path(self.build_lib, FOLDER, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(
                    source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
                )
            else:
                shutil.copy(source, target)


setup(cmdclass={"build_py": BuildWithStudy})
