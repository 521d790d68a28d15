"""`tvgp live`: ask and tell from a shell, on a file of `tvgp.live.Live`."""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Call = Callable[[Any, argparse.Namespace], None]  # of a system in a file
_NEGATIVE = re.compile(r"-(\d+[.,]?\d*|\.\d+|inf|nan)([eE][-+]?\d+)?$")  # with a comma to be refused
_NAMING = ("arm", "id", "name", "sensor", "site", "station")  # a column of names, even of numbers
_IMAGES = (".png", ".pdf", ".svg")
# Row of docs/which_method.md by kind of change.
_ROWS = {
    "static": "none known",
    "jump": "rare jumps",
    "drift": "slow steady drift, or fast drift",
    "period": "periodic",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command and of its subcommands."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def add(name: str, call: Call | None, help: str) -> argparse.ArgumentParser:
        made = actions.add_parser(name, help=help, description=help)
        made.set_defaults(call=call)
        made.add_argument("file", type=Path, help="of the system")
        made._negative_number_matcher = _NEGATIVE  # before Python 3.14 -1e-3 is taken for an option
        return made

    def add_round(made: argparse.ArgumentParser, default: str) -> None:
        made.add_argument("--t", type=int, help=f"round (default: {default})")

    init = add("init", None, "start a system in a new file")
    init.add_argument("--policy", default="tv_gp_ucb", help="as in `tvgp list policies`")
    init.add_argument(
        "--arms",
        type=Path,
        required=True,
        help="CSV: a line per arm, its coordinates, before them perhaps its name",
    )
    init.add_argument("--kernel", default="matern52", help="as in `tvgp list kernels`")
    init.add_argument("--length-scale", type=float, required=True, help="of the kernel, in units of the arms")
    init.add_argument("--variance", type=float, default=1.0, help="of the rewards (default: 1)")
    init.add_argument("--noise-variance", type=float, required=True, help="of a reward")
    init.add_argument("--seed", type=int, default=0, help="of random choices")
    init.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="parameters, as in `tvgp explain POLICY`",
    )

    def add_without(made: argparse.ArgumentParser) -> None:
        named = "arms that are not available in this round"
        made.add_argument("--without", nargs="+", action="extend", default=[], metavar="ARM", help=named)

    ask = add("ask", _ask, "print arms to play, one per line")
    add_round(ask, "the last one if it has no reward, else the next")
    ask.add_argument("--size", type=int, default=1, help="number of arms")
    add_without(ask)
    tell = add("tell", _tell, "learn rewards")
    add_round(tell, "the last one")
    tell.add_argument("pairs", nargs="+", metavar="ARM REWARD", help="arms and their rewards in turn")
    tell.add_argument("--noise-variance", type=float, help="of these rewards")
    tell.add_argument("--key", help="name of this call: repeated in its round, it counts once")
    queries = add(
        "queries", _queries, "print arms to ask an expert about, one per line; none if nothing pays"
    )
    add_round(queries, "as of ask")
    add_without(queries)
    expert = add("tell-expert", _tell_expert, "learn the expert's answers")
    add_round(expert, "the last one")
    expert.add_argument("pairs", nargs="+", metavar="ARM VALUE", help="arms and answers in turn")
    best = "print the arm with the largest mean, its mean and its standard deviation"
    recommend = add("recommend", _recommend, best)
    add_round(recommend, "as of ask")
    add_without(recommend)
    take_back = add("take-back", _take_back, "forget all calls of a round")
    take_back.add_argument("--t", type=int, required=True, help="round")
    add("history", _history, "print all calls as CSV")
    add("diagnose", _diagnose, "say how the rewards change: drift, jump, period or not at all")
    plot = add("plot", _plot, "draw the rewards so far and what is believed now")
    plot.add_argument("image", type=Path, help=".png, .pdf or .svg")


def main(given: argparse.Namespace) -> int:
    """Carry out one call. ValueError or OSError, in one line, for one that cannot be."""
    if given.call is None:
        _init(given)
        return 0
    from tvgp.live import Live
    from tvgp.live.log import Stale

    while True:
        with contextlib.suppress(Stale), Live.load(given.file) as system:
            if system.file is None and given.call not in _READING:
                raise ValueError(
                    f"{given.file}: of the first format, to which no calls are added; save it in a new file"
                    f" in Python: Live.load({str(given.file)!r}).save(...)"
                )
            given.call(system, given)
            return 0
        # another call was faster and is in the file now: this one has not counted


def _init(given: argparse.Namespace) -> None:
    from tvgp import kernels, policies
    from tvgp.live import Live

    names, arms = _arms(given.arms)
    values = dict(map(parameter, given.set))
    policies.check(given.policy, values.keys() - {"parameters"})  # which Live would take for its own
    kernel = kernels.make(given.kernel, variance=given.variance, length_scale=given.length_scale)
    system = Live(
        given.policy,
        arms=arms,
        kernel=kernel,
        noise_variance=given.noise_variance,
        seed=given.seed,
        names=names,
        **values,
    )
    system.save(given.file)
    system.close()
    print(
        f"wrote {given.file}: {given.policy} over {len(arms)} arms of {arms.shape[1]} coordinates,"
        f" {f'called 0 to {len(arms) - 1} in their order' if names is None else 'by name'};"
        f" next: tvgp live ask {given.file}"
    )


