"""The choice of a field's model: simulated panels, units, gaps, and what it refuses.

`python tests/unit/fitting/test_field_choice.py PANELS` prints how often each generating model is found.
"""

import sys

import numpy as np
import pytest

from tvgp import kernels, policies, streams
from tvgp.fitting import choose_field, left_out, shrunk_covariance
from tvgp.fitting.field_choice import field_models
from tvgp.log_scale import LogScale

SITES, ROUNDS, NOISE = 10, 160, 0.1
TIMES = {"static": (1e9, 1e9, 0.0), "one": (3.0, 3.0, 0.0), "two": (1.5, 60.0, 0.4)}


def draw(seed, mean, covariance, time, sites=SITES, rounds=ROUNDS, missing=0.1):
    """Readings of a model, (rounds, sites), and positions, (sites, 2)."""
    rng = np.random.default_rng(seed)
    x = rng.random((sites, 2))
    if covariance == "empirical":
        root = rng.normal(size=(sites, 4))
        K = root @ root.T / 4 + 0.2 * np.eye(sites)
    else:
        K = kernels.make(covariance, length_scale=0.3)(x, x) + 1e-6 * np.eye(sites)
    l_fast, l_slow, q = TIMES[time]
    y = np.sqrt(NOISE) * rng.normal(size=(rounds, sites))
    for C, length in (((1 - q) * K, l_fast), (q * (0.5 * K + 0.5 * np.diag(np.diagonal(K))), l_slow)):
        root, a = np.linalg.cholesky(C + 1e-12 * np.eye(sites)), np.exp(-1 / length)
        z = root @ rng.normal(size=sites)
        for t in range(rounds):
            y[t] += z
            z = a * z + np.sqrt(max(1 - a * a, 0.0)) * root @ rng.normal(size=sites)
    if mean == "site":
        y += 2.0 * rng.normal(size=sites)
    y[rng.random(y.shape) < missing] = np.nan
    return y, x


def found(generating, panels, **sizes):
    """Names chosen for panels of a generating model."""
    for seed in range(panels):
        y, x = draw(seed, *generating, **sizes)
        yield choose_field(y, positions=x).name


@pytest.mark.parametrize(
    ("generating", "right"),
    [
        (("common", "se", "one"), lambda mean, covariance, time: time == "one" and covariance != "empirical"),
        (("site", "se", "two"), lambda mean, covariance, time: (mean, time) == ("site", "two")),
        (("site", "empirical", "two"), lambda *name: name == ("site", "empirical", "two")),
    ],
)
def test_the_generating_model_is_chosen(generating, right):
    """In one panel; it was in 24 of 24 of each. What is not asserted is not told by 160 rounds:
    lasting differences between sites look like a slow part of their own, errors of the sites' means too, and
    the two kernels like one another."""
    (name,) = found(generating, 1)
    assert right(*name)


def test_a_choice_does_not_depend_on_units():
    """Of the values, 100 times as large and shifted, of the rounds, half as long, and of the positions."""
    y, x = draw(0, "site", "se", "two", sites=6, rounds=40)
    t = np.arange(1.0, 41.0)
    ours = choose_field(y, t, x)
    theirs = choose_field(100.0 * y + 7.0, 2.0 * t + 50, 1000.0 * x + 3.0)
    assert theirs.name == ours.name
    for name, score in ours.scores.items():
        assert theirs.scores[name] == pytest.approx(score - np.log(100.0), abs=1e-3)
    np.testing.assert_allclose(theirs.model.mean, 100.0 * ours.model.mean + 7.0)
    np.testing.assert_allclose(theirs.model.covariance, 1e4 * ours.model.covariance, rtol=0.02, atol=20)
    longer = {name: 2.0 * getattr(ours.model, name) for name in ("l_fast", "l_slow")}
    assert theirs.model.parameters() == pytest.approx(ours.model.parameters() | longer, rel=0.05)


