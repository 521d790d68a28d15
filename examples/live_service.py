"""A small service that recommends where to measure next, and survives a restart.

    python examples/live_service.py state.json 8000
    curl -d '{"t": 1, "size": 2}' localhost:8000/ask              # {"arms": [17, 4]}
    curl -d '{"t": 1, "arms": [17, 4], "rewards": [0.3, 0.1]}' localhost:8000/tell
    curl -d '{"t": 2}' localhost:8000/recommend                   # {"arm": 17, "mean": ..., "std": ...}

Rounds are integers; some may be skipped, and rewards may come late. The state is written before the
answer is sent, so that what a client has seen is never forgotten.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from tvgp import kernels
from tvgp.live import Live


def start(path):
    """The system saved at `path`, or a new one: 41 places on a line, forgetting by one per cent per round."""
    if Path(path).exists():
        return Live.load(path)
    return Live(
        "tv_gp_ucb",
        arms=np.linspace(0.0, 10.0, 41)[:, None],
        kernel=kernels.make("matern52", variance=1.0, length_scale=1.5),
        noise_variance=0.01,
        epsilon=0.01,
        width="logarithmic",
    )


def answer(system, action, request):
    """The reply to a request. ValueError for one that cannot be met; KeyError if a part is missing."""
    t = request["t"]
    if action == "ask":
        return {"arms": system.ask(t, request.get("size", 1)).tolist()}
    if action == "tell":
        system.tell(t, request["arms"], request["rewards"])
        return {}
    if action == "recommend":
        arm = system.recommend(t)
        mean, std = system.posterior(t)
        return {"arm": arm, "mean": float(mean[arm]), "std": float(std[arm])}
    raise ValueError(f"unknown action {action!r}, expected ask, tell or recommend")


def serve(path, port):
    """A server that answers one request at a time; port 0 takes a free one."""
    system, lock = start(path), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            try:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    status, reply = 200, answer(system, self.path.strip("/"), request)
                    system.save(path)
            except (ValueError, KeyError, TypeError) as error:
                status, reply = 400, {"error": str(error)}
            body = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    return ThreadingHTTPServer(("localhost", port), Handler)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2])).serve_forever()
