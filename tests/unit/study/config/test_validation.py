"""Every fault of a configuration is one clear line, before any job."""

from pathlib import Path

import pytest

from tvgp import policies
from tvgp.study.config import jobs, loading, strict_yaml, validation


@pytest.fixture(scope="module")
def schema(project):
    return project / "workflow" / "schemas" / "config.schema.yaml"


@pytest.fixture(scope="module")
def default(project):
    return loading.read(project / "config")


CONFIGURATION = Path(__file__).parents[4] / "config"


@pytest.mark.parametrize("overlay", loading.overlays(CONFIGURATION), ids=lambda path: path.stem)
def test_our_own_configurations_are_valid(schema, default, overlay):
    validation.check(loading.overlaid(default, [overlay], {}), schema)


@pytest.mark.parametrize(
    ("overlay", "message"),
    [
        (
            {"selection": {"policies": ["gp_ucb", "w_dbo"], "experiments": ["ozone_nc_2020"]}},
            "selection.policies: w_dbo takes part in no selected experiment; add it to the key policies",
        ),
        (
            {"experiments": {"moving_bump": {"model": {"prior_mean": "sites"}}}},
            "moving_bump.model.prior_mean: sites needs a dataset; expected a number or fit",
        ),
        ({"selection": {"policies": ["gp_ucbx"]}}, "unknown name in policies: 'gp_ucbx'; known:"),
        ({"selection": {"experiments": ["moon"]}}, "unknown name in experiments: 'moon'"),
        ({"selection": {"experiments": [], "analyses": []}}, "selection: selects nothing"),
        (
            {"selection": {"analyses": ["ageing_million"]}, "leave_out": {"analyses": ["ageing_million"]}},
            "selection.analyses: ageing_million is left out by leave_out.analyses; take it out of one",
        ),
        ({"sedes_per_job": 3}, "unknown key 'sedes_per_job'"),
        ({"experiments": {"moving_bump": {"sedes": 3}}}, "experiments.moving_bump: unknown key"),
        (
            {"policies": {"mine": {"algorithm": "gp_ucb", "labl": "x"}}},
            "mine: unknown key 'labl'; known: alg",
        ),
        (
            {"policies": {"gp_ucb": {"look": "gp_ubc"}}},
            "policies.gp_ucb.look: unknown policy with a look of its own: 'gp_ubc'; known: .*gp_ucb",
        ),
        (
            {"policies": {"w_gp_ucb": {"look": "gp_log"}}},  # which has that of gp_ucb
            "policies.w_gp_ucb.look: unknown policy with a look of its own: 'gp_log'",
        ),
        ({"policies": {"gp_ucb": {"look": {"colour": "blu"}}}}, "look: unknown colour 'blu'; known: .*blue"),
        ({"policies": {"gp_ucb": {"look": {"colour": "#12345"}}}}, "unknown colour '#12345'"),
        (
            {"policies": {"gp_ucb": {"look": {"line": "--"}}}},
            "unknown line '--'; known: dash-dot, dash-dot-dot",
        ),
        ({"policies": {"gp_ucb": {"look": {"marker": "oo"}}}}, "unknown marker 'oo'; known: "),
        ({"policies": {"gp_ucb": {"look": {"fill": True}}}}, "look: unknown key 'fill'; known: colour, line"),
        ({"policies": {"gp_ucb": {"look": {"width": 0}}}}, "look.width: 0 is less than or equal to"),
        ({"policies": {"gp_ucb": {"look": 3}}}, "policies.gp_ucb.look: 3 is not of type 'string'"),
        ({"seeds_per_job": 2.5}, "seeds_per_job: 2.5 is not of type 'integer' .*a whole"),
        ({"seeds_per_job": "4"}, "seeds_per_job: '4' is not of type 'integer'"),
        ({"seeds_per_job": 0}, "seeds_per_job: 0 is less than the minimum of 1"),
        ({"experiments": {"moving_bump": {"alphas": ["one"]}}}, "alphas.0: 'one' does not match"),
        ({"experiments": {"moving_bump": {"alphas": [1]}}}, "alphas.0: 1 is not of type 'string'"),
        ({"experiments": {"moving_bump": {"alphas": ["1/../2"]}}}, "alphas.0: '1/../2'"),
        ({"experiments": {"moving_bump": {"alphas": ["nan"]}}}, "alphas.0: 'nan'"),
        ({"experiments": {"intel_lab": {"alphas": ["fit"]}}}, 'intel_lab.alphas: "fit" needs a fit'),
        ({"experiments": {"moving_bump": {"seeds": -1}}}, "seeds: -1 is less than the minimum"),
        ({"experiments": {"moving_bump": {"horizon": None}}}, "needs a number of rounds"),
        (
            {"experiments": {"moving_bump": {"dataset": "ozone"}}},
            "moving_bump: give either an environment or a dataset",
        ),
        (
            {"experiments": {"ozone": {"dataset": "radon"}}},
            "experiments.ozone: unknown dataset 'radon'; known: berkeley_france, france_departments, ",
        ),
        (
            {"policies": {"field_gp_ucb": {"experiments": ["ozone", "moving_bump"]}}},
            "field_gp_ucb.model: field is fitted to a dataset, and experiment moving_bump has none",
        ),
        (
            {"policies": {"chosen_gp_ucb": {"experiments": ["ozone", "moving_bump"]}}},
            "chosen_gp_ucb.model: chosen is fitted to a dataset, and experiment moving_bump has none",
        ),
        (
            {"policies": {"chosen_gp_ucb": {"model": "best"}}},
            "chosen_gp_ucb.model: 'best' is not one of",
        ),
        (
            {"policies": {"field_reads_1": {"queries": "befor"}}},
            "field_reads_1.queries: 'befor' is not one of",
        ),
        (
            {"analyses": {"ageing_moments": {"parts": {"pandora": {"queries": "befor"}}}}},
            "ageing_moments.*queries: 'befor' is not one of before, after, both",
        ),
        (
            {"datasets": {"berkeley_france": {"extract_as": {"degree": 2}}}},
            "datasets.berkeley_france.extract_as: unknown key 'degree'; known: base, coverage, degrees",
        ),
        (
            {"datasets": {"berkeley_france": {"extract_as": {"loader": "radon"}}}},
            "datasets.berkeley_france.extract_as: unknown loader 'radon'; known: berkeley_earth",
        ),
        (
            {"datasets": {"berkeley_france": {"extract_as": {"degrees": "1"}}}},
            "datasets.berkeley_france.extract_as.degrees: '1' is not",
        ),
        (
            {"experiments": {"moving_bump": {"environment": {"parameters": {"n_arm": 3}}}}},
            "unknown parameter 'n_arm'; known: .*n_arms",
        ),
        (
            {"experiments": {"moving_bump": {"model": {"kernel": "sex"}}}},
            "unknown kernel 'sex'; known: matern12",
        ),
        (
            {"experiments": {"moving_bump": {"model": {"kernel": "periodic"}}}},
            "model: kernel 'periodic' cannot be used here; expected one of: matern12",
        ),
        (
            {"experiments": {"moving_bump": {"model": {"variance": "guess"}}}},
            "model.variance: 'fit' was expected",
        ),
        (
            {"policies": {"gp_ucb": {"algorithm": "gp_ucv"}}},
            "policies.gp_ucb: unknown algorithm 'gp_ucv'; known: ",
        ),
        (
            {"policies": {"gp_ucb": {"parameters": {"window": 3}}}},
            "policies.gp_ucb.parameters: unknown parameter 'window'; known: ",
        ),
        (
            {"policies": {"gp_ucb": {"parameters": {"delta": {"from": "fit", "key": "dleta"}}}}},
            "unknown key 'dleta'; known: alpha",
        ),
        (
            {"policies": {"gp_ucb": {"parameters": {"c1": {"from": "experiment", "key": "c"}}}}},
            "unknown key 'c' among the settings of experiment moving_bump",
        ),
        (
            {"policies": {"gp_ucb": {"parameters": {"c1": {"tune": [1]}}}}},
            r"\[1\] is too short",
        ),
        (
            {"policies": {"gp_ucb": {"parameters": {k: {"tune": [1, 2]} for k in ("c1", "c2")}}}},
            "only one parameter can be tuned",
        ),
        ({"policies": {"../evil": {}}}, "'../evil' is not a name"),
        ({"policies": {"a b": {}}}, "'a b' is not a name"),
        ({"policies": {"gp_ucb": {"group": "best"}}}, "group: 'best' is not one of"),
        ({"results": "/tmp/elsewhere"}, "results: '/tmp/elsewhere' does not match"),
        ({"results": "results/../../x"}, "results: 'results/../../x' does not match"),
        ({"data": "maybe"}, "data: 'maybe' is not one of"),
        ({"datasets": {"ozone": {"state_name": "NY"}}}, "datasets.ozone: unknown key 'state_name'"),
        ({"datasets": {"ozone": {"url": "file:///etc/passwd"}}}, "datasets.ozone.url"),
        ({"tables": {"timing": {"module": "regret"}}}, "tables.timing: the study writes a file or folder"),
        ({"tables": {"timing": {"module": "regret"}}}, "tables.timing: the study writes a file or folder"),
        ({"figures": {"no_such": {}}}, "figures.no_such: unknown module 'no_such'; known: "),
        ({"tables": {"regret": {"experiments": ["x"]}}}, "tables.regret: unknown experiment 'x'"),
        (
            {"tables": {"regimes": {"over": "all"}}},
            "tables.regimes.parameters: parameter table is missing",
        ),
        ({"tables": {"regimes_1": {"parameters": {"table": 3}}}}, "table: 3 is not one of 1, 2"),
        (
            {"analyses": {"x": {"module": "ageing", "parts": {"a": {}}, "title": "x", "seeds": 1}}},
            "analyses.x.parts.a: parameter [a-z_]+ is missing",
        ),
        (
            {"analyses": {"causes": {"parts": {"ozone": {"dataset": "radon"}}}}},
            "analyses.causes.parts: unknown dataset 'radon'; known: ",
        ),
        (
            {"analyses": {"moment_of_queries": {"parts": {"draws": {"problem": "drawz"}}}}},
            "analyses.moment_of_queries.parts.draws: problem is 'drawz', expected rkhs_sine, ",
        ),
        (
            {"analyses": {"ageing_moments": {"parts": {"pandora": {"method": "pandor"}}}}},
            "analyses.ageing_moments.parts.pandora: ageing: no method 'pandor'; known: ",
        ),
        (
            {"analyses": {"causes": {"parts": {"x": {}}}}},
            "analyses.causes.parts.x: parameter dataset is missing",
        ),
        (
            {"experiments": {"moving_bump": {"environment": {"name": "field"}}}},
            "unknown environment 'field'; known: ",
        ),
        (
            {"experiments": {"markov_se_e001": {"environment": {"parameters": {"horizon": 5}}}}},
            "environment.parameters.horizon: 5, but [0-9]+ rounds are played",
        ),
        (
            {
                "experiments": {
                    "janz_d1": {
                        "model": {"variance": "fit"},
                        "training": {"queries": 40, "starts": 1},
                    },
                },
            },
            "norm_bound: exact requires a model without training",
        ),
        (
            {
                "experiments": {"moving_bump": {"settings": {"sub_gaussian": 7}}},
                "policies": {
                    "tv_known": {
                        "parameters": {"epsilon": {"from": "experiment", "key": "sub_gaussian"}},
                        "experiments": ["moving_bump"],
                    },
                },
            },
            "settings of moving_bump: policy parameter epsilon is 7, expected",
        ),
        (
            {"experiments": {"moving_bump": {"settings": {"testday": 2}}}},
            "moving_bump.settings: unknown key 'testday'; known: test_day, first_arms, .*sub_gaussian",
        ),
        (
            {"experiments": {"freeway_day_1": {"settings": {"test_day": "2"}}}},
            "settings.test_day: '2' is not of type 'integer'",
        ),
        (
            {"experiments": {"freeway_day_1": {"settings": {"test_day": 0}}}},
            "settings.test_day: 0 is less than the minimum of 1",
        ),
        (
            {"experiments": {"intel_lab": {"settings": {"first_arms": "yes"}}}},
            "settings.first_arms: 'yes' is not of type 'boolean'",
        ),
        (
            {
                "experiments": {"intel_lab": {"policies": ["sw_gp_ucb_tuned"]}},
                "selection": {"experiments": ["intel_lab"]},
            },
            "sw_gp_ucb_tuned: with the empirical kernel of experiment intel_lab only R-GP-UCB's",
        ),
        (
            {"experiments": {"rkhs_sine": {"alphas": ["1", "0"]}}},
            "policies.[a-z_]+, in experiment rkhs_sine, alpha 0: policy parameter alpha is 0.0",
        ),
        (
            {
                "experiments": {"intel_lab_sensor_means": {"policies": ["pi"]}},
                "policies": {"pi": {"algorithm": "pi_gp_ucb", "label": "PI", "group": "control"}},
            },
            "policies.pi, in experiment intel_lab_sensor_means, alpha 1: policy pi_gp_ucb: prior_mean",
        ),
    ],
)
def test_faults_are_one_line(schema, default, overlay, message):
    with pytest.raises(ValueError, match=message) as fault:
        validation.check(loading.merged(default, overlay), schema)
    text = str(fault.value)
    assert text.startswith("config: ") and "\n" not in text and len(text) < 450


