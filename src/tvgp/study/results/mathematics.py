r"""Mathematics in texts: what stands between two `$`, in a subset of LaTeX that Matplotlib draws as it is.

Letters, Greek ones too, and signs stand for themselves; `^` and `_` take a character or a group in braces.
Commands are `\log` and other functions, `\sqrt{...}`, `\tilde` before a letter and `\mathrm{...}` for upright
words: `$R_T = O(T^{\tilde α/α} \log T)$` is `R_T = O(T^(alpha_tilde/alpha) log T)` in tables and terminals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape

COMMANDS = {name: name for name in ("log", "exp", "max", "min", "det")} | {"sqrt": "√"}
LETTERS = "alpha beta gamma delta epsilon zeta eta lambda mu nu pi sigma tau Lambda Omega"
GREEK = dict(zip("αβγδεζηλμνπστΛΩ", LETTERS.split(), strict=True))
PLAIN = GREEK | {"≤": "<=", "≥": ">=", "⌈": "ceil(", "⌉": ")"}
LATEX = {sign: f"\\{name} " for sign, name in (GREEK | {"≤": "leq", "⌈": "lceil", "⌉": "rceil"}).items()}

_NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?)e([+-]?)0*(\d+)\b")  # 1.5e+03
_TOKEN = re.compile(
    rf"{_NUMBER.pattern}|\\mathrm\{{(?P<upright>[^{{}}]*)\}}|\\tilde ?(?P<tilde>\w)|\\(?P<command>[A-Za-z]*)"
    r"|(?P<character>[^\W\d_]|[≤≥⌈⌉<>&-])"
)


def symbol(name: str) -> str:
    """A parameter in a text: marked if its name is that of a letter, else its words."""
    letter = {"alpha_tilde": r"\tilde α"} | {name: letter for letter, name in GREEK.items()}
    return f"${letter[name]}$" if name in letter else name.replace("_", " ")


def html(text: str) -> str:
    """HTML, with powers of ten and minus signs also where nothing is marked.

    ValueError for an unknown command.
    """

    def character(sign: str) -> str:
        return f"<i>{sign}</i>" if sign.isalpha() else escape(sign.replace("-", "−"))

    def formula(part: str) -> str:
        part = re.sub(r"([_^])(\w)", r"\1{\2}", part)
        groups = {"_": "<sub>{}</sub>", "^": "<sup>{}</sup>", "√": "√({})"}
        return _rendered(part, character, lambda letter: f"<i>{letter}\u0303</i>", groups)

    def power_of_ten(found: re.Match) -> str:
        power = f"10<sup>{found[2].replace('-', '−').strip('+')}{found[3]}</sup>"
        return power if found[1] == "1" else f"{found[1]}·{power}"

    def words(part: str) -> str:
        return re.sub(r"(?<![^\s(\[])-(?=\.?\d)", "−", escape(part, quote=False))

    return _NUMBER.sub(power_of_ten, _converted(text, formula, words))


def plain(text: str) -> str:
    """Plain characters, Greek letters by name. ValueError as in `html`."""

    def tilde(letter: str) -> str:
        return f"{PLAIN[letter]}_tilde" if letter in PLAIN else f"{letter}~"

    def formula(part: str) -> str:
        groups = {"_": "_({})", "^": "^({})", "√": "sqrt({})"}
        part = re.sub(r"\^\{([\d.]+|\w)\}", r"^\1", part)
        rendered = _rendered(part, lambda sign: PLAIN.get(sign, sign), tilde, groups)
        return re.sub(r"_\((\w+)\)", r"_\1", rendered)

    return _converted(text, formula, str)


def latex(text: str) -> str:
    """LaTeX for a document without Unicode fonts."""

    def formula(part: str) -> str:
        return f"${''.join(LATEX.get(sign, sign) for sign in part)}$"

    def words(part: str) -> str:
        return re.sub(r"([&%#_])", r"\\\1", part.replace("\\", r"\textbackslash "))

    return _converted(text, formula, words)


def _converted(text: str, formula: Callable[[str], str], words: Callable[[str], str]) -> str:
    parts = text.split("$")
    if len(parts) % 2 == 0:  # a currency, say: Matplotlib marks nothing then, either
        return words(text)
    return "".join(formula(part) if i % 2 else words(part) for i, part in enumerate(parts))


def _rendered(
    formula: str, character: Callable[[str], str], tilde: Callable[[str], str], groups: Mapping[str, str]
) -> str:
    def token(found: re.Match) -> str:
        if found["command"] is not None:
            if found["command"] not in COMMANDS:
                raise ValueError(
                    f"${formula}$: unknown command \\{found['command']}; {', '.join(COMMANDS)} are known"
                )
            return COMMANDS[found["command"]]
        if found["tilde"]:
            return tilde(found["tilde"])
        return character(found["character"]) if found["character"] else found["upright"] or found[0]

    text = _TOKEN.sub(token, formula)
    while found := re.search(r"([_^√])\{([^{}]*)\}", text):  # the innermost groups first
        text = text[: found.start()] + groups[found[1]].format(found[2]) + text[found.end() :]
    return text
