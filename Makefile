# make demo    build Nanoscope and watch it work on the examples
# make test    everything that must pass
# make bench   the measurements in bench/; not bench/gsl, which takes an hour and more
# make docs    the pages made from the source
# make deb     a Debian package in target/
# make book    the book in target/book, by mdBook
# make install put `nanoscope` and its part `nanoscope-llvm` into ~/.cargo/bin

CARGO ?= cargo
# Everything is built once here: what a second build could reuse is gigabytes that nobody reads.
export CARGO_INCREMENTAL ?= 0
NANOSCOPE = $${CARGO_TARGET_DIR:-target}/release/nanoscope

.PHONY: demo test bench docs deb book install setup build fmt clippy tidy

demo: build
	@scripts/demo.sh "$(NANOSCOPE)"

test: setup fmt clippy tidy
	@CARGO="$(CARGO)" scripts/test.sh --workspace

build: setup
	$(CARGO) build --release -p nanoscope-cli

fmt: setup
	$(CARGO) fmt --all --check

clippy: setup
	$(CARGO) clippy --workspace --all-targets -- -D warnings

tidy: setup
	$(CARGO) run --quiet -p nanoscope-tidy

bench: build
	@for script in bench/*/run.sh bench/*/run.py; do \
	    [ -x "$$script" ] && [ "$$script" != bench/gsl/run.sh ] || continue; \
	    echo "== $$script"; \
	    NANOSCOPE="$(NANOSCOPE)" "$$script" || exit 1; \
	done

docs:
	$(CARGO) run --quiet -p nanoscope-report --example findings > docs/findings.md
	$(CARGO) run --quiet -p nanoscope-report --example schema > docs/nanoscope-1.schema.json
	$(CARGO) run --quiet -p nanoscope-explore --example library > docs/library.md

deb: build
	@scripts/deb.sh "$${CARGO_TARGET_DIR:-target}"

book:
	@command -v mdbook >/dev/null || { echo "mdbook is missing: cargo install mdbook" >&2; exit 2; }
	mdbook build docs

install: setup
	$(CARGO) install --locked --path cli

setup:
	@scripts/setup.sh
