"""Find, fetch or stand in for the raw files of a dataset. Nothing else touches the network.

Run by the rule `download`; run by hand (`make data`) it fetches whatever has an address.
"""

import argparse
import json
import os
import re
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pooch
import requests
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from tvgp.study import datasets
from tvgp.study.config import reading
from tvgp.study.data import raw_files
from tvgp.study.errors import one_line_errors

ATTEMPTS, PAUSE = 4, 1.0  # tries of a download and seconds before the second, doubling
FIRST_ANSWER, PATIENT = 4.0, 30.0  # seconds for the first answer: source auto, source download
STALLED = 30.0  # seconds without a byte
SLOWEST = 1000  # bytes a second on average, from STALLED seconds after the first
REDIRECTS = 5


class _Again(Exception):
    """A fault that another try may mend."""


def fetch(url, target, max_bytes=None, sha256=None, patient=False):
    """Put the whole, checked file of an address at `target`, or raise rawfiles.Unavailable.

    An interrupted download goes on where it stopped, when the server still has the same file.
    """
    fresh, part = (target.with_name(f".{kind}-{target.name}") for kind in ("new", "part"))
    fresh.unlink(missing_ok=True)

    def transfer(_url, output, _pooch):
        _transfer(url, part, max_bytes, patient, target.name)
        _tag(part).unlink(missing_ok=True)
        os.replace(part, output)
        raw_files.check(output, target.name)

    pooch.get_logger().setLevel("WARNING")
    try:
        known = f"sha256:{sha256}" if sha256 else None
        pooch.retrieve(url, known, fname=fresh.name, path=target.parent, downloader=transfer)
    except raw_files.Unavailable:
        raise
    except ValueError as error:
        fault = "wrong sha256" if "hash" in str(error) else error
        raise raw_files.Unavailable(f"{url}: refused, {fault}") from None
    os.replace(fresh, target)


def _transfer(url, part, max_bytes, patient, name):
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE * 2 ** (attempt - 1))
        try:
            return _try(url, part, max_bytes, patient, name)
        except (_Again, HTTPError, requests.RequestException) as error:
            reason = str(error)
            cause = getattr(error.args[0] if error.args else None, "reason", None)
            refused = isinstance(cause, (NewConnectionError, ConnectTimeoutError))
            final = requests.exceptions.SSLError, requests.exceptions.ProxyError, ValueError
            if refused or isinstance(error, final):
                raise raw_files.Unavailable(f"{url}: no connection") from None
    raise raw_files.Unavailable(f"{url}: gave up after {ATTEMPTS} tries ({reason})")


def _try(url, part, max_bytes, patient, name):
    headers, have, known = {"Accept-Encoding": "identity"}, 0, _known(part, url)
    if known and part.is_file():
        have = part.stat().st_size
    if have:
        headers |= {"Range": f"bytes={have}-", "If-Range": known["validator"]}
    with _answer(url, headers, patient) as response:
        status, answer = response.status_code, response.headers
        if status == 416:
            part.unlink(missing_ok=True)
            raise _Again("the server could not continue the file")
        if status in (408, 429) or status >= 500:
            raise _Again(f"the server answered {status}")
        if status not in (200, 206):
            raise raw_files.Unavailable(f"{url}: the server answered {status}")
        if "text/html" in answer.get("Content-Type", "").lower():
            raise raw_files.Unavailable(f"{url}: a web page came instead of a data file")
        if answer.get("Content-Encoding", "identity") != "identity":
            raise raw_files.Unavailable(f"{url}: the server sends it in an encoding not asked for")
        etag = answer.get("ETag", "")
        validator = etag if etag.startswith('"') else answer.get("Last-Modified")
        length = answer.get("Content-Length", "")
        total = int(length) if length.isdecimal() else None
        if status == 206:  # the rest of the same file, all of it, and nothing else
            span = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", answer.get("Content-Range", ""))
            first, last, total = map(int, span.groups()) if span else (-1, -1, -1)
            if (first, last) != (have, total - 1) or validator != known.get("validator"):
                part.unlink(missing_ok=True)
                raise _Again("the server continued at the wrong place or with another file")
        else:
            have = 0
            part.unlink(missing_ok=True)
        _refuse_large(total or 0, max_bytes, part, name)
        if validator:
            _tag(part).write_text(json.dumps({"url": url, "validator": validator}))
        else:
            _tag(part).unlink(missing_ok=True)
        show, begun, before = _progress(name, total), time.monotonic(), have
        with open(part, "ab") as stream:
            while block := response.raw.read1(1 << 16):
                stream.write(block)
                have += len(block)
                _refuse_large(have, max_bytes, part, name)
                seconds = time.monotonic() - begun
                if seconds > STALLED and have - before < SLOWEST * seconds:
                    raise _Again(f"{have - before} bytes came in {seconds:.0f} s")
                show(have)
            os.fsync(stream.fileno())
    if total is not None and have != total:
        raise _Again(f"{have} of {total} bytes came")
    show(have, last=True)


