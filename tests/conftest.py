"""Fixtures every test folder shares."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from grounded import locations

# No wall clock in a test: the machines are noisy. Seeds are fixed so that a red run can be repeated.
hypothesis_settings.register_profile("grounded", deadline=None, derandomize=True, max_examples=60)
hypothesis_settings.load_profile("grounded")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def private_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the user's keys and pins, and none sees a real API key."""
    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("GROUNDED_STATE", str(state))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"):
        monkeypatch.delenv(name, raising=False)
    return state


@pytest.fixture(scope="session")
def shared() -> Path:
    """The public test data; the test is skipped aloud when it is not there."""
    folder = locations.shared()
    folder = folder if folder.is_absolute() else ROOT / folder
    if not (folder / "bench").is_dir():
        pytest.skip(f"public test data not found at {folder} (set GROUNDED_SHARED)")
    return folder


@pytest.fixture(scope="session")
def samples() -> list[Path]:
    """The two sample fact sheets, older first."""
    return [ROOT / "data" / "nimbus_2024.pdf", ROOT / "data" / "nimbus_2025.pdf"]
