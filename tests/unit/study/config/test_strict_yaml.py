"""Configuration files: values that YAML would reinterpret, and values of the wrong type."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tvgp.study.config import loading, strict_yaml, validation

ROOT = Path(__file__).resolve().parents[4]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seeds: 010", "line 2: '010' is not a plain decimal number"),
        ("seeds: 1:30", "'1:30' is not a plain"),
        ("seeds: 0x3", "'0x3' is not a plain"),
        ("seeds: 1_0", "'1_0' is not a plain"),
        ("seeds: " + "9" * 5000, "is not a plain decimal number"),
        ("a: 1.5_0", "'1.5_0' is not a finite"),
        ("a: .nan", "'.nan' is not a finite"),
        ("a: -.inf", "'-.inf' is not a finite"),
        ("a: 1e-3", "'1e-3' looks like a number but is read as text"),
        ("a: nan", "'nan' looks like a number"),
        ("scale: no", "line 2: 'no' is read as true or false"),
        ("a: 2021-01-01", "'2021-01-01' is read as a timestamp; put it in quotes"),
        ("seeds: 1\nseeds: 2", "line 3: duplicate key 'seeds'"),
        ("1: 2", "key '1' is not text"),
        ("? [a]\n: 1", "is not text"),
        ("__use_yte__: true", "would run code"),
        ("a: !!python/object/apply:os.getcwd []", "line 2: unexpected tag"),
        ("a: !!str 5", "unexpected tag"),
        ("a: &a {b: *a}", "line 2: recursive alias"),
        ("a: *b", "line 2: not YAML (undefined alias *b)"),
        ("a: &b 1\nb: &b 2", "line 3: not YAML (second anchor &b)"),
        ("a: {<<: [1, 2]}", "line 2: << in this mapping needs another"),
        ("a: <<", "'<<' is read as a merge; put it in quotes"),
        ("a: " + "[" * 90_000, "line 2: nested deeper than 30 levels"),
        ("a: [", "not YAML"),
        ("\ta: 1", "line 2: not YAML"),
        ("a: 1\n---\nb: 2", "second document in the file"),
        ("a: \0", "not YAML"),
    ],
    ids=lambda text: ascii(text)[:30],
)
def test_reinterpreted_yaml_is_refused(tmp_path, text, message):
    """Snakemake alone reads other numbers, runs code or ends in a traceback."""
    assert message in refusal(tmp_path, f"# a study\n{text}\n".encode())


def refusal(tmp_path, content) -> str:
    path = tmp_path / "overlay.yaml"
    path.write_bytes(content)
    with pytest.raises(ValueError) as error:
        strict_yaml.read(path)
    text = str(error.value)
    assert "\n" not in text and str(path) in text
    return text


@pytest.mark.parametrize("form", ["[{}]", "{{{}}}"])
def test_expanding_aliases_are_refused(tmp_path, form, monkeypatch):
    """Ten lines that expand to 9^11 values: Snakemake copies mappings one by one."""
    read, value = [], strict_yaml._Reader.value
    monkeypatch.setattr(strict_yaml._Reader, "value", lambda *given: read.append(1) or value(*given))
    lines = ["a0: &a0 [x]"]
    for n in range(1, 12):
        inner = [f"*a{n - 1}" if form[0] == "[" else f"k{i}: *a{n - 1}" for i in range(9)]
        lines.append(f"a{n}: &a{n} " + form.format(", ".join(inner)))
    assert "aliases expand to more than" in refusal(tmp_path, "\n".join(lines).encode())
    assert len(read) < 1000


@pytest.mark.parametrize("code", ["utf-16", "latin-1", "utf-32"])
def test_other_encodings_are_refused(tmp_path, code):
    text = refusal(tmp_path, "# a study\ntitle: \u00e4\n".encode(code))
    assert "not UTF-8 text" in text or "not YAML" in text


def test_files_without_a_configuration_are_refused(tmp_path):
    for content in (b"", b"null", b"- a", b"42", b"<!DOCTYPE html><html></html>"):
        assert "expected a mapping at the top level" in refusal(tmp_path, content)
    message = "file is 2.0 MB; configuration files may be at most 1 MB"
    assert message in refusal(tmp_path, b"#" * 2_000_000)


def test_equivalent_forms_read_alike(tmp_path):
    path = tmp_path / "overlay.yaml"
    for text in ("a: &x {b: 1.0e-3}\nc: {<<: *x, d: 'no'}\n", '{"a": {"b": 0.001}, "c": {}}'):
        for content in (
            text.encode(),
            text.replace("\n", "\r\n").encode(),
            text.encode("utf-8-sig"),
        ):
            path.write_bytes(content)
            assert strict_yaml.read(path)["a"] == {"b": 0.001}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("experiments.rkhs_sine.model.delta", float("nan"), "model.delta: nan is not a number"),
        ("experiments.rkhs_sine.horizon", 12.0, "12.0 is not of type"),
        ("experiments.rkhs_sine.seeds", 10**9, "greater than the maximum"),
        ("experiments.rkhs_sine.horizon", 10**30, "greater than the maximum"),
        ("experiments.rkhs_sine.environment.parameters.n_arms", "many", "n_arms: 'many' is not a"),
        ("experiments.rkhs_sine.environment.parameters.n_arms", 10**12, "not a whole number"),
        ("experiments.rkhs_sine.environment.parameters.n_arms", True, "True is not a whole"),
        ("policies.sw_gp_ucb_tuned.parameters.window", {"tune": [3, 2.5]}, "window: 2.5 is not"),
        ("policies.tv_gp_ucb.parameters", {"epsilon": "big"}, "epsilon: 'big' is not a number"),
        ("datasets.ozone.coverage", "x", "datasets.ozone.coverage: 'x' is not a number"),
        ("datasets.ozone.period", 5, "datasets.ozone.period: 5 is not a list"),
        ("datasets.berkeley_france.region", 1.5, "region: 1.5 is not text or a list"),
        ("datasets.freeway_speed.sensors", "x", "sensors: 'x' is not a whole number or null"),
        ("figures.queries.parameters", {"alfa": 1}, "queries.parameters: unknown parameter"),
        ("figures.average_regret.parameters", {"variants": "gp_ucb"}, "'gp_ucb' is not a list, each text"),
        ("figures.average_regret.parameters", {"variants": ["gp_ucb", "nope"]}, "unknown policy 'nope'"),
        ("figures.average_regret.parameters", {"band": "sd"}, "unknown parameter 'band'; known: variants"),
        ("tables.regimes_1.parameters", {"table": "one"}, "table: 'one' is not one of 1, 2"),
        ("policies.w_gp_ucb.parameters", {"gamma": 1.5}, "gamma is 1.5, expected in (0, 1]"),
        ("experiments.ozone.settings.sparq_version", "2025c", "is '2025c', expected 2025a or"),
        ("experiments.rkhs_sine.alphas", ["1", "1.0"], "'1.0' does not match"),
        ("tables.regret.parameters", {"seed": 1}, "tables.regret.parameters: unknown parameter"),
        ("datasets.intel_lab.plausible", ["a", "b"], "plausible: ['a', 'b'] is not a list"),
    ],
)
def test_values_of_the_wrong_type_are_refused(definitions, path, value, message):
    """The schema alone accepts these."""
    for key in reversed(path.split(".")):
        value = {key: value}
    config = loading.merged(definitions, value)
    with pytest.raises(ValueError) as error:
        validation.check(config, SCHEMA)
    text = str(error.value)
    assert text.startswith("config: ") and message in text and "\n" not in text


def test_an_empty_mapping_is_not_a_value(definitions):
    overlay = {"datasets": {"berkeley_france": {"period": {}}}}
    with pytest.raises(ValueError, match=r"datasets.berkeley_france.period: \{\} is not a list"):
        validation.check(loading.merged(definitions, overlay), SCHEMA)
    overlay = {"datasets": {"berkeley_france": {}}, "tuning": {"seeds": 2}}
    config = loading.merged(definitions, overlay)
    assert config["tuning"] == {"seeds": 2} and config["datasets"] == definitions["datasets"]


CODES = st.text(max_size=20) | st.from_regex("[-+0-9._eExob: ]{1,8}")
NUMBERS = st.integers(-(10**17), 10**17) | st.floats(allow_nan=False, allow_infinity=False)
PLAIN = CODES | NUMBERS | st.booleans()


UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


@UNTIMED
@given(st.dictionaries(CODES.filter(lambda key: key != "__use_yte__"), PLAIN | st.lists(PLAIN)))
@example({"exclude": ["028468", "1e-3", "0o17", "1_0", "no", "<<", "=", "nan", "\ufeff", "\x85", "~"]})
def test_written_values_are_read_back(content):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mine.yaml"
        path.write_text(strict_yaml.text(content), encoding="utf-8")
        assert strict_yaml.read(path) == content