def test_an_experiment_cannot_have_the_name_of_a_folder(schema, default):
    config = loading.merged(default, {"experiments": {"across": default["experiments"]["moving_bump"]}})
    with pytest.raises(
        ValueError, match="experiments.across: the study writes a file or folder of that name"
    ):
        validation.check(config, schema)


def _leaves(schema: dict, path: str = ""):
    for name, part in schema.get("properties", {}).items():
        yield f"{path}.{name}", part
        yield from _leaves(part, f"{path}.{name}")


def test_the_schema_describes_every_key_and_closes_every_object(schema):
    content = strict_yaml.read(schema)
    assert content["$schema"].endswith("2020-12/schema")
    parts = [("", content), *content["$defs"].items()]
    for where, part in [leaf for path, top in parts for leaf in _leaves(top, path)]:
        if "$ref" not in part:
            assert part.get("description"), where
            assert part.get("unit"), where
    for where, part in [*parts, *(leaf for path, top in parts for leaf in _leaves(top, path))]:
        if part.get("type") == "object" and where != "dataset":  # its loader adds keys
            assert "additionalProperties" in part, where


def test_an_own_policy_that_nothing_plays_is_refused(default):
    own = {"policies": {"mine": default["policies"]["gp_ucb"] | {"look": "gp_ucb"}}}
    chosen = {"experiments": ["static_draw"]}  # which lists its policies
    config = loading.merged(default, own | {"selection": chosen})
    with pytest.raises(ValueError, match="^config: policies.mine: no selected experiment plays it; add it"):
        validation.refuse_unplayed(config, default["policies"])
    validation.refuse_unplayed(config | {"selection": {"experiments": ["ozone"]}}, default["policies"])
    listed = [*default["experiments"]["static_draw"]["policies"], "mine"]
    config["experiments"]["static_draw"] = config["experiments"]["static_draw"] | {"policies": listed}
    validation.refuse_unplayed(config, default["policies"])
    with pytest.raises(ValueError, match="policies.mine"):
        validation.refuse_unplayed(
            config | {"selection": chosen | {"policies": ["gp_ucb"]}}, default["policies"]
        )


