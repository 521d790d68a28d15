"""The fingerprint follows the code a rule depends on, and nothing else."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from functools import cache

import pytest

from tvgp.study.execution import answer_cache, errors, files, netcdf, provenance

MODULES = ("tvgp.study.run.build", "tvgp.policies.sw_gp_ucb", "tvgp.environments.moving_bump")


@pytest.fixture
def copy(project, tmp_path):
    """A copy of the package that can be edited."""
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(project / "src" / "tvgp", tmp_path / "tvgp", ignore=without)
    return tmp_path


@contextmanager
def _instead(copy):
    """The copy in place of the package, which nothing is known of yet."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer_cache, "_PACKAGE", copy / "tvgp")
        for name in ("fingerprint", "imported", "_tree", "_code"):
            patch.setattr(provenance, name, cache(getattr(provenance, name).__wrapped__))
        yield


def _fingerprint(copy, *modules):
    with _instead(copy):
        return provenance.fingerprint(*modules)


def _edit(copy, name, old, new):
    path = copy / "tvgp" / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_style_sheet_belongs_to_the_module_that_names_it(copy):
    before = _fingerprint(copy, "tvgp.study.figures")
    path = copy / "tvgp" / "study" / "figures" / "base" / "tvgp.mplstyle"
    path.write_text(path.read_text() + "\nlines.linewidth: 3\n")
    assert _fingerprint(copy, "tvgp.study.figures") != before
    assert _fingerprint(copy, *MODULES) == provenance.fingerprint(*MODULES)


def test_a_docstring_or_comment_changes_nothing(copy):
    _edit(copy, "policies/sw_gp_ucb.py", '"""SW-GP-UCB', '"""Another first line. SW-GP-UCB')
    path = copy / "tvgp" / "simulate.py"
    path.write_text("# a comment\n\n" + path.read_text())
    assert _fingerprint(copy, *MODULES) == provenance.fingerprint(*MODULES)


def test_an_edit_reaches_what_depends_on_it_and_nothing_else(copy):
    seen = [provenance.fingerprint(*MODULES)]
    others = ("policies/uniform.py", "environments/rkhs_sine.py", "study/report/page.py", "fitting/norm.py")
    for name in others:
        _add(copy, name)
    assert _fingerprint(copy, *MODULES) == seen[0]
    for name in (
        "policies/sw_gp_ucb.py",
        "policies/base/ucb.py",  # SW-GP-UCB is built on it
        "environments/moving_bump.py",
        "simulate.py",
        "posterior/merged/__init__.py",
    ):
        _add(copy, name)
        seen.append(_fingerprint(copy, *MODULES))
        assert seen[-1] not in seen[:-1], name


def _add(copy, name):
    path = copy / "tvgp" / name
    path.write_text(path.read_text() + "\nADDED = 1\n")


def _imported(copy, module):
    """What a module of the copy imports."""
    with _instead(copy):
        return sorted(provenance.imported(module))


def test_closure_follows_relative_imports_and_packages(copy):
    (copy / "tvgp" / "posterior" / "extra.py").write_text(
        "from . import dense\nfrom .. import kernels\nfrom .prior import Prior\n"
    )
    found = _imported(copy, "tvgp.posterior.extra")
    for name in ("tvgp.posterior.dense", "tvgp.kernels", "tvgp.posterior.prior"):
        assert name in found


def test_imports_for_type_checkers_do_not_count(copy):
    (copy / "tvgp" / "extra.py").write_text(
        "import typing\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from tvgp import kernels\nelse:\n    from tvgp import streams\n"
        "if typing.TYPE_CHECKING:\n    import tvgp.policies\n"
        "if not TYPE_CHECKING:\n    import tvgp.acquisition\n"
    )
    found = _imported(copy, "tvgp.extra")
    assert found == ["tvgp", "tvgp.acquisition", "tvgp.streams"]


