# Creates or updates the environment when needed, then calls the tool.
# Needs python3 (3.11 or newer, with venv), git and make.

PYTHON ?= python3
SEED ?= 1
CORES ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
BIN := .venv/bin
STAMP := .venv/.installed
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES)
INSTALL := $(BIN)/pip install -q --disable-pip-version-check

# Snakemake, pip and matplotlib keep caches in the home directory, which a cluster may mount read-only
CACHE := $(shell d="$${XDG_CACHE_HOME:-$$HOME/.cache}"; mkdir -p "$$d" 2>/dev/null && test -w "$$d" && echo yes)
ifneq ($(CACHE),yes)
  export XDG_CACHE_HOME := $(CURDIR)/.snakemake/cache
endif

.PHONY: study paper smoke regimes regimes-paper data test torture mutations bench lint architecture path

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

# The peers change the environment: as below, the stamp is absent meanwhile. Offline there are fewer.
bench: $(STAMP)
	@if $(INSTALL) --no-build-isolation --dry-run -e '.[bench]'; then \
	  rm -f $(STAMP) && $(INSTALL) --no-build-isolation -e '.[bench]' && touch $(STAMP); \
	else echo "Not all peers can be installed; the benchmarks compare with the others"; fi
	$(BIN)/python -m benchmarks

architecture: $(STAMP)
	$(BIN)/python docs/architecture.py

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check src tests workflow benchmarks docs examples
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

path:  # of the checkout: neither the shell nor Snakemake's patterns may find a meaning in it
	@test -z "$$(pwd -P | LC_ALL=C tr -d 'A-Za-z0-9_./+,@=~\200-\377-')" \
	  || { echo "The path of this folder has a space or a special character such as \$$ or (;" \
	    "move it to a path without"; exit 1; }

# The stamp is absent while pip works: what a kill leaves behind is not repaired but made anew.
$(STAMP): requirements.lock pyproject.toml | path
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "tvgp needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "Python has no venv module; on Debian: apt install python3-venv"; exit 1; }
	@echo "Bringing the environment in .venv up to date (about half a minute when new)"
	@test -e $@ && $(BIN)/python -c 'import ssl, pip' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@rm -f $@
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-build-isolation --no-deps -e .
	@touch $@
