"""MathML in generated text: formulas are found, words are left alone."""

import re
import xml.etree.ElementTree as ET

import pytest

from tvgp.study.report.mathematics import marked_up


def flat(element: ET.Element) -> str:
    """A formula on one line, as {base}^{exponent} and {base}_{index}."""
    parts = [flat(child) for child in element]
    if element.tag in ("msup", "msub"):
        return f"{parts[0]}{'^' if element.tag == 'msup' else '_'}{{{parts[1]}}}"
    if element.tag == "msqrt":
        return f"√{{{''.join(parts)}}}"
    return (element.text or "").replace("\u2061", " ").replace("\u2062", " ") + "".join(parts)


def shown(text: str) -> str:
    """Marked-up text with each formula in brackets."""
    return re.sub("<math>.*?</math>", lambda m: f"⟦{flat(ET.fromstring(m[0]))}⟧", marked_up(text))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("alpha = 1: the rest", "⟦α=1⟧: the rest"),
        ("a smaller alpha_tilde needs", "a smaller ⟦α~⟧ needs"),
        ("N_T = O(T^(2/3)) queries", "⟦N_{T}=O(T^{2/3})⟧ queries"),
        ("O(T^2 (log T + T^(alpha_tilde/alpha))^2)", "⟦O(T^{2} (log T+T^{α~/α})^{2})⟧"),
        ("are O(T^2 log T log^3(T / log T))", "are ⟦O(T^{2} log T log^{3}(T/log T))⟧"),
        ("than (23), O~(sqrt(T))", "than (23), ⟦O~(√{T})⟧"),
        ("|mu - f| <= width", "⟦|μ−f|⟧ ≤ width"),
        ("(7) and |f|_k <= B", "(7) and ⟦|f|_{k}≤B⟧"),
        ("factor 5/lambda_max as", "factor ⟦5/λ_{max}⟧ as"),
        ("N_T = 15,859 at T = 1e+07", "⟦N_{T}=15,859⟧ at ⟦T=10^{7}⟧"),
        ("max(T^(-1/2), epsilon^p): an order", "⟦max(T^{−1/2},ε^{p})⟧: an order"),
        ("variance sigma^2 lag^alpha", "variance ⟦σ^{2} lag^{α}⟧"),
        ("σ² = 0.01; ceil(6 log t)", "⟦σ^{2}=0.01⟧; ⟦⌈6 log t⌉⟧"),
        ("sqrt(d^2 T^(3a~+1) log^(2(d+1)) T)", "⟦√{d^{2} T^{3 α~+1} log^{2 (d+1)} T}⟧"),
        ("N_T = T^(1-a~/a) is 1-alpha", "⟦N_{T}=T^{1−α~/α}⟧ is ⟦1−α⟧"),
        ("variance 80 (ppb)^2 on [0, 1]^2", "variance ⟦80 (ppb)^{2}⟧ on ⟦[0, 1]^{2}⟧"),
        ("width, sqrt(0.8 log 4t), of", "width, ⟦√{0.8 log 4 t}⟧, of"),
        ("from T/2 to T.", "from ⟦T/2⟧ to ⟦T⟧."),
        ("Lambda_Q/T; C_D = sqrt(2 pi) (l_q/8) e^8", "⟦Λ_{Q}/T⟧; ⟦C_{D}=√{2 π}⟧ ⟦(l_{q}/8) e^{8}⟧"),
    ],
)
def test_formulas_become_mathml(text, expected):
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "W-SparQ-GP-UCB and TV-GP-UCB: about 1.8",
        "Bukin N.6, Fig. 2a and 2d, Table 1, Lemma 2.3, (14)",
        "the T-shirt doesn't fit; Zhou & Shroff",
        "moving_bump: log in, max out",
        "12 of 40 runs, 0.5 to 1.5 (95 %)",
        "r_gp_ucb, w_sparq_gp_ucb and pi_gp_ucb were not run; pi-GP-UCB was",
    ],
)
def test_words_and_numbers_are_no_formulas(text):
    assert "<math>" not in marked_up(text)


def test_markup_in_the_text_is_escaped():
    assert marked_up("<b> & epsilon < 1").startswith("&lt;b&gt; &amp; <math>")
    assert shown("epsilon < 1") == "⟦ε<1⟧"


def test_a_negative_number_in_a_sentence_has_a_minus_sign():
    assert (
        marked_up("difference -0.5 [-1.2, 0.2], 2004-03-01, 1-2")
        == "difference −0.5 [−1.2, 0.2], 2004-03-01, 1-2"
    )