def test_scores_are_those_of_the_blocks_left_out():
    """By the dense formula, block by block."""
    y, _ = draw(1, "common", "empirical", "one", sites=5, rounds=40, missing=0.1)
    choice = choose_field(y)
    expected = 0.0
    for quarter, sites, models in left_out(y):
        block, model = y[quarter][:, sites], models[choice.name]
        rest = np.delete(y, quarter, axis=0)[:, sites]
        assert len(block) == 10
        # its mean and covariance are those of the others
        np.testing.assert_allclose(model.mean, field_models(rest)[choice.name].mean)
        C = model.covariance + model.noise_variance * np.eye(len(model.mean))
        np.testing.assert_allclose(C, shrunk_covariance(rest - model.mean).covariance, rtol=1e-9)
        p = model.parameters()
        rows, columns = np.nonzero(np.isfinite(block))
        lags = np.abs(np.subtract.outer(rows, rows))
        own = np.where(columns[:, None] == columns, 1.0, 1.0 - p["own_share"])
        fast = (1.0 - p["slow_share"]) * np.exp(-lags / p["l_fast"])
        A = model.covariance[np.ix_(columns, columns)] * (
            fast + p["slow_share"] * own * np.exp(-lags / p["l_slow"])
        )
        A += model.noise_variance * np.eye(len(A))
        z = block[rows, columns] - model.mean[columns]
        expected -= 0.5 * (z @ np.linalg.solve(A, z) + np.linalg.slogdet(2 * np.pi * A)[1])
    assert choice.scores[choice.name] == pytest.approx(expected / np.isfinite(y).sum(), rel=1e-9)


def test_without_positions_the_covariance_is_empirical():
    y, _ = draw(0, "site", "se", "one", sites=5, rounds=60)
    choice = choose_field(y)
    assert choice.name[1] == "empirical" and len(choice.scores) == 6
    assert choice.scores[choice.name] == max(choice.scores.values())


def test_a_site_seen_in_one_block_alone_does_not_count():
    y, x = draw(0, "site", "se", "one", sites=6, rounds=40, missing=0.0)
    y[10:, 2] = np.nan
    choice = choose_field(y, positions=x)
    assert np.isfinite(list(choice.scores.values())).all() and choice.model.covariance.shape == (6, 6)


@pytest.mark.parametrize(("rounds", "first"), [(40, 40), (40, 39), (600, 520)])
def test_a_site_that_starts_late_is_as_the_others(rounds, first):
    """Without a value, with one, and with none in the rows to which scales are fitted."""
    y, x = draw(0, "site", "se", "one", sites=6, rounds=rounds, missing=0.0)
    y[:first, 2] = np.nan
    for positions, covariance in ((x, "se"), (x, "empirical"), (None, "empirical")):
        model = choose_field(y, positions=positions, among=[("site", covariance, "one")]).model
        assert np.isfinite(model.covariance).all() and np.linalg.eigvalsh(model.covariance).min() > 0
        if first >= rounds - 1:
            others = np.delete(model.covariance.diagonal(), 2)
            rounding = 1e-9 * others.max()  # where all are equal
            assert others.min() - rounding <= model.covariance[2, 2] <= others.max() + rounding


def test_field_gp_ucb_plays_under_a_chosen_model():
    """A static one too, whose scales are those of a function that does not change."""
    y, _ = draw(0, "common", "se", "static", sites=5, rounds=60)
    models = field_models(y)
    for model in models.values():
        policy = policies.make(
            "field_gp_ucb",
            arms=np.arange(5.0)[:, None],
            kernel=kernels.make("empirical", covariance=model.covariance),
            noise_variance=model.noise_variance,
            prior_mean=tuple(model.mean),
            **model.parameters(),
        )
        assert 0 <= policy.choose(1, streams.generator("choice")) < 5
    static = models["common", "empirical", "static"]
    assert np.exp(-1000 / static.l_fast) == pytest.approx(1.0, abs=1e-5) and static.slow_share == 0


