# Creates or updates the environment when needed, then calls the tool.
# Needs python3 (3.11 or newer, with venv), git and make.

PYTHON ?= python3
SEED ?= 1
CORES ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
BIN := .venv/bin
STAMP := .venv/.installed
TVGP := @$(BIN)/tvgp
RUN = --cores $(CORES) $(if $(V),--verbose)
INSTALL := $(BIN)/pip install -q --disable-pip-version-check

# Snakemake, pip and matplotlib keep caches in the home directory, which a cluster may mount read-only
CACHE := $(shell d="$${XDG_CACHE_HOME:-$$HOME/.cache}"; mkdir -p "$$d" 2>/dev/null && test -w "$$d" && echo yes)
ifneq ($(CACHE),yes)
  export XDG_CACHE_HOME := $(CURDIR)/.snakemake/cache
endif

.PHONY: help study paper publish smoke regimes regimes-paper data test torture mutations bench docs dist lint architecture path

study: $(STAMP)  ## all papers in minutes, with fewer seeds and some shorter horizons
	$(TVGP) run quick $(RUN)
	@echo "Next: make paper, for the papers' own horizons and numbers of runs."

paper: $(STAMP)  ## the papers' own horizons and numbers of runs: hours
	$(TVGP) run paper $(RUN)

smoke: $(STAMP)  ## every stage of the workflow in about a minute, on stand-in data
	$(TVGP) run smoke $(RUN)

publish: $(STAMP)  ## run both published studies to their end and write docs/results from them: hours, in any number of runs
	$(TVGP) run published $(RUN)
	$(TVGP) run regimes_long $(RUN)
	$(TVGP) publish published regimes_long

regimes: $(STAMP)  ## the regime study alone, scaled down to minutes
	$(TVGP) run regimes $(RUN)

regimes-paper: $(STAMP)  ## the regime study at full scale: some hours
	$(TVGP) run regimes_paper $(RUN)

data: $(STAMP)  ## download every raw file that has a URL, with progress bars
	$(BIN)/python workflow/scripts/download_all.py

test: $(STAMP)  ## all tests, except those that need SLURM, real raw files or a finished study
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

torture: $(STAMP)  ## attack a small study at seeded moments, about twenty minutes; then make mutations
	$(BIN)/python -m tests.torture
	$(MAKE) mutations

mutations: $(STAMP)  ## alter raw files and configurations in thousands of seeded ways (SEED=1)
	$(BIN)/pytest -n 2 tests/mutations --hypothesis-profile=mutations --hypothesis-seed=$(SEED)

# The peers change the environment: as below, the stamp is absent meanwhile. Offline there are fewer.
bench: $(STAMP)  ## measure the posterior engines against other libraries, play finished studies on more cores
	@if $(INSTALL) --no-build-isolation --dry-run -e '.[bench]'; then \
	  rm -f $(STAMP) && $(INSTALL) --no-build-isolation -e '.[bench]' && touch $(STAMP); \
	else echo "Not all peers can be installed; the benchmarks compare with the others"; fi
	$(BIN)/python -m benchmarks

docs: $(STAMP)  ## build the documentation site; the tutorials run while it is built
	$(INSTALL) --no-build-isolation -e '.[docs]'
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "Open build/docs/index.html"

dist: $(STAMP)  ## build wheel and sdist in dist/ and run README's example on the wheel in an empty environment
	rm -rf dist build/wheel
	$(INSTALL) build
	$(BIN)/python -m build --no-isolation
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/pip install -q --disable-pip-version-check dist/*.whl
	sed -n '/^```python/,/^```$$/{/^```/d;p;/^print/q}' README.md | build/wheel/bin/python -I -

architecture: $(STAMP)  ## draw the imports into docs/architecture.md
	$(BIN)/python docs/architecture.py

lint: $(STAMP)  ## ruff, snakefmt and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check src tests workflow benchmarks docs examples
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r target text; do \
	  printf '  make %-14s %s\n' "$$target" "$$text"; done
	@echo "Variables: V=1 shows Snakemake's own output, CORES=N limits the cores (all by default)."

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
	@$(BIN)/python -c 'from tvgp.dpp import fast; fast.load()'  # compiled once, not in each of the first jobs
	@touch $@
