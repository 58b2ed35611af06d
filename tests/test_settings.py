import pytest

from grounded.errors import UsageError
from grounded.settings import Settings, load_settings


def test_environment_and_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDED_RETRIEVAL__TOP_K", "5")
    monkeypatch.setenv("ANTHROPIC_MODEL", "some-model")
    assert load_settings().retrieval.top_k == 5
    loaded = load_settings({"retrieval": {"top_k": 7, "candidates": None}, "model": None})
    assert (loaded.retrieval.top_k, loaded.model) == (7, "some-model")


def test_a_value_out_of_bounds_is_named() -> None:
    with pytest.raises(UsageError, match=r"retrieval\.top_k"):
        load_settings({"retrieval": {"top_k": 0}})


def test_the_key_is_never_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    settings = Settings()
    assert settings.api_key is not None
    assert "sk-secret" not in str(settings.record()) + repr(settings)


def test_reader_follows_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().reader_in_use == "extractive"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    assert load_settings().reader_in_use == "claude"
    assert load_settings({"reader": "extractive"}).reader_in_use == "extractive"
