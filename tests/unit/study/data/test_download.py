"""Downloads, against a local server with every fault a real one has, and the way round them."""

import hashlib
import io
import os
import re
import socket
import struct
import sys
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from tvgp.study.data import download, raw_files


def archive() -> bytes:
    """A zip of about 600 kB: many times what is read at once."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("daily.csv", "a,b\n" + "1,2\n" * 150_000)
    return stream.getvalue()


WHOLE = archive()
INTERRUPTED = ("cut", "reset", "stall")


class Server(BaseHTTPRequestHandler):
    """Answers by the name asked for; `server.seen` keeps the path of each request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        seen = self.server.seen
        seen.append(self.path)
        kind, tries = self.path.split("/")[1], seen.count(self.path)
        if kind == "busy" and tries < 3:
            return self.answer(503, b"busy")
        if kind == "absent":
            return self.answer(404, b"none")
        if kind == "page":
            return self.answer(200, b"<!DOCTYPE html><html>sign in</html>", type="text/html")
        if kind == "disguised":
            return self.answer(200, b"<html>sign in</html>")
        if kind == "rubbish":
            return self.answer(200, b"not a zip at all")
        if kind == "silent":
            return time.sleep(3)
        if kind == "late" and tries < 3:
            return time.sleep(3)
        if kind == "closed" and tries < 3:  # without a word
            self.close_connection = True
            return None
        if kind == "lost":
            return self.answer(404, b"<!DOCTYPE html><html>gone</html>", type="text/html")
        if kind == "less":  # says that there is half of it
            self.close_connection = True
            return self.answer(200, WHOLE, length=len(WHOLE) // 2)
        if kind == "moved":
            return self.moved(f"/plain/{self.path.split('/')[-1]}")
        if kind == "loop":
            return self.moved(self.path)
        if kind == "away":
            return self.moved(self.server.away)
        if kind == "endless":
            self.answer(200, WHOLE, length=None)
            return self.wfile.write(bytes(1 << 22))
        if kind == "packed":
            return self.answer(200, WHOLE, **{"Content-Encoding": "gzip"})
        if kind == "odd":
            self.close_connection = True
            return self.answer(200, WHOLE, length="many")
        if kind == "hidden":  # no length, the end of the connection is the end of the body
            return self.answer(200, WHOLE[: len(WHOLE) // 2], length=None)
        cut = kind == "broken" or kind in INTERRUPTED and tries < 3
        end = len(WHOLE) // 3 if cut else len(WHOLE)
        self.answer(200, WHOLE[:end], length=len(WHOLE))
        self.close_connection = True
        if end < len(WHOLE) and kind == "stall":
            time.sleep(3)
        if end < len(WHOLE) and kind == "reset":  # closing then sends a reset, not an end
            self.wfile.flush()
            time.sleep(0.05)
            once = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, once)
            self.connection.close()

    def moved(self, place):
        self.answer(302, b"", **{"Location": place})

    def answer(self, status, body, type="application/zip", length=0, **extra):
        self.send_response(status)
        self.send_header("Content-Type", type)
        if length is None:
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(length or len(body)))
        for name, text in extra.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Quiet(ThreadingHTTPServer):
    """Says nothing of clients that hang up, as a refused download does."""

    def handle_error(self, request, client_address):
        pass


@pytest.fixture
def server():
    with Quiet(("127.0.0.1", 0), Server) as http:
        http.daemon_threads, http.seen = True, []
        http.url = f"http://127.0.0.1:{http.server_port}"
        threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        yield http
        http.shutdown()


@pytest.fixture(autouse=True)
def direct(monkeypatch):
    """No pauses, and no proxies of the machine."""
    monkeypatch.setattr(download, "PAUSE", 0.01)
    monkeypatch.setenv("NO_PROXY", "*")


def left(folder):
    return sorted(path.name for path in folder.iterdir())


PASSING = "plain busy cut reset stall moved closed".split()


@pytest.mark.parametrize("kind", PASSING)
def test_a_whole_file_arrives_in_spite_of_faults(server, tmp_path, kind, monkeypatch):
    target = tmp_path / "daily.zip"
    monkeypatch.setattr(download, "SHORT", (4, 1.0))
    digest = hashlib.sha256(WHOLE).hexdigest()
    download.fetch(f"{server.url}/{kind}/daily.zip", target, 10**6, digest)
    assert target.read_bytes() == WHOLE and left(tmp_path) == ["daily.zip"]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("absent", "the server answered 404"),
        ("lost", "the server answered 404"),
        ("less", "not a zip file, or truncated"),
        ("page", "this is a web page"),
        ("disguised", "this is a web page"),
        ("rubbish", "not a zip file"),
        ("hidden", "not a zip file, or truncated"),
        ("broken", "gave up after 4 attempts"),
        ("loop", "refused, Exceeded 30 redirects"),
        ("packed", "refused, .*content-encoding: gzip, but failed to decode"),
        ("odd", "refused, .*'many'"),
    ],
)
def test_an_answer_that_is_not_the_file_is_refused(server, tmp_path, kind, message):
    target = tmp_path / "daily.zip"
    with pytest.raises(raw_files.Unavailable, match=message) as error:
        download.fetch(f"{server.url}/{kind}/daily.zip", target)
    assert "\n" not in str(error.value) and left(tmp_path) == []


