"""A small service that recommends where to measure next, and survives a restart.

    python examples/live_service.py state.db 8000
    curl localhost:8000/health                                    # {"status": "ok"}
    curl -d '{"t": 1, "size": 2}' localhost:8000/ask              # {"arms": [17, 4]}
    curl -d '{"t": 1, "arms": [17, 4], "rewards": [0.3, 0.1], "key": "a7"}' localhost:8000/tell
    curl -d '{"t": 1}' localhost:8000/queries                     # {"arms": []}
    curl -d '{"t": 1, "arms": [9], "values": [0.2]}' localhost:8000/tell_expert
    curl -d '{"t": 2}' localhost:8000/recommend                   # {"arm": 17, "mean": ..., "std": ...}

Rounds are integers; some may be skipped, and rewards may arrive late. The state is on the disk before the
answer is sent, so nothing that a client has seen is lost. A client that gets no answer, or status 503, sends
the same request again; a repeated ``tell`` with the same key counts once.

It listens on localhost. Where others can reach the port, as behind a proxy, set ``LIVE_TOKEN`` to a secret:
requests then need it (``curl -H "Authorization: Bearer $LIVE_TOKEN" ...``).
"""

import contextlib
import hmac
import inspect
import json
import os
import socket
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from tvgp import kernels
from tvgp.live import Live

LARGEST = 10**6  # bytes of a request
SECONDS = 30.0  # for a request to arrive


def start(path):
    """The system saved at `path`, or a new one: 41 places on a line, epsilon = 0.01 per round."""
    if Path(path).exists():
        system = Live.load(path)
        system.save(path)  # refused for a file of the first format, to which nothing is added
        return system
    system = Live(
        "tv_gp_ucb",
        arms=np.linspace(0.0, 10.0, 41)[:, None],
        kernel=kernels.make("matern52", variance=1.0, length_scale=1.5),
        noise_variance=0.01,
        epsilon=0.01,
        width="logarithmic",
    )
    system.save(path)
    return system


def ask(system, t, size=1):
    return {"arms": system.ask(t, size).tolist()}


def tell(system, t, arms, rewards, noise_variances=None, key=None):
    system.tell(t, arms, rewards, noise_variances, key=key)
    return {}


def queries(system, t):
    return {"arms": system.queries(t).tolist()}


def tell_expert(system, t, arms, values):
    system.tell_expert(t, arms, values)
    return {}


def recommend(system, t):
    arm = system.recommend(t)
    mean, std = system.posterior(t)
    return {"arm": arm, "mean": float(mean[arm]), "std": float(std[arm])}


ACTIONS = {action.__name__: action for action in (ask, tell, queries, tell_expert, recommend)}


def check(action, request):
    """ValueError unless the request has the arguments of the action, and no others."""
    if action not in ACTIONS:
        raise ValueError(f"unknown action {action!r}, expected {', '.join(ACTIONS)}")
    if not isinstance(request, dict):
        raise ValueError(f"{action}: the request is a {type(request).__name__}, expected a JSON object")
    try:
        inspect.signature(ACTIONS[action]).bind(None, **request)
    except TypeError as error:
        raise ValueError(f"{action}: {error}") from None


class Service:
    """The system and its file."""

    def __init__(self, path):
        self.path, self.lock, self.system = path, threading.Lock(), start(path)

    def answer(self, action, request):
        """The reply to a request. ValueError for one that cannot be met; OSError if it was not stored and
        does not count."""
        check(action, request)
        with self.lock:
            self.system = self.system or Live.load(self.path)  # no new one
            try:
                return ACTIONS[action](self.system, **request)
            except OSError:
                self.system = None  # the next request starts from the file
                raise


class Handler(BaseHTTPRequestHandler):
    """Answers one request per connection, in JSON."""

    service, token = None, ""  # set by `serve`

    def setup(self):
        super().setup()
        self.deadline = threading.Timer(SECONDS, self.hang_up)
        self.deadline.daemon = True
        self.deadline.start()

    def hang_up(self):
        with contextlib.suppress(OSError):  # closed already
            self.connection.shutdown(socket.SHUT_RDWR)

    def finish(self):
        self.deadline.cancel()
        super().finish()

    def do_GET(self):
        if self.path == "/health":
            self.reply(200, {"status": "ok"})
        else:
            self.reply(
                404, {"error": f"no page {self.path}, expected /health, or POST to {', '.join(ACTIONS)}"}
            )

    def do_POST(self):
        sent = self.headers.get("Authorization", "").encode()
        if self.token and not hmac.compare_digest(sent, f"Bearer {self.token}".encode()):
            self.reply(401, {"error": "expected the header Authorization: Bearer, with the service's token"})
            return
        try:
            request = json.loads(self.body())
            self.deadline.cancel()  # it has arrived
            status, content = 200, self.service.answer(self.path.strip("/"), request)
        except (ValueError, RecursionError) as error:
            status, content = 400, {"error": str(error)}
        except OSError as error:
            status, content = 503, {"error": f"not stored, try again: {error}"}
        except Exception as error:
            traceback.print_exc()
            status, content = 500, {"error": f"{type(error).__name__}: {error}"}
        self.reply(status, content)

    def body(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LARGEST:
            raise ValueError(f"Content-Length is {length!r:.40}, expected at most {LARGEST} bytes")
        return self.rfile.read(int(length))

    def reply(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        with contextlib.suppress(OSError):  # the client has gone
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *args):
        pass


def serve(path, port, token=""):
    """A server that answers one request at a time; port 0 takes a free one; token: that requests need."""
    handler = type("Handler", (Handler,), {"service": Service(path), "token": token})
    return ThreadingHTTPServer(("localhost", port), handler)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), os.environ.get("LIVE_TOKEN", "")).serve_forever()
