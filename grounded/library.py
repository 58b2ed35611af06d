"""The workspace: PDFs in, indexed, listed, removed."""
