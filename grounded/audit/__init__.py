"""Every step of every answer in a hash chain, sealed by a signed ledger; anyone can check it (SPEC.md)."""
