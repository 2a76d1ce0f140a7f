#!/usr/bin/env bash
# Builds every published crate, one after the other, into a library without std.
set -euo pipefail
cd "$(dirname "$0")"

for crate in mars-time mars-wire mars-wire-sha2 mars-wire-alloc mars-wire-bytes mars-cc \
    mars-forwarder-core mars-consumer-core mptcp-acw mpquic-split; do
    echo "no_std: $crate"
    cargo build --quiet --features "$crate"
done
# All at once, optimised: what an embedder links.
echo "no_std: all"
cargo build --quiet --release --all-features
