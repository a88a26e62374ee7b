#!/bin/sh
# F-Soft's tables II and III by the general machinery, and what is real of them.
set -eu
cd "$(dirname "$0")/../.."
cargo build --release --quiet -p nanoscope-errors --example fsoft
target/release/examples/fsoft
