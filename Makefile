# Everything happens in a virtual environment in this folder; nothing is installed elsewhere.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find cpp src -type f -not -path '*/__pycache__/*')

.PHONY: help demo test lint format bench bench-quality reproduce debug fuzz sanitize clean

help:  ## list what can be made
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/'

demo: $(VENV)/installed  ## install crisptopics and run its demo
	@$(BIN)/crisptopics demo

test: $(VENV)/test  ## install crisptopics and run all tests against the installed wheel
	$(BIN)/python -m pytest

lint: $(VENV)/test $(VENV)/lint  ## ruff, ruff format, mypy and clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p crisptopics
	$(BIN)/clang-format --dry-run --Werror cpp/*.hpp cpp/*.cpp

format: $(VENV)/lint  ## put the sources in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i cpp/*.hpp cpp/*.cpp

bench: $(VENV)/bench  ## speed, time to quality and memory beside other libraries; BENCH=--quick for a minute or two
	$(BIN)/python benchmarks/run.py $(BENCH)
	$(BIN)/python benchmarks/show.py

bench-quality: $(VENV)/bench  ## topics of real corpora beside tomotopy and k-means; CORPORA=folder for more than ours
	$(BIN)/python benchmarks/quality.py $(if $(CORPORA),--corpora $(CORPORA))

reproduce: $(VENV)/test  ## the paper's tables and figures, small, into build/reproduction
	$(BIN)/crisptopics reproduce all --quick -o build/reproduction

debug: $(VENV)/test  ## all tests on a build that recomputes the objective after every step
	$(PIP) install --no-deps --upgrade --target $(VENV)/debug -C build-dir=build/debug -C cmake.define.CRISP_CHECKS=ON .
	PYTHONPATH=$(VENV)/debug $(BIN)/python -m pytest

SECONDS := 600
fuzz: $(VENV)/fuzz  ## feed the parsers with broken files, for SECONDS=600
	$(BIN)/python scripts/fuzz.py $(SECONDS)

sanitize: $(VENV)/test  ## the kernel and solver tests under the address and undefined-behaviour sanitizers
	$(PIP) install --no-deps --upgrade --target $(VENV)/sanitize -C build-dir=build/sanitize -C install.strip=false \
	    -C cmake.define.CRISP_CHECKS=ON -C cmake.define.CRISP_SANITIZE=address,undefined .
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	    ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$(VENV)/sanitize \
	    $(BIN)/python -m pytest -p no:cacheprovider tests/kernels tests/test_solve.py

$(VENV)/created:
	@sh scripts/check_tools.sh "$(PYTHON)" "$(CXX)"
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	@touch $@

$(VENV)/installed: $(VENV)/created $(SOURCES)
	@rm -rf $(VENV)/wheel
	$(PIP) wheel --no-deps --wheel-dir $(VENV)/wheel .
	$(PIP) install --force-reinstall --no-deps $(VENV)/wheel/*.whl
	$(PIP) install $(VENV)/wheel/*.whl
	@touch $@

$(VENV)/test: $(VENV)/installed
	$(PIP) install "$$(ls $(VENV)/wheel/*.whl)[test]"
	@touch $@

$(VENV)/lint $(VENV)/bench $(VENV)/fuzz: $(VENV)/%: $(VENV)/created pyproject.toml
	$(PIP) install --group $*
	@touch $@

$(VENV)/bench $(VENV)/fuzz: $(VENV)/installed

clean:  ## remove all that was made here
	rm -rf $(VENV) build dist
