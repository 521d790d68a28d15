"""Mathematics in texts: each form of the marked text, and every text of the study."""

import ast
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser

from tvgp.study.config import loading
from tvgp.study.results.mathematics import html, latex, plain, symbol


@pytest.mark.parametrize(
    "text, as_html, as_plain",
    [
        ("$α = 1$: the rest", "<i>α</i> = 1: the rest", "alpha = 1: the rest"),
        (r"a smaller $\tilde α$", "a smaller <i>α\u0303</i>", "a smaller alpha_tilde"),
        (
            "$N_T = O(T^{2/3})$",
            "<i>N</i><sub><i>T</i></sub> = <i>O</i>(<i>T</i><sup>2/3</sup>)",
            "N_T = O(T^(2/3))",
        ),
        (
            r"$\tilde O(\sqrt{T^{α+1}})$",
            "<i>O\u0303</i>(√(<i>T</i><sup><i>α</i>+1</sup>))",
            "O~(sqrt(T^(alpha+1)))",
        ),
        (r"$\log^3(T / \log T)$", "log<sup>3</sup>(<i>T</i> / log <i>T</i>)", "log^3(T / log T)"),
        (
            r"$5/λ_{\max}$, $T^{0.33}$",
            "5/<i>λ</i><sub>max</sub>, <i>T</i><sup>0.33</sup>",
            "5/lambda_max, T^0.33",
        ),
        ("$|f|_k ≤ B$ < $x$", "|<i>f</i>|<sub><i>k</i></sub> ≤ <i>B</i> &lt; <i>x</i>", "|f|_k <= B < x"),
        (r"$⌈6 \log t⌉$", "⌈6 log <i>t</i>⌉", "ceil(6 log t)"),
        (r"$σ^2 \mathrm{lag}^α$", "<i>σ</i><sup>2</sup> lag<sup><i>α</i></sup>", "sigma^2 lag^alpha"),
        ("$T^{-1/4}$, $t-1$", "<i>T</i><sup>−1/4</sup>, <i>t</i>−1", "T^(-1/4), t-1"),
        ("$f_{t-1} + f_t$", "<i>f</i><sub><i>t</i>−1</sub> + <i>f</i><sub><i>t</i></sub>", "f_(t-1) + f_t"),
        ("$T = 1.24e9$, 1e+07", "<i>T</i> = 1.24·10<sup>9</sup>, 10<sup>7</sup>", "T = 1.24e9, 1e+07"),
        ("-0.5 [-1.2, 0.2], 2004-03-01", "−0.5 [−1.2, 0.2], 2004-03-01", "-0.5 [-1.2, 0.2], 2004-03-01"),
        ("<b> r_gp_ucb, Fig. 2a", "&lt;b&gt; r_gp_ucb, Fig. 2a", "<b> r_gp_ucb, Fig. 2a"),
        ("costs 5 $ & more", "costs 5 $ &amp; more", "costs 5 $ & more"),
    ],
)
def test_marked_text_as_html_and_plain(text, as_html, as_plain):
    assert html(text) == as_html
    assert plain(text) == as_plain


def test_latex_names_greek_letters_and_escapes_words():
    assert latex(r"a_b, 5 %: $\tilde α ≤ 1$") == r"a\_b, 5 \%: $\tilde \alpha  \leq  1$"


@pytest.mark.parametrize(
    "name, shown", [("alpha", "$α$"), ("alpha_tilde", r"$\tilde α$"), ("length_scale", "length scale")]
)
def test_symbol_of_a_parameter(name, shown):
    assert symbol(name) == shown


@pytest.mark.parametrize("text", [r"$\foo x$", r"$x \, y$"])
@pytest.mark.parametrize("form", [html, plain])
def test_unknown_command_is_named(form, text):
    with pytest.raises(ValueError, match="unknown command"):
        form(text)


def texts(project) -> Iterator[str]:
    """The texts of the study: in its sources, with each value of an f-string as a digit, and in config."""
    for folder in ("claims", "figures", "papers", "report", "tables"):
        for path in sorted((project / "src/tvgp/study" / folder).rglob("*.py")):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            inside = [part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values]
            inside += [node.value for node in nodes if isinstance(node, ast.Expr)]  # docstrings
            for node in nodes:
                if isinstance(node, ast.JoinedStr):
                    yield "".join(str(p.value) if isinstance(p, ast.Constant) else "7" for p in node.values)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside:
                    yield node.value
    config = [loading.read(project / "config")]
    while config:
        each = config.pop()
        config += each.values() if isinstance(each, dict) else each if isinstance(each, list) else []
        if isinstance(each, str):
            yield each


def test_every_text_of_the_study_can_be_shown(project):
    """In HTML, in plain ASCII, and by Matplotlib."""
    parser, marked = MathTextParser("path"), 0
    for text in texts(project):
        if re.search(r"\$[^$ ]|[^$ ]\$", text):
            assert text.count("$") % 2 == 0, text
            ET.fromstring(f"<p>{html(text)}</p>")
            assert "\\" not in plain(text) and "$" not in plain(text)
            for formula in text.split("$")[1::2]:
                assert plain(f"${formula}$").isascii(), text
                assert not re.search(r"(?<![\\a-z_])(log|exp|max|min|det)\b", formula), text
                parser.parse(f"${formula}$", 72, FontProperties())
            marked += 1
    assert marked > 400
