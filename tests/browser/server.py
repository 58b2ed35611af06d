"""An app server of its own for a test: own port, own library, traces and keys, stopped at the end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def chromium() -> str:
    """Path of the browser. Raises RuntimeError with what to install."""
    chosen = os.environ.get("GROUNDED_CHROMIUM")
    names = ("chromium", "chromium-browser", "google-chrome")
    if found := chosen or next((path for name in names if (path := shutil.which(name))), None):
        return found
    raise RuntimeError(
        "No Chromium found. Debian: sudo apt-get install chromium; macOS: brew install --cask chromium; "
        "or set GROUNDED_CHROMIUM to a browser's path."
    )


class Server:
    """`streamlit run` of a script, as a context manager. Give it a folder and it keeps its data there; further
    `options` of the command line may be added before it is entered."""

    def __init__(self, home: Path, script: str = "streamlit_app.py", **environment: str) -> None:
        self.home, self.script = home, script
        self.options: list[str] = []
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.environment = {
            **os.environ,
            "GROUNDED_LIBRARY": str(home / "library"),
            "GROUNDED_TRACES": str(home / "traces"),
            "GROUNDED_STATE": str(home / "state"),
            **environment,
        }

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://localhost:{self.port}"

    def __enter__(self) -> Self:
        self.log = (self.home / "server.log").open("ab")
        command = [sys.executable, "-m", "streamlit", "run", self.script]
        options = ["--server.port", str(self.port), "--server.headless", "true"]
        self.process = subprocess.Popen(
            [*command, *options, *self.options], cwd=ROOT, env=self.environment, stdout=self.log, stderr=self.log
        )
        self._until_healthy()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        self.log.close()

    def kill(self) -> None:
        """Die at once, as in a power cut."""
        self.process.kill()
        self.process.wait()

    def _until_healthy(self) -> None:
        for _ in range(600):
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended at once:\n{(self.home / 'server.log').read_text()[-3000:]}")
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1).close()
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
            else:
                return
        raise RuntimeError("the server did not come up within a minute")
