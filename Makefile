# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo test lint bench lock clean

demo: $(VENV)/.installed  ## run the default triage, print the table, write the report
	rm -rf runs/demo
	$(BIN)/memtriage run --out runs/demo

test: $(VENV)/.installed-dev  ## lint, check types and run the tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

bench: $(VENV)/.installed  ## the figures the documentation quotes
	$(BIN)/python benchmarks/figures.py
	$(BIN)/python benchmarks/ingest.py

lock: $(VENV)/.installed-dev  ## pin what pyproject.toml asks for, with hashes
	$(PIP) install pip-tools
	for extra in "" dev; do \
	  $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-header --upgrade \
	    --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-annotate \
	    $${extra:+--extra $$extra} --extra build --output-file requirements$${extra:+-$$extra}.lock pyproject.toml; \
	done

clean:
	rm -rf $(VENV) runs build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python requirements.lock pyproject.toml
	$(PIP) install --quiet --require-hashes -r requirements.lock
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python requirements-dev.lock pyproject.toml
	$(PIP) install --quiet --require-hashes -r requirements-dev.lock
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	touch $(VENV)/.installed $@
