"""Being built."""


def main() -> int:
    """Entry point."""
    return 2
