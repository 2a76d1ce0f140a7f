#!/usr/bin/env bash
# Installs the foreign stacks, each package by its exact version, and runs the tests against them.
# Everything is installed inside the checkout (tests/interop/.venv, tests/interop/ndnts/node_modules).
#
# A stack is skipped only if its registry is out of reach; with CI=true that is a failure.
set -euo pipefail
cd "$(dirname "$0")"
exec </dev/null

has() {
    command -v "$1" >/dev/null 2>&1
}

# Debian's packages, where a machine that may install them lacks them.
provide() {
    if has apt-get && [ "$(id -u)" = 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
    fi
}

missing=()
skip() {
    missing+=("$1")
    printf '\n*** SKIPPED: %s: %s\n\n' "$1" "$2" >&2
}

fail() {
    echo "$1 could not be installed, although its registry answers" >&2
    exit 1
}

install_ndnts() {
    has node && has npm || provide nodejs npm || true
    has node && has npm || { skip NDNts "there is no node or no npm"; return; }
    # Its packages ask for a later Node; what they use is there from 18 on.
    (cd ndnts && npm ci --no-audit --no-fund --loglevel=error) && return
    (cd ndnts && npm view @ndn/packet version >/dev/null 2>&1) && fail NDNts
    skip NDNts "the npm registry is out of reach"
}

install_python_ndn() {
    python3 -c 'import ensurepip, venv' 2>/dev/null || provide python3 python3-venv || true
    python3 -c 'import ensurepip, venv' 2>/dev/null || { skip python-ndn "there is no python3 with venv"; return; }
    # The mark of a complete installation goes first and comes back last.
    rm -f .venv/installed
    python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes \
        -r python/requirements.txt && touch .venv/installed && return
    .venv/bin/pip index versions python-ndn >/dev/null 2>&1 && fail python-ndn
    skip python-ndn "the Python package index is out of reach"
}

install_ndnts
install_python_ndn

if [ "${#missing[@]}" -gt 0 ] && [ "${CI:-}" = true ]; then
    echo "not installed: ${missing[*]}" >&2
    exit 1
fi
# Where both are installed, a test that skips one fails.
[ "${#missing[@]}" -gt 0 ] || export MARS_INTEROP=required
cargo test --locked -p mars-interop -- --show-output
