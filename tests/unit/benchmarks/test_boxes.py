"""Other optimisers on boxes of the study: the same rows, and those of the study for its own contenders."""

import importlib.util

import numpy as np
import pandas as pd
import pytest

from benchmarks import boxes
from tvgp.study import analyses

HAVE = [name for name, module in boxes.PEERS.items() if importlib.util.find_spec(module)]


def test_own_contenders_have_the_regret_of_the_study(tmp_path):
    path = tmp_path / "boxes.csv"
    chosen = ["--parts", "rosenbrock", "--contenders", "random", "st_learnt", *HAVE[:1]]
    boxes.main([*chosen, "--rounds", "7", "--seeds", "2", "--output", str(path)])
    rows = pd.read_csv(path).set_index("contender")
    assert set(rows.index) == {"random", "st_learnt", *HAVE[:1]} and (rows.regret >= 0).all()
    part = boxes.problems()["rosenbrock"] | {"horizon": 7, "contenders": ["random", "st_learnt"]}
    regret = analyses.run("drifting_boxes", [1, 2], **part).regret.mean(["seed", "round"])
    np.testing.assert_allclose(rows.regret[["random", "st_learnt"]], regret)
    assert (rows[["seconds", "peak_mb"]] > 0).all(axis=None)


@pytest.mark.parametrize("name", ["optuna_tpe", "cma_es"])
def test_peers_play_points_of_the_box(name):
    pytest.importorskip(boxes.PEERS[name])
    module = importlib.import_module(f"benchmarks.optimisers.{name}")
    domain, played = np.array([[0.0, 0.0], [1.0, 1.0]]), []
    for seed in (1, 1, 2):
        rng = np.random.default_rng(seed)
        player = module.make(domain, 30, rng)
        for t in range(1, 31):
            points = player.propose(t, rng, 1)
            player.observe_points(t, points, -((points - 0.7) ** 2).sum(axis=1))
            played.append(points)
    runs = np.array(played).reshape(3, 30, 2)
    assert ((runs >= 0) & (runs <= 1)).all()
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_unknown_parts_and_contenders_take_one_line(capsys):
    for arguments in (["--parts", "sphere"], ["--contenders", "tpe"]):
        with pytest.raises(SystemExit):
            boxes.main(arguments)
    assert "unknown part 'sphere'; known:" in (said := capsys.readouterr().err)
    assert "unknown contender 'tpe'; known:" in said