@pytest.mark.parametrize("c", [0.5, -0.5])
def test_scores_on_a_log_scale_are_densities_of_the_values(c):
    """Those of the panel on that scale, and its log slope; lognormal values have larger ones on it."""
    y, x = draw(0, "site", "se", "two", sites=6, rounds=40)
    values, scale = np.sign(c) * np.exp(y), LogScale(c)
    few = [("common", "se", "static"), ("site", "se", "two"), ("site", "empirical", "one")]
    choice = choose_field(values, positions=x, scale=scale, among=few)
    same = choose_field(scale.of(values), positions=x, among=few)
    slope = np.nanmean(scale.log_slope(values))  # all 10 rounds of each block are scored
    assert choice.name == same.name and choice.model.scale == scale
    assert choice.score == pytest.approx(same.score + slope)
    np.testing.assert_array_equal(choice.model.covariance, same.model.covariance)
    assert choice.score > choose_field(values, positions=x, among=few).score


def test_quarters_left_out_are_on_the_scale_of_the_model():
    y, _ = draw(0, "site", "empirical", "one", sites=5, rounds=60, missing=0.0)
    scale = LogScale(0.3)
    for (rows, _, models), (_, _, same) in zip(
        left_out(np.exp(y), scale=scale), left_out(scale.of(np.exp(y))), strict=True
    ):
        assert rows.stop - rows.start == 15 and {each.scale for each in models.values()} == {scale}
        for name, model in models.items():
            np.testing.assert_array_equal(model.covariance, same[name].covariance)


def test_the_fullest_sites_are_left_out_of_a_large_panel():
    """At most 120, in their order."""
    y = np.random.default_rng(0).normal(size=(40, 123))
    y[:5, [4, 50, 122]] = np.nan
    expected = np.setdiff1d(np.arange(123), [4, 50, 122])
    for _, sites, models in left_out(y, among=[("common", "empirical", "static")]):
        assert np.flatnonzero(sites).tolist() == expected.tolist()
        assert {len(model.mean) for model in models.values()} == {120}


def test_fewer_candidates_are_fitted_as_among_all():
    y, x = draw(0, "site", "se", "one", sites=6, rounds=40)
    few = [("site", "empirical", "two"), ("site", "se", "static")]
    every, some = choose_field(y, positions=x), choose_field(y, positions=x, among=few)
    assert dict(some.scores) == pytest.approx({name: every.scores[name] for name in few}, rel=1e-12)
    fitted = field_models(y, positions=x)
    for name, model in field_models(y, positions=x, among=few).items():
        assert name in few
        np.testing.assert_array_equal(model.covariance, fitted[name].covariance)
    np.testing.assert_array_equal(some.model.covariance, fitted[some.name].covariance)
    with pytest.raises(ValueError, match="no candidate of"):
        choose_field(y, among=[("site", "se", "static")])


def test_positions_of_another_number_of_sites_are_refused():
    y, x = draw(0, "site", "se", "one", sites=6, rounds=80)
    with pytest.raises(ValueError, match="fit: 5 positions for 6 sites"):
        choose_field(y, positions=x[:5])
    with pytest.raises(ValueError, match="fit: all 6 sites are at one place"):
        choose_field(y, positions=np.ones((6, 2)))


if __name__ == "__main__":
    for mean in ("common", "site"):
        for covariance in ("se", "matern32", "empirical"):
            for time in TIMES:
                truth = (mean, covariance, time)
                names = list(found(truth, int(sys.argv[1])))
                print(*truth, [np.mean([n[i] == truth[i] for n in names]) for i in range(3)], flush=True)


def test_short_panels_are_fitted_or_refused_in_one_line():
    """Twenty rows are enough, also with three values of five missing."""
    for rows, seed in ((20, 0), (20, 1), (10, 2), (10, 3)):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(rows, 6))
        values[rng.random(values.shape) < 0.6] = np.nan
        if rows == 20:
            assert np.isfinite(list(choose_field(values).scores.values())).all()
            continue
        with pytest.raises(ValueError, match="fit: no two sites have 5 values outside a quarter of 10 times"):
            choose_field(values)
