"""Grounded answers questions about PDFs and proves every claim on the page it came from."""

__version__ = "0.1.0"
