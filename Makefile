# Everything runs in .venv, which is made from pyproject.toml when it is missing or out of date.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
unexport PYTHONDONTWRITEBYTECODE # the tests start many processes, and each would compile everything again

.PHONY: verify verify-thorough kernel test test-thorough coverage lint format bench ledger report docs clean

verify: $(STAMP)  ## the main job: the planners against each other, and every claim of the paper
	$(BIN)/ctucbvi crosscheck
	$(BIN)/ctucbvi verify --recheck

verify-thorough: $(STAMP)  ## the same with much more effort per claim; resumes when it is interrupted
	$(BIN)/ctucbvi crosscheck --random 200
	$(BIN)/ctucbvi verify --recheck --profile thorough

kernel: $(STAMP)  ## a third opinion: proved inequalities and derivations as theorems, judged by Coq's kernel (docs/coq.md)
	@$(BIN)/python -m verify.coq > /dev/null
	$(BIN)/ctucbvi verify --coq build/coq
	$(BIN)/python -m verify.coq build/coq

ledger: $(STAMP)  ## docs/ledger.md, made from the verdicts
	$(BIN)/ctucbvi verify --recheck --ledger docs/ledger.md

report: $(STAMP)  ## build/report/index.html, a page about all claims, and the errata
	$(BIN)/ctucbvi report build/report

test: $(STAMP)
	$(BIN)/python -m pytest -n auto -m "not thorough"

coverage: $(STAMP)  ## the same with branch coverage, which takes twice as long
	$(BIN)/python -m pytest -n auto -m "not thorough" --cov --cov-report=term

test-thorough: $(STAMP)
	CTUCBVI_HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -n auto

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.installed-docs  ## the site, in build/docs: open build/docs/index.html; a warning is an error
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet docs build/docs

bench: $(VENV)/.installed-bench  ## ratios against other tools, measured side by side
	$(BIN)/python -m tests.benchmarks

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ctucbvi needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

$(VENV)/.installed-%: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
