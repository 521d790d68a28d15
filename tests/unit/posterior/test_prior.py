"""The shared prior: independent of the caller's arrays, and safe to share between threads."""

import pickle
import sys
import threading

import numpy as np
import pytest

from tvgp import kernels, policies, streams
from tvgp.posterior import InducingPoints, Prior
from tvgp.posterior import prior as prior_module

KERNEL = kernels.make("se", variance=1.0, length_scale=2.0)


def test_changing_the_callers_arms_leaves_the_prior_unchanged():
    arms = np.linspace(-5, 5, 40)[:, None]
    first = policies.make("gp_ucb", arms=arms, kernel=KERNEL, noise_variance=0.01)
    first.observe(1, 3, 1.0)
    arms *= 5
    second = policies.make("gp_ucb", arms=arms, kernel=KERNEL, noise_variance=0.01)
    second.observe(1, 3, 1.0)
    for policy, points in ((first, arms / 5), (second, arms)):
        covariance = KERNEL(points, points[3:4])[:, 0]
        np.testing.assert_allclose(policy.posterior(2)[0], covariance / 1.01, atol=1e-12)


def test_changing_inducing_points_leaves_the_posterior_unchanged():
    Z, X = np.linspace(0, 9, 5)[:, None], np.array([[1.0]])
    points = InducingPoints(KERNEL, Z)
    before = points.whiten(X)
    Z *= 5
    np.testing.assert_array_equal(points.whiten(X), before)


def test_arrays_of_a_prior_are_read_only():
    prior = Prior(np.linspace(-5, 5, 40)[:, None], KERNEL)
    for array in (prior.arms, prior.diagonal, prior.gram, prior.factor(40)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7.0


@pytest.mark.parametrize(
    ("arms", "message"),
    [
        (np.ma.array(np.arange(3.0)[:, None], mask=[[0], [1], [0]]), "are masked or not finite"),
        (np.arange(3.0)[:, None] * 1j, "expected numbers"),
        (np.arange(3).astype("datetime64[D]")[:, None], "expected numbers"),
        (np.arange(3).astype("timedelta64[h]")[:, None], "expected numbers"),
    ],
)
def test_arms_that_are_no_numbers_are_refused(arms, message):
    Prior.of(np.arange(3.0)[:, None], KERNEL)  # a shared one of equal numbers is no way in
    with pytest.raises(ValueError, match=message):
        Prior.of(arms, KERNEL)


def test_a_prior_can_be_pickled():
    prior = Prior(np.linspace(-5, 5, 40)[:, None], KERNEL)
    factor = prior.factor(40)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(prior)).factor(40), factor)


def _factors_of_four_threads(arms, limits):
    """What four threads get that ask one prior for its factor at the same time."""
    prior, start, results = Prior(arms, KERNEL), threading.Barrier(len(limits)), {}

    def ask(i):
        start.wait()
        results[i] = prior.factor(limits[i])

    _in_threads(ask, len(limits))
    return results


def _in_threads(target, count):
    errors = []

    def guarded(i):
        try:
            target(i)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors, errors[0]


def test_threads_get_the_same_factor():
    for seed in range(20):
        arms = np.random.default_rng(seed).uniform(-30, 30, (200, 1))
        expected = Prior(arms, KERNEL).factor(200)
        found = _factors_of_four_threads(arms, [200, 200, 20, 200])
        assert found[2] is None
        for i in (0, 1, 3):
            np.testing.assert_array_equal(found[i], expected)


def test_policies_in_threads_play_the_same_arms_as_alone():
    names = ("gp_ucb", "tv_gp_ucb", "sparq_gp_ucb", "w_sparq_gp_ucb")

    def play(name, arms):
        policy = policies.make(name, arms=arms, kernel=KERNEL, noise_variance=0.01, horizon=400)
        rng, noise = streams.generator("threads", name), streams.generator("threads", "noise")
        f, played = np.sin(arms[:, 0]), []
        for t in range(1, 13):
            arm = policy.choose(t, rng)
            policy.observe(t, arm, f[arm] + 0.1 * noise.standard_normal())
            asked = policy.expert_queries(t, rng)
            if len(asked):
                policy.observe_expert(t, asked, f[asked])
            played.append(arm)
        return played

    for seed in range(8):
        arms = np.random.default_rng(seed).uniform(-30, 30, (150, 1))
        Prior._recent = []
        alone = [play(name, arms) for name in names]
        Prior._recent, together, start = [], {}, threading.Barrier(len(names))

        def run(i, arms=arms, together=together, start=start):
            start.wait()
            together[i] = play(names[i], arms)

        _in_threads(run, len(names))
        assert [together[i] for i in range(len(names))] == alone


def test_threads_sharing_a_noise_field_get_their_own_round():
    n_arms = 1 << 15  # two rounds per slab
    expected = [streams.NoiseField(n_arms, "shared").at(t)[:3] for t in range(1, 9)]
    field = streams.NoiseField(n_arms, "shared")

    def read(i):
        for t in [1 + 2 * i, 8 - 2 * i] * 100:
            np.testing.assert_array_equal(field.at(t)[:3], expected[t - 1])

    _in_threads(read, 4)


@pytest.mark.parametrize("n_arms", [300, 700])
@pytest.mark.parametrize("kept", [None, 100 * 700])
def test_rows_are_right_in_any_order_and_thread(n_arms, kept, monkeypatch):
    """Kept or not, while another thread computes the whole matrix."""
    if kept is not None:
        monkeypatch.setattr(prior_module, "_KEPT", kept)
    arms = np.random.default_rng(n_arms).random((n_arms, 2))
    expected = KERNEL(arms, arms)
    for _ in range(10):
        prior = Prior(arms, KERNEL)

        def ask(i, prior=prior):
            rng = np.random.default_rng(i)
            for step in range(40):
                if (i, step) == (0, 5):
                    np.testing.assert_array_equal(prior.gram, expected)
                index = rng.integers(n_arms, size=9)
                out = np.empty((9, n_arms))
                assert prior.rows(index, out=out) is out and np.array_equal(out, expected[index])
                assert np.array_equal(prior.rows(int(index[0])), expected[index[0]])

        _in_threads(ask, 4)
