"""The service of the examples: every reading is stored once, and no request stops it."""

import contextlib
import http.client
import importlib.util
import inspect
import json
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvgp.live import Live
from tvgp.live.log import Log

PATH = Path(__file__).parents[2] / "examples" / "live_service.py"
SPEC = importlib.util.spec_from_file_location("live_service", PATH)
live_service = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(live_service)


class Client:
    def __init__(self, path, token=""):
        self.server = live_service.serve(path, 0, token)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def get(self, page, body=None):
        url = f"http://localhost:{self.server.server_port}/{page}"
        try:
            with urllib.request.urlopen(url, body) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def __call__(self, action, **request):
        status, reply = self.get(action, json.dumps(request).encode())
        assert status == 200, reply
        return reply

    def send(self, text):
        """What the server answers to these bytes until it hangs up."""
        with socket.create_connection(("localhost", self.server.server_port)) as connection:
            connection.sendall(text)
            connection.settimeout(60)  # so that a server that waits for ever fails
            with connection.makefile("rb") as answer:
                return answer.read()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        if self.server.RequestHandlerClass.service.system:
            self.server.RequestHandlerClass.service.system.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state.db"


@pytest.fixture
def client(path):
    client = Client(path)
    yield client
    client.stop()


def rewards(path, t):
    return [
        reward for each, call in Live.load(path).history() if each == t for reward in call.get("rewards", ())
    ]


def test_it_goes_on_after_a_restart(path, tmp_path):
    client, other = Client(path), tmp_path / "other.db"
    arms = client("ask", t=1, size=2)["arms"]
    client("tell", t=1, arms=arms, rewards=[0.3, 0.1])
    client("tell", t=3, arms=[7], rewards=[0.9])
    assert client("recommend", t=4)["arm"] == 7
    client.stop()
    other.write_bytes(path.read_bytes())
    first, second = Client(path), Client(other)
    first("tell", t=2, arms=[30], rewards=[2.0])  # late
    second("tell", t=2, arms=[30], rewards=[2.0])
    assert first("ask", t=5, size=3) == second("ask", t=5, size=3)
    first.stop(), second.stop()


@pytest.mark.parametrize(
    ("action", "body", "words"),
    [
        ("ask", '{"size": 2}', "ask: missing a required argument: 't'"),
        ("tell", '{"t": 1, "arms": 3, "rewards": 1, "noise_variancess": 1}', "keyword argument 'noise_vari"),
        ("ask", "[1]", "ask: the request is a list, expected a JSON object"),
        ("ask", '{"t": "5"}', "t is '5', expected an integer"),
        ("ask", '{"t": 1, "size": "2"}', "size of the batch is '2'"),
        ("ask", '{"t": 1, "system": 2}', "system"),
        ("tell", '{"t": 4, "arms": [99], "rewards": [0]}', "round 4: there is no arm 99, expected 0 to 40"),
        ("tell", '{"t": 1, "arms": [1], "rewards": [NaN]}', "finite"),
        ("tell", '{"t": 1, "arms": [1], "rewards": [1], "key": 2}', "key is 2, expected text"),
        ("tell_expert", '{"t": 1, "arms": [1], "values": [1]}', "queries(1) asked about"),
        ("forget", "{}", "unknown action 'forget', expected ask, tell"),
        ("ask", "{", "Expecting"),
        ("ask", "[" * 10**5, "recursion"),
        ("ask", '{"t": 1' + 5000 * "0" + "}", "digits"),
    ],
)
def test_malformed_requests_are_refused_in_one_line(client, path, action, body, words):
    status, reply = client.get(action, body.encode())
    assert status == 400 and words in reply["error"] and "\n" not in reply["error"]
    assert not list(Live.load(path).history())
    assert client("ask", t=1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 50) | st.floats() | st.text(max_size=3) | st.just(10**400),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("action", live_service.ACTIONS)
@settings(max_examples=12, derandomize=True, deadline=None, database=None)
@given(data=st.data())
def test_values_of_any_type_are_taken_or_refused_in_one_line(action, data, tmp_path_factory):
    names = list(inspect.signature(live_service.ACTIONS[action]).parameters)[1:]
    request = data.draw(st.fixed_dictionaries({name: st.just(3) | JSON for name in names}))
    service = live_service.Service(tmp_path_factory.mktemp("service") / "state.db")
    try:
        assert isinstance(service.answer(action, request), dict)
    except ValueError as error:
        assert "\n" not in str(error)


def test_a_full_disk_counts_a_reading_once(client, path, monkeypatch):
    connect = Log._connect

    def connect_to_a_full_disk(log):
        connect(log)
        if log.file is not None:
            log._database.execute("PRAGMA max_page_count = 1")  # no page more than there are

    told = json.dumps({"t": 1, "arms": [3] * 900, "rewards": [0.5] * 900, "key": "a"}).encode()
    with monkeypatch.context() as patch:
        patch.setattr(Log, "_connect", connect_to_a_full_disk)
        crowded = Client(path)
        for _ in range(3):
            status, reply = crowded.get("tell", told)
            assert status == 503 and "disk is full" in reply["error"]
        crowded.stop()
    assert client.get("tell", told) == (200, {})
    assert rewards(path, 1) == [0.5] * 900


