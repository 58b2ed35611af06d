"""Every number and switch, read once from the environment and `.env`, bounded, handed down, and written into the trace.

Environment: GROUNDED_<GROUP>__<NAME>, for example GROUNDED_RETRIEVAL__TOP_K=8; the model's key, name and address keep
the names the field uses (ANTHROPIC_API_KEY, ANTHROPIC_MODEL, ANTHROPIC_BASE_URL).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from grounded import locations
from grounded.errors import UsageError
from grounded.text import is_this_machine, without_login


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DocumentSettings(_Group):
    """Reading PDFs."""

    timeout_s: float = Field(default=300, gt=0, description="per file, in its worker process")
    memory_mb: int = Field(default=2048, ge=128, description="per worker process")
    max_pages: int = Field(default=20_000, ge=1)
    max_file_mb: int = Field(default=512, ge=1)
    render_pixels: int = Field(default=4_000_000, ge=10_000, description="cap of a rendered page, width x height")
    workers: int = Field(default=0, ge=0, description="extraction processes; 0 = one per core")
    ocr: Literal["auto", "off"] = Field(
        default="auto", description="auto: Tesseract for pages without usable text, when installed"
    )
    ocr_language: str = Field(default="eng", pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$")
    lock_wait_s: float = Field(default=120, ge=0, description="how long adding waits for another process that writes")
    chunk_tokens: int = Field(default=200, ge=32, le=250, description="the embedder reads 256")


class StorageSettings(_Group):
    """A library on object storage."""

    lease_s: float = Field(default=60, ge=1, description="a writer that was silent for so long has lost the lock")
    retries: int = Field(default=5, ge=0, le=20, description="of a request that failed, within 30 s")


class RetrievalSettings(_Group):
    """Finding passages."""

    top_k: int = Field(default=8, ge=1, le=100)
    candidates: int = Field(default=50, ge=1, le=1000, description="per retriever before fusion")
    neighbours: int = Field(
        default=0, ge=0, le=20, description="passages beside the hits that are offered to the reader as well"
    )
    reranker: Literal["off", "bundled"] | str = Field(
        default="off", description="off, bundled, or a cross-encoder's name or folder"
    )
    glossary: Path | None = Field(
        default=None, description="a user's own terms, JSON, added to the built-in glossaries"
    )


class GenerationSettings(_Group):
    """Asking the model."""

    budget_tokens: int = Field(default=6000, ge=100, description="of the context")
    misfits: Literal["skip", "stop"] = Field(
        default="skip", description="a passage that does not fit the budget: skip it, or end the context there"
    )
    max_tokens: int = Field(default=4096, ge=64, le=21_000, description="of the reply")
    include_citations: bool = Field(
        default=True, description="labels inside the context text; citations exist either way"
    )
    effort: Literal["low", "medium", "high"] | None = Field(
        default=None, description="how hard the model works on an answer; None: its own default"
    )
    mode: Literal["quotes", "native"] = Field(default="quotes", description="native: the provider's own citations")


class VerificationSettings(_Group):
    """Checking claims."""

    model: str = Field(default="claude-haiku-5-5", description="the verifier's own model; used only with a key")
    repair_rounds: int = Field(default=1, ge=0, le=3)
    parallel: int = Field(default=4, ge=1, le=32)
    batch: int = Field(default=3, ge=1, le=20, description="claims in one verification call")


class ModelSettings(_Group):
    """The model endpoint."""

    deadline_s: float = Field(default=120, gt=0, description="whole call, retries and waits included")
    first_byte_s: float = Field(default=60, gt=0)
    stall_s: float = Field(default=30, gt=0, description="longest silence inside a stream")
    connect_s: float = Field(default=10, gt=0)
    max_attempts: int = Field(default=4, ge=1, le=10)
    retry_first_s: float = Field(default=0.5, ge=0, description="first wait; doubles, jittered; retry-after wins")
    retry_cap_s: float = Field(default=8, ge=0, description="longest wait the server did not ask for")
    budget_usd_question: float | None = Field(default=None, ge=0)
    budget_usd_day: float | None = Field(default=None, ge=0)
    prices: Path | None = Field(default=None, description="a price table (JSON) instead of the built-in dated one")


class AuditSettings(_Group):
    """Writing the log."""

    replica: str = Field(
        default="", max_length=100, description="name of this one of several replicas; each needs its own traces folder"
    )
    fail_closed: bool = Field(default=True, description="no answer is shown when its trace cannot be written")
    store_content: bool = Field(default=True, description="keep large values beside the log behind commitments")
    encrypt_content: bool = Field(default=False, description="encrypt what is kept beside the log (AES-256-GCM)")
    erasable: tuple[str, ...] = Field(
        default=(), description="names of fields kept beside the log so that they can be erased, e.g. question"
    )


class Settings(BaseSettings):
    """All settings. The key is never printed, logged or recorded."""

    model_config = SettingsConfigDict(
        env_prefix="GROUNDED_",
        env_nested_delimiter="__",
        env_file=".env",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    library: str = Field(default_factory=locations.library)
    traces: Path = Field(default_factory=locations.traces)
    api_key: SecretStr | None = Field(default=None, validation_alias=AliasChoices("ANTHROPIC_API_KEY", "api_key"))
    model: str = Field(default="claude-sonnet-5-5", validation_alias=AliasChoices("ANTHROPIC_MODEL", "model"))
    base_url: str | None = Field(default=None, validation_alias=AliasChoices("ANTHROPIC_BASE_URL", "base_url"))
    reader: Literal["auto", "claude", "extractive"] = Field(
        default="auto", description="auto: claude with a key, else extractive"
    )
    documents: DocumentSettings = DocumentSettings()
    storage: StorageSettings = StorageSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    generation: GenerationSettings = GenerationSettings()
    verification: VerificationSettings = VerificationSettings()
    llm: ModelSettings = ModelSettings()
    audit: AuditSettings = AuditSettings()

    def record(self) -> dict[str, Any]:
        """What goes into the trace: everything but the key, and no login inside the address."""
        kept = self.model_dump(mode="json", exclude={"api_key"})
        return kept | {"base_url": without_login(self.base_url) if self.base_url else None}

    @property
    def reader_in_use(self) -> Literal["claude", "extractive"]:
        """The reader that will answer: the chosen one, or by whether a key (or a local endpoint) is set."""
        if self.reader != "auto":
            return self.reader
        has_key = bool(self.api_key and self.api_key.get_secret_value().strip())
        return "claude" if has_key or is_this_machine(self.base_url or "") else "extractive"


def load_settings(overrides: Mapping[str, Any] | None = None) -> Settings:
    """The environment's and `.env`'s settings with `overrides` on top ({"retrieval": {"top_k": 5}}; None is ignored).

    Raises UsageError that names the setting when a value is out of its bounds.
    """
    try:
        base = Settings().model_dump()
        return Settings.model_validate(_merged(base, overrides or {}))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "settings"
        raise UsageError(f"this setting cannot be used: {first['msg']}", where=where) from error


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), Mapping):
            merged[key] = _merged(base[key], value)
        elif value is not None:
            merged[key] = value
    return merged
