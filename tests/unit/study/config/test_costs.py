"""The table of costs: sizes of jobs, limits, bad rows."""

import pytest

from tvgp.study.config import costs, jobs, reading

HEADER = "rule,name,part,seeds,rounds,seconds,megabytes\n"
TABLE = HEADER + "fit,a,-,1,100,2.0,150\nrun,a,slow,1,100,62.0,2600\nrun,a,quick,10,100,2.5,200\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text(TABLE)
    return costs.read(path)


def test_a_job_is_as_large_as_it_may_take_seconds(table):
    assert table.start == 2.0  # the cheapest job of the table: imports
    assert table.seed_seconds("run", "a", "slow", 100) == 60.0
    assert table.block_size("run", "a", "slow", 100, 120) == 2
    assert table.block_size("run", "a", "slow", 100, 1) == 1
    assert table.block_size("run", "a", "quick", 100, 120) == 2400
    assert table.block_size("run", "a", "new", 100, 120) == costs.UNKNOWN_SEEDS
    assert table.job_seconds("run", "a", "slow", 3, 100) == 182.0


def test_the_horizon_counts_and_a_longer_one_counts_double(table):
    assert table.seed_seconds("run", "a", "slow", 50) == 30.0
    assert table.seed_seconds("run", "a", "slow", 200) == 240.0
    assert table.seed_seconds("run", "a", "slow", None) == 60.0  # as long as the data


def test_limits_leave_room_and_have_a_floor(table):
    assert table.minutes("run", "a", "slow", 2, 100) == 5 + 9  # 122 s, four times, rounded up
    assert table.memory_mb("run", "a", "slow") == 3700
    assert table.memory_mb("run", "a", "quick") == costs.FLOOR_MEGABYTES
    assert table.minutes("run", "b", "slow", 2, 100) == costs.UNKNOWN_MINUTES
    assert table.memory_mb("run", "b", "slow") == costs.UNKNOWN_MEGABYTES


def test_what_jobs_wrote_becomes_the_table(tmp_path):
    for number, text in enumerate(("3.5,200", "4.5,300", "1.25,100")):
        (tmp_path / f"{number}.csv").write_text(f"seconds,megabytes\n{text}\n")
    jobs = [
        ("run", "a", "gp_ucb", 4, 50, tmp_path / "0.csv"),
        ("run", "a", "gp_ucb", 4, 50, tmp_path / "1.csv"),
        ("fit", "a", "-", 1, 50, tmp_path / "2.csv"),
    ]
    costs.write(tmp_path / "costs.csv", jobs)
    assert (tmp_path / "costs.csv").read_text() == (
        HEADER + "fit,a,-,1,50,1.25,100\nrun,a,gp_ucb,4,50,4.00,300\n"
    )
    again = costs.read(tmp_path / "costs.csv")
    assert again.rows["run", "a", "gp_ucb"] == costs.Cost(4, 50, 4.0, 300.0)


def test_a_process_knows_what_it_used(tmp_path):
    costs.write_job(tmp_path / "job.csv")
    seconds, megabytes = costs.read_job(tmp_path / "job.csv")
    assert seconds > 0 and 20 < megabytes < 20_000


@pytest.mark.parametrize(
    "row",
    ["run,a,b,1,1,x,1", "run,a,b,0,1,1,1", "run,a,b,1,1,-1,1", "run,a,b,1,1,inf,1", "run,a,b,1"],
)
def test_a_bad_row_is_one_line_naming_the_place(tmp_path, row):
    (tmp_path / "costs.csv").write_text(f"{HEADER}fit,a,-,1,1,1,1\n{row}\n")
    with pytest.raises(ValueError, match=r"costs.csv: line 3: expected four numbers"):
        costs.read(tmp_path / "costs.csv")


def test_other_columns_are_refused(tmp_path):
    (tmp_path / "costs.csv").write_text("rule,name\n")
    with pytest.raises(ValueError, match=r"costs.csv: line 1: expected the columns rule,name"):
        costs.read(tmp_path / "costs.csv")
    (tmp_path / "job.csv").write_text("hello\n")
    with pytest.raises(ValueError, match=r"job.csv: expected the cost of one job"):
        costs.read_job(tmp_path / "job.csv")


def test_blocks_are_cut_by_cost(table):
    config = {
        "seeds_per_job": None,
        "seconds_per_job": 120,
        "experiments": {"a": {"horizon": 100, "seeds": 7}},
    }
    blocks = jobs.seed_blocks(config, "a", "slow", table)
    assert blocks == [(1, 2), (3, 4), (5, 6), (7, 7)]
    assert jobs.seed_blocks(config, "a", "quick", table) == [(1, 7)]


def test_nine_in_ten_jobs_of_the_papers_scale_were_measured(project):
    """What has no row gets guessed limits; a row of something that is gone does no harm."""
    config = reading.read(project / "config")
    table = costs.read(project / "config" / "costs.csv")
    measured = list(jobs.measured_jobs(config, table))
    known = [table.job_seconds(*names, seeds, rounds) for *names, seeds, rounds, _ in measured]
    assert sum(seconds is None for seconds in known) < 0.1 * len(known)
    longest = max(seconds for seconds in known if seconds is not None)
    assert longest < 10 * config["seconds_per_job"]


def test_the_printed_configuration_does_not_know_how_work_is_cut(project):
    config = reading.read(project / "config")
    other = config | {"seeds_per_job": 7, "seconds_per_job": 1.0, "seconds_bundled": 0}
    other["analyses"] = {
        name: analysis | {"seeds_per_job": 7} for name, analysis in config["analyses"].items()
    }
    assert jobs.of_results(other) == jobs.of_results(config)
    assert jobs.of_results(config)["experiments"] == config["experiments"]
