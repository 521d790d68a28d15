"""Answers remembered between processes: by question and code, and never from a damaged file."""

import pytest

from tvgp.study.execution import answer_cache


@pytest.fixture
def ask(tmp_path):
    """A function that asks as a process of its own would; the answer."""

    def asked(question, answer):
        answer_cache.use(tmp_path)
        try:
            return answer_cache.remembered(question, answer)
        finally:
            answer_cache.keep()

    return asked


def unasked():
    """An answer that is not to be worked out."""
    raise AssertionError("worked out again")


def test_the_same_question_is_answered_once(ask):
    assert ask("a", lambda: "1") == "1"
    assert ask("a", unasked) == "1"
    assert ask("b", lambda: "2") == "2"
    assert (ask("a", unasked), ask("b", unasked)) == ("1", "2")


def test_other_code_has_other_answers(ask, monkeypatch):
    ask("a", lambda: "1")
    monkeypatch.setattr(answer_cache, "_code", lambda: "other")
    assert ask("a", lambda: "2") == "2"


def test_an_edit_of_a_file_is_other_code(ask, tmp_path, monkeypatch):
    (package := tmp_path / "package").mkdir()
    monkeypatch.setattr(answer_cache, "_PACKAGE", package)
    ask("a", lambda: "0")
    for name, text in (("a.py", "1"), ("a.py", "2"), ("a.mplstyle", "2"), ("b.py", "")):
        (package / name).write_text(text)
        assert ask("a", lambda name=name, text=text: name + text) == name + text
        assert ask("a", unasked) == name + text


@pytest.mark.parametrize("name", ["plugged_code.py", "plugged_code/mine.py"])
def test_an_edit_of_a_plugin_is_other_code(ask, tmp_path, monkeypatch, name):
    """As of one that is installed to be edited, where nothing is installed after an edit."""
    info, path = tmp_path / "site" / "plugged-1.dist-info", tmp_path / "site" / name
    for folder in (info, path.parent):
        folder.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text("Name: plugged\nVersion: 1\n")
    module = name.removesuffix(".py").replace("/", ".")
    (info / "entry_points.txt").write_text(f"[tvgp.policies]\nmine = {module}\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    for text in ("1", "2"):
        path.write_text(text)
        assert ask("a", lambda text=text: text) == text
        assert ask("a", unasked) == text


def test_what_python_and_numba_compile_is_no_edit(ask, tmp_path, monkeypatch):
    (compiled := tmp_path / "package" / "__pycache__").mkdir(parents=True)
    monkeypatch.setattr(answer_cache, "_PACKAGE", compiled.parent)
    ask("a", lambda: "1")
    for name in ("a.cpython-311.pyc", "a.f-28.py311.nbi", "a.f-28.py311.1.nbc"):
        (compiled / name).touch()
    assert ask("a", unasked) == "1"


def test_an_edit_while_the_answer_is_worked_out_keeps_nothing(ask, monkeypatch):
    codes = iter(("old", "new"))
    with monkeypatch.context() as edited:
        edited.setattr(answer_cache, "_code", lambda: next(codes))
        assert ask("a", lambda: "1") == "1"
    assert ask("a", lambda: "2") == "2"


def test_errors_are_raised_each_time(ask):
    for _ in range(2):
        with pytest.raises(AssertionError, match="worked out again"):
            ask("a", unasked)
    assert ask("a", lambda: "1") == "1"


def test_answers_are_kept_where_they_were_looked_up(tmp_path, monkeypatch):
    """Snakemake works in its --directory, and has left it when it ends."""
    (elsewhere := tmp_path / "elsewhere").mkdir()
    for answer in (lambda: "1", unasked):
        monkeypatch.chdir(tmp_path)
        answer_cache.use(".")
        assert answer_cache.remembered("a", answer) == "1"
        monkeypatch.chdir(elsewhere)
        answer_cache.keep()


@pytest.mark.parametrize("damage", ["", "{", '{"code": 1}'])
def test_a_damaged_file_is_left_aside(ask, tmp_path, damage):
    ask("a", lambda: "1")
    (tmp_path / "tvgp.json").write_text(damage)
    assert ask("a", lambda: "2") == "2"
    assert ask("a", unasked) == "2"


def test_unless_it_is_used_nothing_is_remembered():
    assert answer_cache.remembered("a", lambda: "1") == "1"
    assert answer_cache.remembered("a", lambda: "2") == "2"
