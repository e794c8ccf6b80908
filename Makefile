# Everything a person needs to run, test and change Clew. `make help` lists the targets.
#
# Needs make and a Python of 3.11 or newer, nothing else. What it installs lies in .venv (about
# 6 GB, most of it PyTorch), what it fetches and stores in $(CLEW_HOME); `make clean` removes the
# former and keeps the latter.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

export CLEW_HOME ?= $(CURDIR)/.clew
# A process that loads models takes 5 s longer where PyTorch is not kept compiled.
unexport PYTHONDONTWRITEBYTECODE
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
LOCKS := requirements.lock requirements-models.lock requirements-tools.lock
NEEDED_GB := 8
# Each has a Neo4j of its own: about 4 GB of memory together.
TEST_WORKERS ?= 2

words := say() { printf '\n==> %s\n' "$$*"; }; \
  fail() { printf '\n%s\n' "$$*" >&2; exit 1; };

.PHONY: help setup demo test lint up down secrets clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMPS)/project  ## Create .venv with everything Clew needs, by the lock files
	@true

demo: setup  ## Start Clew, read the sample corpus, ask a question, leave the web UI running
	@$(BIN)/clew demo

up: setup  ## Start Clew
	@$(BIN)/clew up

down: setup  ## Stop Clew
	@$(BIN)/clew down

secrets:  ## Make the passwords and the token for docker-compose.yml, once
	@$(or $(PYTHON),python3) platform/clew/runtime/compose_secrets.py secrets

lint: setup  ## Check style, types and the layers
	@$(words) say 'Style' && $(BIN)/ruff check && $(BIN)/ruff format --check
	@$(words) say 'Types' && $(BIN)/mypy
	@$(words) say 'Layers' && $(BIN)/lint-imports

test: lint  ## lint, then all tests against a real Neo4j (PYTEST_ARGS adds arguments)
	@$(words) say 'Tests' && $(BIN)/python -m pytest -n $(TEST_WORKERS) \
	  --durations=25 --durations-min=0.3 $(PYTEST_ARGS)

clean:  ## Stop Clew and remove the environment and caches; data in .clew stays
	@if [ -x $(BIN)/clew ]; then $(BIN)/clew down >/dev/null 2>&1 || true; fi
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist
	@find . -path ./.clew -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo 'Removed the environment and caches. Your data is still in $(CLEW_HOME).'

$(STAMPS)/python:
	@$(words) found=; \
	for candidate in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	  if command -v $$candidate >/dev/null 2>&1 && $$candidate -c \
	    'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	  then found=$$candidate; break; fi; \
	done; \
	[ -n "$$found" ] || fail "Clew needs Python 3.11 or newer with its venv module: install it" \
	  "(Debian: apt-get install python3 python3-venv), or name one: make PYTHON=/path/to/python3"; \
	free=$$(df -Pk . | awk 'NR == 2 {print int($$4 / 1048576)}'); \
	[ "$$free" -ge $(NEEDED_GB) ] || fail "The environment needs $(NEEDED_GB) GB of disk, but" \
	  "$(CURDIR) has $$free GB free: free some space and run make again."; \
	say "Creating .venv with $$($$found --version)"; \
	$$found -m venv --clear $(VENV) || fail 'The environment could not be created in .venv.'; \
	mkdir -p $(STAMPS) && touch $@

$(STAMPS)/uv: requirements-tools.lock $(STAMPS)/python
	@$(words) say 'Installing uv, which installs the rest'; \
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
	  -r requirements-tools.lock || fail $(NOT_INSTALLED)
	@touch $@

$(STAMPS)/packages: $(LOCKS) $(STAMPS)/uv
	@$(words) say 'Installing the locked packages and models (some GB the first time)'; \
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip sync --require-hashes $(LOCKS) || fail $(NOT_INSTALLED)
	@touch $@

$(STAMPS)/project: pyproject.toml $(STAMPS)/packages
	@$(words) say 'Installing Clew itself (editable)'; \
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --no-deps --no-build-isolation --editable . \
	  || fail 'Clew itself could not be installed; the reason is above.'
	@touch $@

NOT_INSTALLED := 'The packages could not be installed (the reason is above).' \
  'Is there a network, and room on the disk? Run make again: it goes on where it was.'