def parameter(text: str) -> tuple[str, Any]:
    """NAME=VALUE of --set, the value as in JSON or text. ValueError for other text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set {text}: expected NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        pass
    try:  # JSON has no .5
        return name, json.loads(re.sub(r"(?<![\d.])\.(?=\d)", "0.", value))
    except ValueError:
        return name, float(value) if _numeric(value) else value


def _arms(path: Path) -> tuple[list[str] | None, np.ndarray]:
    """Names, if the first column holds anything but numbers or is called so (`site`, `station_id`), and
    coordinates (n, d)."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:  # Excel begins with a mark
            text = [*file]
    except UnicodeDecodeError:
        raise ValueError(
            f"{path}: not UTF-8; save the table as UTF-8 (in a spreadsheet: CSV UTF-8)"
        ) from None
    try:
        lines, *others = ([line for line in csv.reader(text, delimiter=sign) if line] for sign in ",;\t")
    except csv.Error as error:
        raise ValueError(f"{path}: {error}; is a quotation mark not closed?") from None
    if lines and any(all(len(line) > 1 for line in other) for other in others):
        raise ValueError(f"{path}: separated by semicolons or tabs; expected commas, and points in decimals")
    header = ""
    if lines and not _numeric(lines[0][-1]):
        header, lines = lines[0][0].strip().lower(), lines[1:]
    last_word = re.split(r"[\W_]+", header)[-1]
    named = any(not _numeric(line[0]) for line in lines) or last_word in _NAMING
    try:
        arms = np.array([line[named:] for line in lines], dtype=float)
    except ValueError:
        raise ValueError(
            f"{path}: expected a line per arm with as many numbers each, perhaps after a name"
        ) from None
    if arms.ndim != 2 or not arms.size:
        raise ValueError(f"{path}: no arms; expected a line per arm with its coordinates")
    if not named:
        return None, arms
    names = [line[0].strip() for line in lines]
    if odd := [arm for arm, name in enumerate(names, 1) if len(name.splitlines()) != 1]:  # `ask` prints lines
        raise ValueError(f"{path}: arm {odd[0]} is named {names[odd[0] - 1]!r}; expected one line of text")
    return names, arms


def _numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _next(system: Any, t: int | None) -> int:
    """The round of a choice."""
    return int(system.next_round) if t is None else t


def _last(system: Any, t: int | None) -> int:
    """The round of an answer: the last one."""
    if t is None and not system.last_round:
        raise ValueError("no round yet; give --t, or ask first")
    return system.last_round if t is None else t


def _pairs(system: Any, texts: Sequence[str]) -> tuple[list[int], list[float]]:
    """Arms, by name, and numbers."""
    if len(texts) % 2:
        raise ValueError(f"{len(texts)} words, expected arms and numbers in turn")
    arms = _places(system, texts[::2])
    wrong = [text for text in texts[1::2] if not (_numeric(text) and np.isfinite(float(text)))]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is not a finite number; expected arms and numbers in turn")
    return arms, [float(text) for text in texts[1::2]]


def _places(system: Any, names: Sequence[str]) -> list[int]:
    """Arms by name. ValueError for one that there is not."""
    place = {name: arm for arm, name in enumerate(system.names)}
    if unknown := [name for name in names if name not in place]:
        known = ", ".join(system.names[:3])
        raise ValueError(f"no arm {unknown[0]!r}; the {len(place)} arms are {known}, ...")
    return [place[name] for name in names]


def _available(system: Any, without: Sequence[str]) -> np.ndarray | None:
    """Mask of the arms but those, None for all."""
    if not without:
        return None
    mask = np.ones(len(system.names), dtype=bool)
    mask[_places(system, without)] = False
    return mask


def _print_arms(system: Any, arms: np.ndarray) -> None:
    for arm in arms:
        print(system.names[arm])


def _ask(system: Any, given: argparse.Namespace) -> None:
    available = _available(system, given.without)
    _print_arms(system, system.ask(_next(system, given.t), given.size, available))


def _tell(system: Any, given: argparse.Namespace) -> None:
    if given.key is not None and given.t is None:
        raise ValueError("--key needs --t: repeated later, the call would be of another round")
    arms, rewards = _pairs(system, given.pairs)
    system.tell(_last(system, given.t), arms, rewards, given.noise_variance, key=given.key)


def _queries(system: Any, given: argparse.Namespace) -> None:
    t = _next(system, given.t)
    asked = system.queries(t, _available(system, given.without))
    _print_arms(system, asked)
    if not len(asked):
        print(f"round {t}: no queries", file=sys.stderr)


def _tell_expert(system: Any, given: argparse.Namespace) -> None:
    system.tell_expert(_last(system, given.t), *_pairs(system, given.pairs))


def _recommend(system: Any, given: argparse.Namespace) -> None:
    t = _next(system, given.t)
    arm = system.recommend(t, _available(system, given.without))
    mean, deviation = system.posterior(t)
    print(system.names[arm], f"{mean[arm]:.6g}", f"{deviation[arm]:.3g}")