@pytest.mark.parametrize("package", [True, False])
def test_a_plugin_is_fingerprinted_with_its_own_modules(tmp_path, monkeypatch, package):
    """In a package, or in a folder without __init__.py."""
    name = f"plugged_{package}".lower()
    (folder := tmp_path / name).mkdir()
    if package:
        (folder / "__init__.py").touch()
    (folder / "mine.py").write_text("from . import near\nfrom tvgp import kernels\nimport numpy\n")
    (folder / "near.py").write_text(f"from {name}.far import X\n")
    (folder / "far.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = {each for each in provenance.closure(f"{name}.mine") if not each.startswith("tvgp")}
    assert found == {f"{name}.{each}" for each in ("mine", "near", "far")} | ({name} if package else set())
    assert "tvgp.kernels" in provenance.closure(f"{name}.mine")


def test_unknown_module():
    with pytest.raises(ValueError, match="no module tvgp.nothing"):
        provenance.fingerprint("tvgp.nothing")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("file.csv, line 3: not a\nnumber"), "ERROR: file.csv, line 3: not a number\n"),
        (KeyError("norm_bound"), "ERROR: missing entry 'norm_bound'\n"),
        (FileNotFoundError(2, "No such file", "a.nc"), "ERROR: [Errno 2] No such file: 'a.nc'\n"),
    ],
)
def test_expected_errors_are_one_line(tmp_path, capsys, error, line):
    log = tmp_path / "logs" / "a.log"
    with pytest.raises(SystemExit) as stop, errors.one_line_errors(log):
        raise error
    assert stop.value.code == 1
    assert capsys.readouterr().err == line
    assert log.read_text() == line


def test_unexpected_errors_keep_their_traceback(tmp_path):
    with pytest.raises(ZeroDivisionError), errors.one_line_errors():
        raise ZeroDivisionError
    log = tmp_path / "a.log"
    with pytest.raises(ZeroDivisionError), errors.one_line_errors(log):
        raise ZeroDivisionError("nothing here")
    written = log.read_text()
    assert written.startswith("Traceback") and "ZeroDivisionError: nothing here" in written


@pytest.mark.parametrize("death", ["import os; os.abort()", "import ctypes; ctypes.string_at(0)"])
def test_a_job_ended_by_a_signal_logs_it_with_the_versions(tmp_path, death):
    log = tmp_path / "a.log"
    code = f"from tvgp.study.execution import errors\nwith errors.one_line_errors({str(log)!r}):\n    {death}"
    core = os.environ | {"OPENBLAS_CORETYPE": "Haswell"}
    assert subprocess.run([sys.executable, "-c", code], env=core, check=False).returncode < 0
    first, second, *_ = log.read_text().splitlines()
    assert first.startswith(f"Ended by a signal, with Python {platform.python_version()}, numpy ")
    assert first.endswith("OPENBLAS_CORETYPE Haswell")
    assert second in ("Fatal Python error: Aborted", "Fatal Python error: Segmentation fault")


def test_the_log_of_a_job_that_ends_well_is_empty(tmp_path):
    with errors.one_line_errors(tmp_path / "a.log"):
        pass
    assert (tmp_path / "a.log").read_text() == ""


def test_versions_name_what_numbers_depend_on():
    assert {"python", "numpy", "scipy", "blas", "processor", "tvgp"} <= set(provenance.versions())


@pytest.mark.parametrize("text", ["{bad", "[1]", "", "\udcff"])
def test_json_that_cannot_be_read_names_its_file(tmp_path, text):
    path = tmp_path / "fit.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match="fit.json: damaged, wrong digest; delete the file"):
        files.read_object(path)