def test_a_killed_service_keeps_what_it_has_acknowledged(path):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, PATH, path, str(port)])
    told = 0
    try:
        while told < 60:
            with contextlib.suppress(ConnectionError, urllib.error.URLError):
                body = json.dumps({"t": told + 1, "arms": [told % 41], "rewards": [0.1]}).encode()
                with urllib.request.urlopen(f"http://localhost:{port}/tell", body) as reply:
                    told += reply.status == 200
            assert process.poll() is None
        acknowledged, half = [], threading.Event()
        sending = (port, range(61, 1001), acknowledged, half)
        sender = threading.Thread(target=send, args=sending, daemon=True)
        sender.start()
        half.wait()
    finally:
        process.kill()
        process.wait()
    sender.join()
    kept = [t for t, _ in Live.load(path).history()]
    assert kept[:60] == list(range(1, 61)) and set(acknowledged) <= set(kept)
    assert 500 <= len(kept) < 1000


def send(port, rounds, acknowledged, half):
    """Tell a reward in each round, and remember the replies; half: set once the middle has one."""
    for t in rounds:
        body = json.dumps({"t": t, "arms": [t % 41], "rewards": [0.1]}).encode()
        with contextlib.suppress(OSError, urllib.error.URLError, http.client.HTTPException):
            with urllib.request.urlopen(f"http://localhost:{port}/tell", body):
                acknowledged.append(t)
        if t == 500:
            half.set()


def test_requests_need_the_token_where_there_is_one(path):
    client = Client(path, "secret")
    body = b'{"t": 1}'
    for header in (b"", b"Authorization: Bearer Secret\r\n", b"Authorization: secret\r\n"):
        answer = client.send(b"POST /ask HTTP/1.0\r\nContent-Length: 8\r\n" + header + b"\r\n" + body)
        assert answer.startswith(b"HTTP/1.0 401") and b"Authorization: Bearer" in answer
    header = b"Authorization: Bearer secret\r\n"
    answer = client.send(b"POST /ask HTTP/1.0\r\nContent-Length: 8\r\n" + header + b"\r\n" + body)
    assert answer.startswith(b"HTTP/1.0 200") and client.get("health")[0] == 200
    client.stop()


def test_a_request_that_is_repeated_with_its_key_counts_once(client, path):
    for _ in range(2):
        client("tell", t=1, arms=[3], rewards=[0.5], key="a")
    client("tell", t=1, arms=[3], rewards=[0.5], key="b")
    assert rewards(path, 1) == [0.5, 0.5]
    status, reply = client.get("tell", b'{"t": 1, "arms": [3], "rewards": [0.6], "key": "a"}')
    assert status == 400 and "'a' has been told with other arms or rewards" in reply["error"]


def test_two_services_on_one_state_keep_what_they_acknowledge(client, path):
    other = Client(path)
    for t in range(1, 11):
        for service in (client, other):
            told = json.dumps({"t": t, "arms": [t], "rewards": [0.1]}).encode()
            assert 200 in (service.get("tell", told)[0] for _ in range(2))
    other.stop()
    assert [len(rewards(path, t)) for t in range(1, 11)] == 10 * [2]


def test_no_new_system_takes_the_place_of_one_that_is_gone(client, path):
    client("tell", t=1, arms=[3], rewards=[0.5])
    path.rename(path.with_name("elsewhere.db"))
    for _ in range(2):
        assert client.get("tell", b'{"t": 2, "arms": [3], "rewards": [0.5]}')[0] == 503
    assert not path.exists()


def test_a_wrong_round_locks_nothing(client):
    client("tell", t=1, arms=[3], rewards=[0.5])
    client("tell", t=10**12, arms=[4], rewards=[5.0])
    client("recommend", t=10**13)
    for t in range(2, 5):
        (arm,) = client("ask", t=t)["arms"]
        client("tell", t=t, arms=arm, rewards=0.1)
        assert client("recommend", t=t + 1)["mean"] < 1


@pytest.mark.parametrize("length", ["-1", "abc", "300000000", "9" * 5000, "", "\u0663"])
def test_an_invalid_length_is_refused_unread(client, length):
    answer = client.send(b"POST /ask HTTP/1.0\r\nContent-Length: " + length.encode() + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.0 400") and b'{"error": "' in answer


@pytest.mark.parametrize("sent", [b"", b"POST /ask", b"POST /ask HTTP/1.0\r\nContent-Length: 9\r\n\r\n{"])
def test_a_client_that_sends_no_more_is_hung_up_on(client, monkeypatch, sent):
    monkeypatch.setattr(live_service, "SECONDS", 0.05)
    assert b"200" not in client.send(sent)


def test_health_queries_and_unknown_paths_are_answered(client):
    assert client.get("health") == (200, {"status": "ok"})
    assert client.get("status")[0] == 404
    assert client("queries", t=1) == {"arms": []}
