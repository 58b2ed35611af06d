"""A small library of the two sample fact sheets, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from grounded.library import Library
from grounded.settings import Settings, load_settings


@pytest.fixture(scope="session")
def library(samples: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Library:
    made = Library(str(tmp_path_factory.mktemp("library")), settings=load_settings())
    results = made.add(samples)
    assert all(result.usable for result in results)
    return made


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"traces": tmp_path / "traces"})