@pytest.mark.parametrize(
    ("reason", "environment"),
    [
        ("git is not installed", {"PATH": ""}),
        ("not a git repository", {}),
        ("dubious ownership", {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}),
        ("git describe fails with exit code 128", {}),  # a repository without a commit
    ],
)
def test_an_unknown_commit_has_its_reason(copy, reason, environment):
    if reason not in ("git is not installed", "not a git repository"):
        subprocess.run(["git", "init", "-q", str(copy)], check=True)
    answer = subprocess.run(
        [sys.executable, "-c", "from tvgp.study.execution import provenance; print(provenance.commit())"],
        env={**os.environ, "PYTHONPATH": str(copy), "GIT_CEILING_DIRECTORIES": str(copy.parent)}
        | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == f"unknown ({reason})"


@pytest.mark.parametrize(
    ("changed", "dirty"), [(None, False), ("docs/results/README.md", False), ("tvgp/__init__.py", True)]
)
def test_pages_that_a_publication_wrote_leave_a_commit_clean(copy, changed, dirty):
    git = ["git", "-C", str(copy), "-c", "user.name=a", "-c", "user.email=a@b.example"]
    (copy / "docs" / "results").mkdir(parents=True)
    (copy / "docs" / "results" / "README.md").write_text("before\n")
    for command in (["init", "-q"], ["add", "tvgp/__init__.py", "docs"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True)
    if changed is not None:
        (copy / changed).write_text("# after\n")
    answer = subprocess.run(
        [sys.executable, "-c", "from tvgp.study.execution import provenance; print(provenance.commit())"],
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip().endswith("-dirty") == dirty and len(answer.stdout.strip()) >= 12


def test_versions_of_results_are_those_of_their_blocks():
    blocks = [
        {"commit": "b", "fingerprint": "f", "versions": '{"numpy": "1.26", "scipy": "1.14"}'},
        {"commit": "a", "fingerprint": "f", "versions": '{"numpy": "2.0", "scipy": "1.14"}'},
    ]
    merged = provenance.merged(blocks)
    assert merged["commit"] == ["a", "b"] and merged["fingerprint"] == ["f"]
    commit, versions = provenance.described([json.dumps(merged)] * 2)
    assert commit == "a, b" and versions == {"numpy": "1.26, 2.0", "scipy": "1.14"}


def test_a_recipe_covers_job_code_and_inputs():
    inner = provenance.recipe({"a": 1}, "code")
    digests = [
        provenance.recipe(job, code, *inputs)["recipe"]
        for job, code, inputs in (
            ({"b": 2}, "code", [inner]),
            ({"b": 3}, "code", [inner]),
            ({"b": 2}, "other", [inner]),
            ({"b": 2}, "code", []),
            ({"b": 2}, "code", [provenance.recipe({"a": 2}, "code")]),
        )
    ]
    assert len(set(digests)) == len(digests)
    assert provenance.recipe({"b": 2}, "code", inner)["recipe"] == digests[0]


def test_files_of_another_recipe_are_refused(tmp_path):
    json_file, netcdf_file = tmp_path / "a.json", tmp_path / "a.nc"
    files.write_object(json_file, {"recipe": "0123"})
    with netcdf.writing(netcdf_file) as file:
        file.recipe = "0123"
    provenance.require({str(json_file): "0123", str(netcdf_file): "0123"})
    for path in (json_file, netcdf_file):
        with pytest.raises(ValueError, match=f"{path}: made by another configuration or other code; delete"):
            provenance.require({str(path): "4567"})
    files.write_object(json_file, {})
    with netcdf.writing(netcdf_file):
        pass
    for path in (json_file, netcdf_file):
        with pytest.raises(ValueError, match="made by another configuration"):
            provenance.require({str(path): "0123"})
        path.write_bytes(path.read_bytes()[:1])
        with pytest.raises(ValueError, match=f"{path}: damaged, wrong digest; delete the file and run"):
            provenance.require({str(path): "0123"})


def test_a_record_ties_products_to_recipe_and_inputs(tmp_path):
    source, product = tmp_path / "collected" / "a.nc", tmp_path / "figures" / "a.png"
    record = tmp_path / "records" / "a.json"
    files.write_text(source, "numbers")
    files.write_text(product, "image")
    made = provenance.recipe({"a": 1}, "code")
    provenance.record(record, made, [source], [product])
    expected = {str(record): made["recipe"]}
    provenance.require(expected)
    moved = tmp_path.rename(tmp_path.with_name("moved"))  # names are relative
    provenance.require({str(moved / "records" / "a.json"): made["recipe"]})
    moved.rename(tmp_path)
    with pytest.raises(ValueError, match=f"{record}: made by another configuration or other code; delete it"):
        provenance.require({str(record): "4567"})
    files.write_text(source, "other numbers")
    with pytest.raises(ValueError, match=f"{record}: made from another {source}; delete it"):
        provenance.require(expected)
    files.write_text(source, "numbers")
    files.write_text(product, "another image")
    with pytest.raises(ValueError, match=f"{product}: damaged or replaced; delete it"):
        provenance.require(expected)
    product.unlink()
    with pytest.raises(ValueError, match=f"{product}: no such file"):
        provenance.require(expected)


def test_a_users_own_files_do_not_belong_to_the_study(tmp_path):
    for name in ("results/notes.json", "results/mine/a.nc", "results/check.json", "results/runs/a/b.nc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = provenance.sealed(tmp_path / "results", tmp_path / "resources")
    assert found == [f"{tmp_path}/results/check.json", f"{tmp_path}/results/runs/a/b.nc"]
    assert list(provenance.damaged(found)) == found


def test_every_folder_with_records_of_the_rules_is_verified(project):
    rules = "".join(path.read_text() for path in (project / "workflow" / "rules").glob("*.smk"))
    folder = r"(?:<results>|\{results\}|\{config\['results'\]\})"
    written = set(re.findall(rf"{folder}/(\w+)/[^\"]*\.(?:json|nc)\"", rules))
    assert {"checks", "collected", "fits", "live"} <= written <= set(provenance.FOLDERS)
