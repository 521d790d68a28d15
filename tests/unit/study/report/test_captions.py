import re
import subprocess
import sys
from html import unescape

import example_results
import jinja2
from docutils.core import publish_parts

from tvgp.study import figures, results
from tvgp.study.report import captions


def shown(path) -> str:
    """What a reader of Snakemake's report sees: Jinja, then reStructuredText, without tags."""
    text = jinja2.Template(path.read_text()).render()
    body = publish_parts(text, writer_name="html", settings_overrides={"report_level": 5})["body"]
    return " ".join(unescape(re.sub("<[^>]*>", "", body)).split())


def test_figures_and_tables_have_captions(tmp_path):
    data = [results.read(example_results.write(tmp_path, "rkhs_sine", horizon=40, seeds=3))]
    figure = {"kind": "figures", "module": "average_regret", "parameters": {}, "across": False}
    drawn = shown(captions.write(tmp_path / "figure.rst", figure, data, "figures_rkhs_sine"))
    assert drawn.startswith(" ".join(figures.caption("average_regret", data[0]).split()))
    assert drawn.endswith("Drawn by rule figures_rkhs_sine from the results of rkhs_sine.")
    table = {"kind": "tables", "module": "coverage", "parameters": {}, "across": True}
    listed = shown(captions.write(tmp_path / "table.rst", table, data, "table_coverage"))
    assert listed.startswith("How often |mu - f| <= width x sigma holds, policy by policy. Drawn by rule")


def test_texts_from_docstrings_are_there_without_docstrings(tmp_path):
    """What Python strips under -OO is read from the source."""
    script = """
import sys
from tvgp.study.command import main
from tvgp.study.report import captions
table = {"kind": "tables", "module": "coverage", "parameters": {}, "across": True}
captions.write(sys.argv[1], table, [], "table_coverage")
main(["explain", "sw_gp_ucb"])
main(["list", "policies", "kernels"])
"""
    path = tmp_path / "table.rst"
    shown = [
        (subprocess.check_output([sys.executable, *how, "-c", script, path], text=True), path.read_text())
        for how in ([], ["-OO"])
    ]
    assert shown[0] == shown[1] and shown[1][1].startswith("How often")
