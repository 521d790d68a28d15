"""The examples run as their texts say."""

import importlib.util
import json
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Client:
    def __init__(self, path):
        self.server = load("live_service").serve(path, 0)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __call__(self, action, **request):
        url = f"http://localhost:{self.server.server_port}/{action}"
        with urllib.request.urlopen(url, json.dumps(request).encode()) as reply:
            return json.loads(reply.read())

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def test_the_service_goes_on_after_a_restart(tmp_path):
    path, other = tmp_path / "state.json", tmp_path / "other.json"
    client = Client(path)
    arms = client("ask", t=1, size=2)["arms"]
    client("tell", t=1, arms=arms, rewards=[0.3, 0.1])
    client("tell", t=3, arms=[7], rewards=[0.9])
    assert client("recommend", t=4)["arm"] == 7
    with pytest.raises(urllib.error.HTTPError) as error:
        client("tell", t=4, arms=[99], rewards=[0.0])
    assert json.loads(error.value.read()) == {"error": "round 4: there is no arm 99, expected 0 to 40"}
    client.stop()
    other.write_bytes(path.read_bytes())
    first, second = Client(path), Client(other)
    first("tell", t=2, arms=[30], rewards=[2.0])  # late
    second("tell", t=2, arms=[30], rewards=[2.0])
    assert first("ask", t=5, size=3) == second("ask", t=5, size=3)
    first.stop(), second.stop()


@pytest.mark.parametrize("name", ["own_rewards", "own_policy", "own_data", "live_system"])
def test_the_tutorials_run(name, monkeypatch, capsys):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr("sys.argv", [name])  # pytest's own would name a picture
    load(name)
    assert capsys.readouterr().out
