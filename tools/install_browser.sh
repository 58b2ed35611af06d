#!/bin/sh
# Chromium for the browser tests and Tesseract for the OCR tests: installs them with apt where it may, else says what to install.
# In CI (CI set) a missing browser is a failure; elsewhere the browser tests then fail with the same advice.
set -eu
have() { command -v "$1" >/dev/null 2>&1; }
browser() { have chromium || have chromium-browser || have google-chrome || [ -n "${GROUNDED_CHROMIUM:-}" ]; }
if browser && have tesseract; then exit 0; fi
if have apt-get && [ "$(id -u)" = 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium tesseract-ocr fonts-dejavu-core >/dev/null
fi
if browser; then
    have tesseract || echo "Tesseract is missing: OCR tests are skipped. Debian and Ubuntu: sudo apt-get install tesseract-ocr; macOS: brew install tesseract" >&2
    exit 0
fi
echo "No Chromium found. Debian: sudo apt-get install chromium; macOS: brew install --cask chromium; or set GROUNDED_CHROMIUM to a browser's path." >&2
exit 1
