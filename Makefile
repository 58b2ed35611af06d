# Two commands: `make app` and `make test`. Everything else they need, they do themselves, once.
PYTHON ?= python3
PORT ?= 8501
PYTEST_ARGS ?= -n 2 --dist loadfile
BIN := .venv/bin
# The PyTorch project's own index of CPU builds; used when it answers, and only where no GPU is found.
TORCH_CPU_INDEX ?= https://download.pytorch.org/whl/cpu
export GROUNDED_SHARED ?= ../shared

.PHONY: app test check bench setup clean help

help:            ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

app: .venv/.app .grounded/.samples  ## set up, index the sample documents, serve the app on http://localhost:8501
	@echo "Stop with Ctrl-C."
	@$(BIN)/python -m grounded app --port $(PORT)

test: .venv/.dev .venv/.browser  ## set up, run every test, browser tests included
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: .venv/.dev  ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/.dev  ## speed and quality figures, as ratios against a floor in the same run
	$(BIN)/python -m bench

setup: .venv/.dev .venv/.browser  ## only the set-up

.venv/bin/python:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed: make PYTHON=python3.11 …"'
	$(PYTHON) -m venv .venv

.venv/.torch: .venv/bin/python
	@sh tools/install_torch.sh $(BIN)/python "$(TORCH_CPU_INDEX)"
	@touch $@

.venv/.app: .venv/.torch requirements.txt constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@

.venv/.dev: .venv/.app requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt -c constraints.txt
	@touch $@

.venv/.browser: tools/install_browser.sh
	@mkdir -p .venv
	@sh tools/install_browser.sh && touch $@

.grounded/.samples: .venv/.app data/nimbus_2024.pdf data/nimbus_2025.pdf
	$(BIN)/python -m grounded index data
	@touch $@

clean:           ## remove the environment and the library (documents you added included)
	rm -rf .venv .grounded
