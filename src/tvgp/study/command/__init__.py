"""The command `tvgp`: one module per subcommand.

`list policies`, `explain` and `live` need NumPy and SciPy only; the rest needs the extra `study`, so each
subcommand is imported when it is called.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tvgp.study.command import add_data, checkout, live
from tvgp.study.execution.errors import one_line_errors

KINDS = ("experiments", "policies", "datasets", "kernels", "environments")


def main(arguments: Sequence[str] | None = None) -> int:
    """Call the subcommand; exit code. Bad input is reported in one line, and so is Ctrl-C."""
    parser = _parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks how a command may go on
        import argcomplete

        argcomplete.autocomplete(parser)
    given = parser.parse_args(arguments)
    if given.command is None:
        parser.print_help()
        return 0
    with one_line_errors():
        try:
            code = importlib.import_module(f"tvgp.study.command.{given.module}").main(given)
            sys.stdout.flush()
            return code
        except KeyboardInterrupt:
            print("Interrupted", file=sys.stderr)
            return 128 + signal.SIGINT
        except BrokenPipeError:  # what is still to be written has no reader either
            for stream in (sys.stdout, sys.stderr):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            return 128 + signal.SIGPIPE
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("tvgp"):
                raise
            raise ValueError(
                f"tvgp {given.command} needs the extra `study` ({error.name} is missing);"
                " run: pip install 'tvgp[study]', or make study in a checkout"
            ) from None


def _completed(action: argparse.Action, names: Callable[[], Iterable[str]]) -> None:
    """Let a shell complete the names of an argument."""
    setattr(action, "completer", lambda **_: names())  # noqa: B010 - an attribute that argcomplete looks for


def _policies() -> list[str]:
    from tvgp import policies  # slow to import

    return policies.names()


def _studies() -> list[str]:
    here = Path.cwd()
    return [
        "paper",
        *checkout.overlays_of(checkout.source(here), here),
        *(path.name for path in here.glob("*.yaml")),
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tvgp", description="Time-varying Gaussian-process bandits.")
    parser.add_argument("--version", action="version", version=f"tvgp {version('tvgp')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, help: str, module: str | None = None) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help, description=help)
        made.set_defaults(module=module or name)
        return made

    study = (
        "quick (default), smoke, regimes, ...: an overlay in config/; paper: without overlay; then files laid"
        " over it, such as: quick mine.yaml"
    )
    studies: dict[str, Any] = {"nargs": "*", "default": ["quick"], "metavar": "STUDY"}
    run = add("run", "run a study, or resume it")
    _completed(run.add_argument("study", **studies, help=study), _studies)
    run.add_argument("-v", "--verbose", action="store_true", help="Snakemake's own output, not one line")
    run.add_argument("-y", "--yes", action="store_true", help="do not ask before a study of hours")
    run.add_argument("--unlock", action="store_true", help="first remove the lock that a killed run left")
    run.add_argument("--cores", type=int, help="cores to use (default: all)")
    report = add("report", "print the path of a study's report; write it if only its results exist")
    _completed(report.add_argument("study", **studies, help=f"{study}; or a file of tvgp archive"), _studies)
    report.add_argument("--open", action="store_true", help="open it in the browser")
    archive = add("archive", "pack a study's results into one file, with RO-Crate metadata")
    _completed(archive.add_argument("study", **studies, help=study), _studies)
    archive.add_argument("-o", "--output", metavar="FILE", help="default: results/<scale>.zip")
    archive.add_argument("--report", action="store_true", help="its report, figures and tables alone")
    verify = add("verify", "compare every file of a study, or of an archive, with its records")
    _completed(verify.add_argument("study", **studies, help=f"{study}; or a file of tvgp archive"), _studies)
    publish = add(
        "publish", "write docs/results from finished parts of the study, and the pages that quote them"
    )
    publish.add_argument(
        "parts", nargs="*", metavar="PART", help="mauduit25, regimes, ...; without any, write the pages again"
    )
    league = add("league", "play your own policy in the environments of the league, beside its runs")
    league.add_argument(
        "--with",
        dest="policy",
        required=True,
        metavar="POLICY",
        help="a Python file with make(prior, noise_variance, parameters), or the name of an installed policy",
    )
    league.add_argument("--name", help="of the entry in tables (default: that of the policy)")
    league.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter")
    league.add_argument(
        "--queries",
        choices=("after", "before"),
        default="after",
        help="its queries come after (default) its choice",
    )
    league.add_argument("--cores", type=int, help="processes (default: one per core)")
    league.add_argument("-o", "--output", metavar="FILE", help="its runs (default: NAME.csv)")
    compare = add("compare", "compare two methods of the league run by run: [TABLE.csv ...] METHOD METHOD")
    compare.add_argument("names", nargs="+", metavar="NAME", help="tables of `tvgp league`, then two methods")
    for each in (league, compare):
        each.add_argument(
            "--price", type=float, default=0.0, help="of a query, in units of the regret of uniform play"
        )
    merge = add("merge", "merge tables of runs, such as those of two machines")
    merge.add_argument("tables", nargs="+", metavar="TABLE.csv")
    merge.add_argument("-o", "--output", metavar="FILE", required=True)
    listing = add("list", "list what there is, one line each", "listing")
    kinds = listing.add_argument(
        "kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)} (default: all)"
    )
    _completed(kinds, lambda: KINDS)
    explain = add("explain", "formula, parameters and defaults of a policy")
    policy = explain.add_argument("policy", metavar="POLICY", help="as in `tvgp list policies`")
    _completed(policy, _policies)
    doctor = add("doctor", "check whether the study can run here; one line per check")
    doctor.add_argument("--offline", action="store_true", help="do not try the network")
    add_data.add_arguments(add("add-data", "add your own data: table of values, table of sites", "add_data"))
    live.add_arguments(add("live", "ask and tell from a shell: a policy in a file"))
    return parser