def _known(part, url):
    """What is known of a part of this address: a mapping with its `validator`, or empty."""
    try:
        content = json.loads(_tag(part).read_text())
        return content if content["url"] == url and content["validator"] else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _answer(url, headers, patient):
    """GET that follows redirects to http and https only, and from https never to http."""
    place = url
    for _ in range(REDIRECTS + 1):
        response = _first_answer(place, headers, patient)
        if not response.is_redirect:
            return response
        response.close()
        before, place = place, urljoin(place, response.headers["Location"])
        schemes = urlsplit(before).scheme, urlsplit(place).scheme
        if schemes not in (("http", "http"), ("http", "https"), ("https", "https")):
            raise raw_files.Unavailable(f"{url}: refused, it leads to {place[:100]!r}")
    raise raw_files.Unavailable(f"{url}: more than {REDIRECTS} redirects")


def _first_answer(url, headers, patient):
    """GET within a deadline that also covers name servers and several addresses of one host."""
    result, seconds = [], PATIENT if patient else FIRST_ANSWER

    def ask():
        try:
            limits = (seconds, STALLED)
            get = requests.get(url, headers=headers, stream=True, timeout=limits, allow_redirects=False)
            result.append(get)
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    if not result:
        if patient:
            raise _Again(f"no answer within {seconds:g} s")
        raise raw_files.Unavailable(f"{url}: no answer within {seconds:g} s")
    if isinstance(result[0], Exception):
        raise result[0]
    return result[0]


def _refuse_large(size, max_bytes, part, name):
    if max_bytes is not None and size > max_bytes:
        part.unlink(missing_ok=True)
        _tag(part).unlink(missing_ok=True)
        limit = f"{max_bytes / 1e6:.0f} MB are allowed"
        raise raw_files.Unavailable(f"{name} has at least {size / 1e6:.0f} MB, {limit}")


def _tag(part):
    return part.with_name(part.name + ".tag")


def _progress(name, total):
    """A reporter of bytes so far: one line kept up to date on a terminal, else every 10 s."""
    terminal, shown = sys.stderr.isatty(), [time.monotonic()]

    def show(have, last=False):
        now = time.monotonic()
        if not last and now - shown[0] < (0.2 if terminal else 10.0):
            return
        shown[0] = now
        share = f"{100 * have / total:5.1f} % of {total / 1e6:.1f} MB" if total else ""
        bar = "#" * int(30 * have / total) if total else ""
        text = f"{name} [{bar:<30}] {have / 1e6:8.1f} MB {share}"
        sys.stderr.write(f"\r{text}" + ("\n" if last else "") if terminal else f"{text}\n")
        sys.stderr.flush()

    return show


def for_rule(snakemake):
    """The rule `download`: write the manifest of one dataset's raw files."""

    def say(text):
        sys.stderr.write(f"{snakemake.wildcards.dataset}: {text}\n")
        with open(snakemake.log[0], "a", encoding="utf-8") as log:
            log.write(f"{text}\n")

    with one_line_errors(snakemake.log[0]):
        settings, manifest = snakemake.params.settings, Path(snakemake.output[0])
        loader = datasets.configured(settings)
        write = loader.write_standin
        made = write and (lambda: write(manifest.parent / "standin"))
        try:
            found = raw_files.obtain(settings, loader.patterns, fetch, made, say)
        except ValueError as error:
            raise ValueError(f"{snakemake.wildcards.dataset}: {error}") from None
        raw_files.write_manifest(manifest, snakemake.wildcards.dataset, found)


def everything(folder):
    """`make data`: fetch each dataset that has an address and no files of the user's own."""
    failures = 0
    for name, settings in reading.read(folder)["datasets"].items():
        patterns = datasets.configured(settings).patterns
        found = raw_files.present(settings["raw"], patterns)
        own = [path for path in found if not raw_files.is_fetched(path)]
        if own or not settings.get("url"):
            print(f"{name}: {len(own)} file(s) in {settings['raw']}/, nothing to download")
            continue
        try:
            raw_files.obtain({**settings, "source": "download"}, patterns, fetch, None, print)
            raw_files.keep(settings["raw"], patterns)
            print(f"{name}: complete in {settings['raw']}/")
        except ValueError as error:
            print(f"ERROR: {name}: {error}", file=sys.stderr)
            failures += 1
    return min(failures, 1)


if "snakemake" in globals():
    for_rule(globals()["snakemake"])
elif __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    with one_line_errors():
        sys.exit(everything(Path(__file__).resolve().parents[2] / "config"))