def test_wrong_checksum_and_size_are_refused(server, tmp_path):
    target, url = tmp_path / "daily.zip", f"{server.url}/plain/daily.zip"
    with pytest.raises(raw_files.Unavailable, match="refused, its sha256 differs from 0000"):
        download.fetch(url, target, sha256="0" * 64)
    with pytest.raises(raw_files.Unavailable, match="the limit is 0 MB"):
        download.fetch(url, target, max_bytes=1000)
    with pytest.raises(raw_files.Unavailable, match="the limit is 1 MB"):
        download.fetch(f"{server.url}/endless/daily.zip", target, max_bytes=10**6)
    assert left(tmp_path) == []


@pytest.mark.parametrize("place", ["file:///etc/hostname", "ftp://127.0.0.1/a.zip", "data:text/plain,a"])
def test_redirects_lead_to_the_web_only(server, tmp_path, place):
    server.away = place
    with pytest.raises(raw_files.Unavailable, match="refused, No connection adapters"):
        download.fetch(f"{server.url}/away/daily.zip", tmp_path / "daily.zip")
    assert left(tmp_path) == []


def test_redirects_never_leave_encryption(tmp_path, monkeypatch):
    def moved(_, request, **__):
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = 302, request.url, request
        answer.raw, answer.headers["Location"] = io.BytesIO(), "http://elsewhere.invalid/a.zip"
        return answer

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", moved)
    with pytest.raises(raw_files.Unavailable, match="refused, redirect to 'http://elsewhere"):
        download.fetch("https://somewhere.invalid/a.zip", tmp_path / "a.zip")


def test_what_an_interruption_left_behind_is_no_obstacle(server, tmp_path):
    (tmp_path / ".part-01234567-daily.zip").write_bytes(b"rubbish")
    download.fetch(f"{server.url}/plain/daily.zip", tmp_path / "daily.zip")
    assert (tmp_path / "daily.zip").read_bytes() == WHOLE and left(tmp_path) == ["daily.zip"]


