# Every target first creates or updates the environment in .venv if necessary. Needs python3 (3.11 or newer,
# with venv), git and make.

PYTHON ?= python3
SEED ?= 1
CORES ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
BIN := .venv/bin
STAMP := .venv/.installed
TVGP := @$(BIN)/tvgp
PARTS ?= $(basename $(notdir $(wildcard config/published/*.yaml)))
RUN = --yes --cores $(CORES) $(if $(V),--verbose)
INSTALL := $(BIN)/pip install -q --disable-pip-version-check

# Snakemake, pip and matplotlib keep caches in the home directory, which may be read-only on a cluster
CACHE := $(shell d="$${XDG_CACHE_HOME:-$$HOME/.cache}"; mkdir -p "$$d" 2>/dev/null && test -w "$$d" && echo yes)
ifneq ($(CACHE),yes)
  export XDG_CACHE_HOME := $(CURDIR)/.snakemake/cache
endif

.PHONY: help study paper publish smoke regimes data test torture mutations bench docs dist lint architecture path

study: $(STAMP)  ## run all papers in minutes, with fewer seeds and some shorter horizons
	$(TVGP) run quick $(RUN)
	@echo "Next: make paper, for the papers' own horizons and numbers of runs."

paper: $(STAMP)  ## run all papers with their own horizons and numbers of runs, in hours
	$(TVGP) run paper $(RUN)

smoke: $(STAMP)  ## run every stage of the workflow on stand-in data, in about a minute
	$(TVGP) run smoke $(RUN)

publish: $(STAMP)  ## run or resume the parts of the published study, in hours, and write docs/results from each
	@for part in $(PARTS); do \
	  $(BIN)/tvgp run published/$$part $(RUN) && $(BIN)/tvgp publish published/$$part || exit $$?; done

regimes: $(STAMP)  ## run the regime study alone, scaled down to minutes
	$(TVGP) run regimes $(RUN)

data: $(STAMP)  ## download every raw file that has a URL
	$(BIN)/python workflow/scripts/download_all.py

test: $(STAMP)  ## run all tests, except those that need SLURM, real raw files or a finished study
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder  # as containers often set it

torture: $(STAMP)  ## attack a small study at seeded moments, in about twenty minutes; then make mutations
	$(BIN)/python -m tests.torture
	$(MAKE) mutations

mutations: $(STAMP)  ## alter raw files and configurations in thousands of seeded ways (SEED=1)
	$(BIN)/pytest -n 2 tests/mutations --hypothesis-profile=mutations --hypothesis-seed=$(SEED)

# Installing peers changes the environment, so the stamp is absent meanwhile, as below.
bench: $(STAMP)  ## compare the posterior engines with other libraries
	@if $(INSTALL) --no-build-isolation --dry-run -e '.[bench]'; then \
	  rm -f $(STAMP) && $(INSTALL) --no-build-isolation -e '.[bench]' && touch $(STAMP); \
	else echo "Not all peers can be installed; the benchmarks compare with the rest"; fi
	$(BIN)/python -m benchmarks

docs: $(STAMP)  ## build the documentation site, which runs the tutorials
	$(INSTALL) --no-build-isolation -e '.[docs]'
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "Open build/docs/index.html"

dist: $(STAMP)  ## build wheel and sdist in dist/; from the wheel run README's example and the smoke study
	rm -rf dist build/wheel build/empty
	$(INSTALL) build
	$(BIN)/python -m build --no-isolation
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/pip install -q --disable-pip-version-check dist/*.whl
	sed -n '/^```python/,/^```$$/{/^```/d;p;/^print/q}' README.md | build/wheel/bin/python -I -
	build/wheel/bin/pip install -q --disable-pip-version-check "$$(echo dist/*.whl)[study]"
	mkdir build/empty && cd build/empty && ../wheel/bin/tvgp run smoke --cores $(CORES)

architecture: $(STAMP)  ## draw the imports in docs/architecture.md
	$(BIN)/python docs/architecture.py

lint: $(STAMP)  ## check style and types with ruff, snakefmt and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check src tests workflow benchmarks docs examples
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r target text; do \
	  printf '  make %-14s %s\n' "$$target" "$$text"; done
	@echo "Variables: V=1 shows Snakemake's own output; CORES=N limits the cores (default: all); PARTS of make publish."

path:  # of the checkout: no character that the shell or Snakemake's patterns interpret
	@test -z "$$(pwd -P | LC_ALL=C tr -d 'A-Za-z0-9_./+,@=~\200-\377-')" \
	  || { echo "The path of this folder has a space or a special character such as \$$ or (;" \
	    "move it to a path without them"; exit 1; }

# The stamp is absent while pip works, so an environment that a kill leaves half-made is rebuilt.
$(STAMP): requirements.lock pyproject.toml | path
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "tvgp needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "Python has no venv module; on Debian: apt install python3-venv"; exit 1; }
	@echo "Bringing the environment in .venv up to date (a minute or two when new)"
	@test -e $@ && $(BIN)/python -c 'import ssl, pip' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@rm -f $@
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-build-isolation --no-deps -e .
	@$(BIN)/python -c 'from tvgp.dpp import fast; fast.load()'  # compiled once, not in each of the first jobs
	@touch $@