def test_entries_that_no_selection_uses_are_named_in_one_line(default):
    whole = {key: list(default[key]) for key in ("experiments", "analyses", "figures", "tables")}
    assert validation.unused(default, [whole]) is None
    config = loading.merged(
        default,
        {
            "policies": {"gp_ucb": {"experiments": []}},
            "datasets": {"tides": default["datasets"]["ozone"]},
            "figures": {"bare": {"experiments": []}},
        },
    )
    line = validation.unused(config, [whole | {"figures": [*whole["figures"], "bare"]}])
    assert line.endswith("no selection uses them: policies.gp_ucb, datasets.tides, figures.bare")
    part = whole | {"experiments": ["moving_bump"]}
    assert "experiments.ozone, " in validation.unused(default, [part])
    assert validation.unused(default, [part, whole]) is None


@pytest.mark.parametrize("kind", ["experiments", "analyses", "policies", "figures", "tables"])
def test_what_another_overlay_defines_itself_stops_no_study(default, kind):
    """config/mine.yaml with a figure of its own must not break `tvgp run quick`."""
    whole = default["selection"]
    other = whole | {kind: ["of_another_overlay"]}
    assert validation.unused(default, [whole, other]) == validation.unused(default, [whole])


def test_datasets_of_analyses_are_used(default):
    """Each once, where the analysis is selected."""
    chosen = default | {"selection": {"experiments": ["ozone"], "analyses": ["causes"]}}
    played = [part["dataset"] for part in default["analyses"]["causes"]["parts"].values()]
    assert jobs.used_datasets(chosen) == ["ozone", *(name for name in played if name != "ozone")]
    assert jobs.used_datasets(chosen | {"selection": {"experiments": ["ozone"], "analyses": []}}) == ["ozone"]


