#!/bin/sh
# Installs the pinned torch: the CPU build where there is no NVIDIA GPU. $1 = python, $2 = index of CPU builds.
set -eu
pin=$(grep -E '^torch==' requirements.txt)
if "$1" -c 'import torch' 2>/dev/null; then exit 0; fi
if [ "$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null 2>&1; then
    if "$1" -m pip install --quiet --disable-pip-version-check --retries 0 --timeout 5 --no-deps --index-url "$2" "$pin" 2>/dev/null; then
        exit 0
    fi
    echo "The index of CPU builds does not answer: installing $pin from the default index." >&2
fi
"$1" -m pip install --quiet --disable-pip-version-check "$pin"