def test_progress_is_one_line_on_the_console(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(download, "SHOWN_EVERY", (0.0, 1e9))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    download.fetch(f"{server.url}/plain/daily.zip", tmp_path / "daily.zip")
    lines = capsys.readouterr().err.split("\r")
    assert len(lines) > 9 and all(
        re.fullmatch(r"daily.zip: [\d.]+ of [\d.]+ MB", line) for line in lines[:-1]
    )
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    download.fetch(f"{server.url}/plain/daily.zip", tmp_path / "again.zip")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("last", ["", "..", ".downloads.json", "a%00b/", "a\\b", "?x=/../y"])
def test_addresses_must_end_in_a_file_name(server, tmp_path, last):
    url = f"{server.url}/plain/{last}"
    with pytest.raises(ValueError, match="is not a file name"):
        obtain(settings(tmp_path, server, url=url, years=None), tmp_path, [])
    assert server.seen == []


def test_years_are_put_into_addresses_as_they_are():
    url = "http://a/{year}/{year:>999999999}/{year.__class__}/{0}.zip"
    assert raw_files.urls_of({"url": url, "years": [2021]}) == [url.replace("{year}", "2021")]


def test_no_network_is_noticed_at_once(tmp_path, server, monkeypatch):
    monkeypatch.delenv("RES_OPTIONS", raising=False)
    sent, send = [], requests.adapters.HTTPAdapter.send
    monkeypatch.setattr(
        requests.adapters.HTTPAdapter, "send", lambda *all, **more: sent.append(all) or send(*all, **more)
    )
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    hosts = [f"http://127.0.0.1:{port}", "http://nowhere.invalid"]
    for host in hosts:
        with pytest.raises(raw_files.Unavailable, match="no connection|no answer"):
            download.fetch(f"{host}/daily.zip", tmp_path / "daily.zip")
    assert len(sent) == len(hosts) and os.environ["RES_OPTIONS"] == download.RESOLVER


def test_a_silent_server_is_given_up(server, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "SHORT", (4, 0.1))
    with pytest.raises(raw_files.Unavailable, match="no answer within 0.1 s"):
        download.fetch(f"{server.url}/silent/daily.zip", tmp_path / "daily.zip")
    assert len(server.seen) == 1
    monkeypatch.setattr(download, "LONG", (4, 0.1))
    with pytest.raises(raw_files.Unavailable, match="gave up after 4 attempts .no answer within"):
        download.fetch(f"{server.url}/silent/a.zip", tmp_path / "a.zip", patient=True)
    monkeypatch.setattr(download, "LONG", (4, 0.5))
    download.fetch(f"{server.url}/late/b.zip", tmp_path / "b.zip", patient=True)
    assert left(tmp_path) == ["b.zip"]


def settings(tmp_path, server, **more):
    base = {"raw": str(tmp_path / "raw"), "url": f"{server.url}/plain/daily_{{year}}.zip"}
    return base | {"years": [2001, 2002], "source": "auto"} | more


def obtain(chosen, tmp_path, said, extract=None):
    def made():
        path = tmp_path / "standin.zip"
        path.write_bytes(WHOLE)
        return [path]

    return raw_files.obtain(chosen, ["*.csv", "*.zip"], download.fetch, extract, made, said.append)


def test_auto_downloads_once_and_remembers_the_address(server, tmp_path):
    said, chosen = [], settings(tmp_path, server)
    for _ in range(2):
        source, files, _ = obtain(chosen, tmp_path, said)
        assert source == "real"
        assert [f["path"].rpartition("/")[2] for f in files] == ["daily_2001.zip", "daily_2002.zip"]
        assert all(f["url"].startswith(server.url) for f in files)
    assert len(server.seen) == 2 and raw_files.dropped(tmp_path / "raw", ["*.zip"]) == []
    ours = raw_files.present(tmp_path / "raw", ["*.zip"])[0]
    ours.write_bytes(ours.read_bytes()[::-1])  # the user's, of the same size
    assert raw_files.dropped(tmp_path / "raw", ["*.zip"]) == [ours]


def test_auto_prefers_user_files_and_announces_its_fallback(server, tmp_path):
    said = []
    chosen = settings(tmp_path, server, url=f"{server.url}/absent/daily.zip")
    source, files, note = obtain(chosen, tmp_path, said)
    assert source == "standin" and files[0]["url"] is None
    assert "server answered 404" in note and "put *.csv or *.zip into" in said[-1]
    (tmp_path / "raw" / "mine.csv").write_text("a,b\n")
    source, files, _ = obtain(chosen, tmp_path, said)
    assert source == "real" and [f["path"].rpartition("/")[2] for f in files] == ["mine.csv"]


def test_extracts_rank_between_downloads_and_standins(server, tmp_path):
    def extract():
        path = tmp_path / "extract.csv"
        path.write_text("a,b\n")
        return [path]

    absent = settings(tmp_path, server, url=f"{server.url}/absent/daily.zip")
    source, files, note = obtain(absent, tmp_path, [], extract)
    assert source == "real" and files[0]["path"].endswith("extract.csv")
    assert "server answered 404" in note and "the package's real data" in note
    server.seen.clear()
    without = settings(tmp_path, server, source="extract")
    assert obtain(without, tmp_path, [], extract)[0] == "real"
    assert obtain(without, tmp_path, [])[0] == "standin" and server.seen == []
    source, files, _ = obtain(settings(tmp_path, server), tmp_path, [], extract)
    assert source == "real" and files[0]["path"].endswith("daily_2001.zip")


def test_download_limit_counts_all_files_together(server, tmp_path):
    limit = 1.5 * len(WHOLE) / 1e6
    source, _, note = obtain(settings(tmp_path, server, max_download_mb=limit), tmp_path, [])
    assert source == "standin" and "the limit is" in note
    server.seen.clear()
    none = settings(tmp_path, server, max_download_mb=0, raw=str(tmp_path / "other"))
    assert obtain(none, tmp_path, [])[0] == "standin" and server.seen == []


def test_a_pinned_file_is_the_pinned_one_however_it_arrives(server, tmp_path):
    pins = {"daily_2001.zip": hashlib.sha256(WHOLE).hexdigest(), "daily_2002.zip": "0" * 64}
    pinned = settings(tmp_path, server, sha256=pins)
    source, _, note = obtain(pinned, tmp_path, [])
    message = "daily_2002.zip: refused, its sha256 differs from 0000"
    assert (
        source == "standin"
        and message in note
        and left(tmp_path / "raw") == [".downloads.json", "daily_2001.zip"]
    )
    with pytest.raises(ValueError, match=message) as error:
        obtain(pinned | {"source": "download"}, tmp_path, [])
    assert "\n" not in str(error.value)
    (tmp_path / "raw/daily_2002.zip").write_bytes(WHOLE)  # by hand
    with pytest.raises(ValueError, match="raw/daily_2002.zip: its sha256 differs from 0000"):
        obtain(pinned, tmp_path, [])
    pins["daily_2002.zip"] = pins["daily_2001.zip"]
    assert obtain(pinned, tmp_path, [])[0] == "real"


def test_strict_sources_fail_in_one_line(server, tmp_path):
    for change, message in (
        ({"source": "file"}, "source is `file`; put"),
        ({"source": "download", "url": f"{server.url}/absent/a.zip"}, "404; put"),
        ({"source": "download", "url": None}, "no url is configured"),
        ({"source": "web"}, "not one of: auto"),
    ):
        with pytest.raises(ValueError, match=message) as error:
            obtain(settings(tmp_path, server, **change), tmp_path, [])
        assert "\n" not in str(error.value)


def test_standin_never_touches_the_network(server, tmp_path):
    assert obtain(settings(tmp_path, server, source="standin"), tmp_path, [])[0] == "standin"
    assert server.seen == []


def test_by_hand_everything_with_an_address_is_fetched(server, tmp_path, capsys):
    wanted = {
        "good": ({"raw": f"{tmp_path}/good", "url": f"{server.url}/plain/a.zip"}, ["*.zip"]),
        "bad": ({"raw": f"{tmp_path}/bad", "url": f"{server.url}/absent/a.zip"}, ["*.zip"]),
        "own": ({"raw": f"{tmp_path}/own"}, ["*.zip"]),
    }
    assert download.everything(wanted) == 1
    printed = capsys.readouterr()
    assert "good: complete" in printed.out and "own: 0 file(s)" in printed.out
    assert printed.err.strip().endswith("or set source: standin") and "ERROR: bad:" in printed.err
    fetched = tmp_path / "good" / "a.zip"
    assert raw_files.dropped(fetched.parent, ["*.zip"]) == [fetched]  # studies take notice of it
    server.seen.clear()
    assert download.everything(wanted) == 1
    assert "good: complete" in capsys.readouterr().out
    assert not [path for path in server.seen if "plain" in path]
