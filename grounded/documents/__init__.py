"""PDF bytes -> Document -> Chunks; page + boxes -> PNG. The only home of PyMuPDF."""