def test_blocks_cover_all_seeds_once(default):
    for size in (1, 3, 7, 40, 100):
        config = default | {"seeds_per_job": size}
        blocks = jobs.seed_blocks(config, "moving_bump")
        assert max(last - first + 1 for first, last in blocks) <= size
        seeds = [seed for first, last in blocks for seed in range(first, last + 1)]
        assert seeds == list(range(1, 41))
    long = loading.merged(default, {"experiments": {"moving_bump": {"seeds_per_job": 30}}})
    assert jobs.seed_blocks(long, "moving_bump") == [(1, 30), (31, 40)]


def test_the_printed_configuration_does_not_know_how_work_is_cut(default):
    other = default | {"seeds_per_job": 7}
    for kind in ("experiments", "analyses"):
        other[kind] = {name: entry | {"seeds_per_job": 7} for name, entry in default[kind].items()}
    assert jobs.of_results(other) == jobs.of_results(default)
    assert jobs.of_results(default)["policies"] == default["policies"]


def test_a_job_holds_what_its_numbers_depend_on_and_nothing_else(default):
    job = jobs.run_job(default, "moving_bump", "gp_ucb", "1")
    for change in (
        {"experiments": {"moving_bump": {"title": "x", "seeds": 2}}},
        {"policies": {"gp_ucb": {"label": "y"}, "uniform": {"label": "z"}}},
        {"seeds_per_job": 1, "results": "elsewhere"},
    ):
        assert jobs.run_job(loading.merged(default, change), "moving_bump", "gp_ucb", "1") == job
    changed = loading.merged(default, {"experiments": {"moving_bump": {"horizon": 50}}})
    assert jobs.run_job(changed, "moving_bump", "gp_ucb", "1") != job


def test_the_published_methods_and_controls_are_defined(default):
    assert {
        "gp_ucb",
        "r_gp_ucb",
        "sw_gp_ucb",
        "tv_gp_ucb",
        "w_gp_ucb",
        "sparq_gp_ucb",
        "w_sparq_gp_ucb",
    } <= set(jobs.variants(default, "rkhs_sine"))
    assert "yesterdays_best" not in jobs.variants(default, "rkhs_sine")
    assert "yesterdays_best" in jobs.variants(default, "berkeley_france")
    used = {variant["algorithm"] for variant in default["policies"].values()}
    assert used <= set(policies.names())
