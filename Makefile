# `make demo` and `make test` do all the set-up; `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
APT    := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0

# Everything compiled or declared: when one of these is newer than the stamp, pip installs again.
BUILD_INPUTS := pyproject.toml setup.py $(shell find src -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

.PHONY: help demo tour test long lint bench gallery docs fuzz sanitize clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/demo.stamp  ## install, then learn, classify and explain a made-up mailbox
	@$(BIN)/deciban demo

tour: $(VENV)/learn.stamp  ## install, then a short tour of the library
	@$(BIN)/python -m deciban.tour

test: $(VENV)/test.stamp  ## install everything that the suite needs, then run the whole suite
	@$(BIN)/python -m pytest -n 2

long: $(VENV)/test.stamp  ## the same suite with many more kills, histories and fuzzed inputs: an hour or more
	@DECIBAN_LONG=1 $(BIN)/python -m pytest -n 2

lint: $(VENV)/lint.stamp  ## ruff and mypy
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: $(VENV)/test.stamp  ## measure against the peers, as ratios within one run
	@$(BIN)/python -m benchmarks

gallery: $(VENV)/test.stamp  ## run every example at full size, and draw the pictures of docs/gallery.md anew
	@$(BIN)/python examples --pictures docs/gallery

fuzz: $(VENV)/test.stamp  ## fuzz the compiled reader until stopped (INPUTS=… for so many)
	@$(BIN)/python -m fuzz.reader $(INPUTS)

sanitize: $(VENV)/test.stamp  ## the tests of the compiled part under AddressSanitizer (`make test` includes them)
	@$(BIN)/python -m pytest -q tests/text/test_instrumented.py

docs: $(VENV)/test.stamp  ## run every snippet of the README and docs/
	@$(BIN)/python -m pytest -q tests/test_docs.py

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build dist src/*.egg-info && find src -name '*.so' -delete

$(VENV)/created.stamp:
	@PYTHON="$(PYTHON)" APT="$(APT)" sh .ci/prepare
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/demo.stamp: $(VENV)/created.stamp $(BUILD_INPUTS)
	@echo "installing deciban into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/learn.stamp: $(VENV)/demo.stamp
	@$(BIN)/python -m pip install --quiet --editable '.[learn]'
	@touch $@

$(VENV)/test.stamp: $(VENV)/created.stamp $(BUILD_INPUTS)
	@PYTHON="$(PYTHON)" APT="$(APT)" sh .ci/prepare tests
	@echo "installing deciban and its test suite into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

$(VENV)/lint.stamp: $(VENV)/test.stamp
	@$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	@touch $@
