# The study with the versions of requirements.lock; it needs no network while it runs:
#   docker build -t tvgp .
#   docker run --rm --network none -v "$PWD/results:/tvgp/results" tvgp run quick
# tests/docker/test_dockerfile.py carries out the same steps without Docker.
FROM python:3.13-slim

RUN apt-get update && apt-get install -y --no-install-recommends git make && rm -rf /var/lib/apt/lists/*
WORKDIR /tvgp
COPY requirements.lock ./
RUN python -m venv .venv && .venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN .venv/bin/pip install --no-build-isolation --no-deps -e . && touch .venv/.installed
RUN .venv/bin/python -c 'from tvgp.dpp import fast; fast.load()'
ENTRYPOINT [".venv/bin/tvgp"]
CMD ["run", "quick"]
