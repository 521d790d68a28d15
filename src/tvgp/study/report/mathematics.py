r"""MathML for the formulas in generated text: `alpha`, `N_T`, `O(T^2 log T)`, `|f|_k <= B`.

The texts of claims, captions and findings write mathematics in plain characters, so that tables and
terminals can show them. `marked_up` finds the formulas and leaves all other words alone:

    formula  = term (operator term)*          operator: + - * / = < > <= >=, written with or without space
    term     = power power*                   a product
    power    = atom (_ name)? (^ atom)? ²?
    atom     = Greek name | letter | number | function power? | ( formula ) | | formula | | a, for alpha,
               as tables of rates abbreviate it

Plain numbers, and letters that could be words or names, are formulas only as part of a larger one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "pi": "π",
    "sigma": "σ",
    "tau": "τ",
    "Lambda": "Λ",
}
LETTERS = "Α-Ωα-ω"
FUNCTIONS = ("log", "exp", "sqrt", "max", "min", "tr", "det", "ceil")
ALONE = frozenset("TtdlmfBQN")  # letters that are symbols even where they are alone
OPERATORS = {"<=": "≤", ">=": "≥", "-": "−", "*": "·"}

_WORD = re.compile(rf"(?:{'|'.join(GREEK)})(?![^\W\d_²³]|[-'’]\w|_[a-z]+_)|lag(?=\^)|a(?=~?[/+)])")
_LETTER = re.compile(
    rf"[B-HJ-Zb-z](?![^\W_²³]|['’]\w|-[^\W\d])|[{LETTERS}](?![^\W\d²³_]|-[^\W\d])|I(?= ?[+<=≤])"
)
_NUMBER = re.compile(
    r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?:e([+-]?)0*(\d+))?"
    rf"(?!(?!a~?[/+)]|[Tdtw](?!\w))[\w%]|[.,]\d|-(?!{'|'.join(GREEK)})[^\W\d]{{2}})"
)
_OTHER = re.compile(r"(\([A-Za-z]{2,}\)|\[[\d., -]+\])(?=\^)")  # a unit or an interval with a power
_FUNCTION = re.compile(rf"(?:{'|'.join(FUNCTIONS)})(?![\w-])")
_SUBSCRIPT = re.compile(rf"_([A-Za-z{LETTERS}]+|\d+)(?![A-Za-z_])")  # not in a name such as r_gp_ucb
_OPERATOR = re.compile(r" ?(<=|>=|≤|≥|[=<>/*+−-]) ?")
_ORDER = re.compile(r"([Oo])(~?)(?=\()")
_START = re.compile(rf"(?<![\w.'’^-])[A-Za-z{LETTERS}\d(|[]|(?<=\()[-−]")
_MINUS = re.compile(r"(?<![^\s(\[])-(?=\.?\d)")
# what plain words do not have: Greek, indices, powers, functions, or an operator beside a letter
_CERTAIN = re.compile(
    rf"[_^²³{LETTERS}]|\b(?:{'|'.join((*GREEK, *FUNCTIONS))})\b|[A-Za-z].*[=<>≤≥/*+−-]|[=<>≤≥/*+−-].*[A-Za-z]"
)


@lru_cache(maxsize=8192)
def marked_up(text: str) -> str:
    """HTML: `text` with its formulas as MathML and everything else escaped."""
    parts, done, at = [], 0, 0
    while found := _START.search(text, at):
        at = found.start()
        mathml, end = _Formula(text).formula(at) or ("", at)
        if end > at and (_CERTAIN.search(text, at, end) or _is_symbol(text, at, end)):
            parts.append(_words(text[done:at]) + f"<math><mrow>{mathml}</mrow></math>")
            done = at = end
        else:
            at += 1
    parts.append(_words(text[done:]))
    return "".join(parts)


def _words(text: str) -> str:
    return escape(_MINUS.sub("−", text.replace("<=", "≤").replace(">=", "≥")), quote=False)


def _is_symbol(text: str, at: int, end: int) -> bool:
    """Whether a lone letter is a symbol: not part of a name such as `Bukin N.6`."""
    return text[at:end] in ALONE and bool(re.match(r"[ ),;:]|\.?$|\. ", text[end:]))


class _Formula:
    """Each method reads one part of the grammar from one place in the text: its MathML and its end,
    None where there is no such part."""

    def __init__(self, text: str) -> None:
        self.text = text

    def formula(self, at: int) -> tuple[str, int] | None:
        """The longest formula from `at`."""
        first = self._term(at)
        if first is None:
            return None
        mathml, end = first
        while operator := _OPERATOR.match(self.text, end):
            spaced = operator[0].startswith(" ") == operator[0].endswith(" ")
            following = self._term(operator.end()) if spaced else None
            if following is None:
                break
            sign = OPERATORS.get(operator[1], operator[1])
            mathml += f"<mo>{escape(sign)}</mo>{following[0]}"
            end = following[1]
        return mathml, end

    def _term(self, at: int) -> tuple[str, int] | None:
        sign = "<mo>−</mo>" if self.text[at : at + 1] in ("-", "−") else ""
        first = self._power(at + bool(sign))
        if first is None:
            return None
        mathml, end = sign + first[0], first[1]
        while True:
            gap = end + (self.text[end : end + 1] == " ")
            factor = self._power(gap)
            if factor is None or not self._multiplies(at, end, gap, factor[1]):
                return mathml, end
            mathml += f"<mo>&#8290;</mo>{factor[0]}"
            end = factor[1]

    def _multiplies(self, at: int, end: int, gap: int, after: int) -> bool:
        """Whether two neighbours are a product, and not words or a list of references."""
        left, right = self.text[at:end], self.text[gap:after]
        if right[0] in "(|":
            return "^" in right or gap == end
        if right[0].isdigit():
            return False
        return gap > end or left[-1].isdigit()

    def _power(self, at: int) -> tuple[str, int] | None:
        atom = self._atom(at)
        if atom is None:
            return None
        base, end = atom
        if self.text[end : end + 1] == "~":
            base, end = f'<mover accent="true">{base}<mo>~</mo></mover>', end + 1
        if subscript := _SUBSCRIPT.match(self.text, end):
            name, end = subscript[1], subscript.end()
            if name == "tilde":
                base = f'<mover accent="true">{base}<mo>~</mo></mover>'
            else:
                base = f"<msub>{base}{_named(name)}</msub>"
        if self.text[end : end + 1] == "^":
            exponent = self._exponent(end + 1)
            if exponent is not None:
                base, end = f"<msup>{base}{exponent[0]}</msup>", exponent[1]
        elif self.text[end : end + 1] in ("²", "³"):
            base = f"<msup>{base}<mn>{'2' if self.text[end] == '²' else '3'}</mn></msup>"
            end += 1
        return base, end

    def _exponent(self, at: int) -> tuple[str, int] | None:
        if self.text[at : at + 1] == "(":
            return self._enclosed(at, ")", lambda inner: f"<mrow>{inner}</mrow>")
        sign = "<mo>−</mo>" if self.text[at : at + 1] in ("-", "−") else ""
        found = self._atom(at + bool(sign))
        return found and (f"<mrow>{sign}{found[0]}</mrow>", found[1])

    def _atom(self, at: int) -> tuple[str, int] | None:
        text = self.text
        if order := _ORDER.match(text, at):
            name = f"<mi>{order[1]}</mi>"
            if order[2]:
                name = f'<mover accent="true">{name}<mo>~</mo></mover>'
            return self._enclosed(order.end(), ")", lambda inner: f"{name}{_fenced(inner)}")
        if word := _WORD.match(text, at):
            return f"<mi>{({'a': 'α'} | GREEK).get(word[0], word[0])}</mi>", word.end()
        if function := _FUNCTION.match(text, at):
            return self._function(function[0], function.end())
        if letter := _LETTER.match(text, at):
            return f"<mi>{letter[0]}</mi>", letter.end()
        if digits := _NUMBER.match(text, at):
            return _number(*digits.groups()), digits.end()
        if other := _OTHER.match(text, at):
            return f"<mtext>{other[0]}</mtext>", other.end()
        if text[at : at + 1] == "(":
            return self._enclosed(at, ")", _fenced)
        if text[at : at + 1] == "|":
            return self._enclosed(at, "|", lambda inner: f"<mrow><mo>|</mo>{inner}<mo>|</mo></mrow>")
        return None

    def _function(self, name: str, at: int) -> tuple[str, int] | None:
        """A function with its power and its argument; without an argument it is a word."""
        raised = f"<mi>{name}</mi>"
        if self.text[at : at + 1] == "^":
            exponent = self._exponent(at + 1)
            if exponent is None:
                return None
            raised, at = f"<msup>{raised}{exponent[0]}</msup>", exponent[1]
        if self.text[at : at + 1] == "(":
            if name == "sqrt":
                found = self._enclosed(at, ")", lambda inner: f"<msqrt>{inner}</msqrt>")
            elif name == "ceil":
                found = self._enclosed(at, ")", lambda inner: f"<mrow><mo>⌈</mo>{inner}<mo>⌉</mo></mrow>")
            else:
                found = self._enclosed(at, ")", lambda inner: f"{raised}{_fenced(inner)}", several=True)
        else:
            argument = self._power(at + 1) if self.text[at : at + 1] == " " else None
            found = argument and (f"{raised}<mo>&#8289;</mo>{argument[0]}", argument[1])
        return found and (f"<mrow>{found[0]}</mrow>", found[1])

    def _enclosed(
        self, at: int, close: str, wrap: Callable[[str], str], several: bool = False
    ) -> tuple[str, int] | None:
        """What lies between the bracket at `at` and its partner; `several`: a list of arguments."""
        inner = self.formula(at + 1)
        while several and inner and self.text.startswith(", ", inner[1]):
            following = self.formula(inner[1] + 2)
            inner = following and (f"{inner[0]}<mo>,</mo>{following[0]}", following[1])
        if inner is None or self.text[inner[1] : inner[1] + 1] != close:
            return None
        return wrap(inner[0]), inner[1] + 1


def _number(mantissa: str, sign: str | None, exponent: str | None) -> str:
    if exponent is None:
        return f"<mn>{mantissa}</mn>"
    power = f"<msup><mn>10</mn><mrow>{'<mo>−</mo>' if sign == '-' else ''}<mn>{exponent}</mn></mrow></msup>"
    return power if mantissa == "1" else f"<mn>{mantissa}</mn><mo>·</mo>{power}"


def _fenced(inner: str) -> str:
    return f'<mrow><mo stretchy="false">(</mo>{inner}<mo stretchy="false">)</mo></mrow>'


def _named(subscript: str) -> str:
    if subscript.isdigit():
        return f"<mn>{subscript}</mn>"
    if len(subscript) > 1 and subscript not in GREEK:
        return f"<mtext>{subscript}</mtext>"
    return f"<mi>{GREEK.get(subscript, subscript)}</mi>"