def _take_back(system: Any, given: argparse.Namespace) -> None:
    system.take_back(given.t)
    last = system.last_round
    print(f"the last round with a call is {last} now" if last else "no round has a call now")


def _history(system: Any, given: argparse.Namespace) -> None:
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["t", "call", "arm", "value", "noise_variance", "key"])
    for t, call in system.history():
        name = next(iter(call))
        if name not in ("tell", "queries", "expert") or not call[name]:
            table.writerow([t, name, "", call[name] if name == "ask" else "", "", ""])
            continue
        values = call.get("rewards") or call.get("values") or [""] * len(call[name])
        noise = call.get("noise_variances") or [None] * len(call[name])
        for arm, value, variance in zip(call[name], values, noise, strict=True):
            row = [t, name, system.names[arm], value, "" if variance is None else variance]
            table.writerow([*row, call.get("key") or ""])


def _beyond(system: Any) -> str | None:
    """Why a diagnosis would mislead."""
    if system.parameters.get("parameters") == "learn":
        return "the policy learns its kernel"
    if system.parameters.get("log_scale") is not None:
        return "the policy learns logarithms"
    own: dict[int, bool] = {}  # whether rewards of a round that counts have them
    for t, call in system.history():
        variances = call.get("noise_variances") or []
        own[t] = "take_back" not in call and (
            own.get(t, False) or any(each is not None for each in variances)
        )
    return "rewards have noise variances of their own" if any(own.values()) else None


def _diagnose(system: Any, given: argparse.Namespace) -> None:
    from tvgp.live import diagnosis

    if why := _beyond(system):
        raise ValueError(
            f"diagnose: {why}, but it compares rewards as they were told, under the given kernel and noise"
        )
    t, arms, rewards = system.rewards()
    centred = rewards - system.prior_mean[arms]
    found = diagnosis.diagnose(system.kernel, system.arms[arms], t, centred, system.noise_variance)
    value, low, high = found.half_life
    changes = {
        "static": "no change that the rewards show",
        "jump": f"a jump: f is new from round {found.jump} on",
        "drift": "a drift",
        "period": f"a period of {found.period:.4g} rounds",
    }
    print(f"{found.rewards} rewards; {changes[found.kind]}")
    gains = ", ".join(f"{name} {gain:+.1f}" for name, gain in found.gains.items())
    print(f"log likelihood against no change: {gains} (a parameter costs {np.log(found.rewards) / 2:.1f})")
    ends = f"[{found.interval[0]:.2g}, {found.interval[1]:.2g}]"
    print(
        f"as a drift: epsilon {found.epsilon:.2g} {ends}; half of what a reward tells about its arm is gone"
        f" after {value:.3g} [{low:.3g}, {high:.3g}] rounds"
    )
    print("rewards of one arm, half the mean squared difference less the noise, by rounds between them:")
    for lag in diagnosis.variogram(arms, t, rewards, system.noise_variance):
        words = str(lag.first) if lag.first == lag.last else f"{lag.first} to {lag.last}"
        print(f"  {words}: {lag.value:.3g} +- {1.96 * lag.error:.2g} ({lag.pairs} pairs)")
    record, now = (t, arms, rewards), _next(system, None)
    arm, gain = diagnosis.worth(
        found, system.kernel, system.arms, system.prior_mean, record, system.noise_variance, now
    )
    print(
        f"a reading before the choice of round {now} gains {gain:.3g} on average, of arm {system.names[arm]}:"
        " ask first if it costs less (docs/asking.md)"
    )
    print(f"methods: docs/which_method.md, the row: {_ROWS[found.kind]}")


def _plot(system: Any, given: argparse.Namespace) -> None:
    if given.image.suffix.lower() not in _IMAGES:
        raise ValueError(f"{given.image}: expected a name that ends with {', '.join(_IMAGES)}")
    from tvgp.study.figures.base import style
    from tvgp.study.figures.base.palette import Colour

    t, arms, rewards = system.rewards()
    now = _next(system, None)
    mean, deviation = system.posterior(now)
    order = np.argsort(-mean, kind="stable")[:40]
    with style.context():
        figure, panels = style.panels(4.6, 2, 1)
        above, below = panels[:, 0]
        above.scatter(t, rewards, s=9, c=arms, cmap="viridis", linewidth=0)
        above.set(xlabel="round", ylabel="reward (colour: arm)")
        below.errorbar(
            range(len(order)),
            mean[order],
            2 * deviation[order],
            fmt="o",
            markersize=3,
            color=Colour.BLUE,
            elinewidth=0.8,
        )
        below.set(
            ylabel=f"belief for round {now}", xlabel="arms, largest mean first (bars: 2 standard deviations)"
        )
        labels = [system.names[arm] for arm in order]
        below.set_xticks(range(len(order)), labels, rotation=60, fontsize=6, parse_math=False)
        figure.savefig(given.image, dpi=150)
    print(f"wrote {given.image}")


_READING: tuple[Call, ...] = (_recommend, _history, _diagnose, _plot)  # add nothing to the file
