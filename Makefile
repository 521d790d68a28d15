# Creates or updates the environment when needed, then calls the tool.
# Needs python3 (3.11 or newer, with venv), git and make.

PYTHON ?= python3
SEED ?= 1
CORES ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
BIN := .venv/bin
STAMP := .venv/.installed
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES)

.PHONY: study paper smoke regimes regimes-paper data test torture mutations bench lint architecture

study: $(STAMP)
	$(SNAKEMAKE) --config overlay=config/quick.yaml
	@echo
	@if grep -qs '"source": "standin"' resources/quick/*/raw.json; then \
	  echo "Some results come from stand-in data and are marked as such. For real data: make data,"; \
	  echo "or drop files into data/raw/ (data/raw/README.md), then make study again."; fi
	@echo "Next: make paper, for the papers' own horizons and numbers of runs."
	@echo "Report: $(CURDIR)/results/quick/report.html"

paper: $(STAMP)
	$(SNAKEMAKE)
	@echo; echo "Report: $(CURDIR)/results/paper/report.html"

smoke: $(STAMP)
	$(SNAKEMAKE) --config overlay=config/smoke.yaml
	@echo; echo "Report: $(CURDIR)/results/smoke/report.html"

regimes: $(STAMP)
	$(SNAKEMAKE) --config overlay=config/regimes.yaml
	@echo; echo "Report: $(CURDIR)/results/regimes/report.html"

regimes-paper: $(STAMP)
	$(SNAKEMAKE) --config overlay=config/regimes_paper.yaml
	@echo; echo "Report: $(CURDIR)/results/regimes_paper/report.html"

data: $(STAMP)
	$(BIN)/python workflow/scripts/download_all.py

test: $(STAMP)
	$(BIN)/pytest -n 2 --dist loadfile

torture: $(STAMP)
	$(BIN)/python -m tests.torture
	$(MAKE) mutations

mutations: $(STAMP)
	$(BIN)/pytest -n 2 tests/mutations --hypothesis-profile=mutations --hypothesis-seed=$(SEED)

bench: $(STAMP)
	-$(BIN)/pip install -q --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m benchmarks

architecture: $(STAMP)
	$(BIN)/python docs/architecture.py

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check src tests workflow benchmarks docs
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "tvgp needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "Python has no venv module; on Debian: apt install python3-venv"; exit 1; }
	@echo "Bringing the environment in .venv up to date (about half a minute when new)"
	@$(BIN)/python -c 'import ssl, pip' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@
