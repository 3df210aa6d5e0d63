# SPDX-License-Identifier: Apache-2.0
"""Programs that are run: where they are, what they say, and what is missing."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
REPOSITORY = HERE.parent.parent
BUILD = REPOSITORY / ".build" / "peers"


class Failure(Exception):
    """What ends the comparison, in one line."""


def run(
    words: list[str | Path], text: str | None = None, name: str | None = None,
    environment: dict[str, str] | None = None
) -> str:
    """The standard output of a program that has to succeed; its name is for the message."""
    name = name or Path(words[0]).name
    try:
        done = subprocess.run(
            [str(word) for word in words], input=text, capture_output=True, text=True, cwd=REPOSITORY,
            env=environment)
    except OSError as error:
        raise Failure(f"{name} does not start: {error.strerror}") from error
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        # Compilers say what was wrong among much else.
        line = next((line for line in lines if "error" in line), lines[-1] if lines else "it says nothing")
        raise Failure(f"{name} ended with status {done.returncode}: {line}")
    return done.stdout


@dataclass
class Programs:
    """Finds programs, and keeps what is missing for the foot of the table."""

    missing: list[str] = field(default_factory=list)

    def find(self, name: str, package: str, rows: str) -> str | None:
        """Where a program is; None where its rows are left out."""
        path = shutil.which(name)
        if not path:
            self.missing.append(f"{rows}: left out, as {name} is missing; install it: apt-get install {package}")
        return path


def python_with(modules: list[str], folder: str | None = None) -> str | None:
    """A Python that has packages: one of its own in .build/peers, or this one or the system's."""
    pythons = [sys.executable, shutil.which("python3", path=os.defpath), shutil.which("python3")]
    if folder:
        pythons = [str(BUILD / folder / "bin" / "python")]
    look = f"import sys; from importlib.util import find_spec; sys.exit(None in map(find_spec, {modules}))"
    quietly = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return next(
        (python for python in pythons
         if python and os.path.exists(python) and subprocess.call([python, "-c", look], **quietly) == 0), None)


def compile_c(compiler: str, source: Path, program: Path, *further: str | Path) -> Path:
    run([compiler, "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{HERE / 'runners'}", source,
         *further, "-ldl", "-o", program])
    return program
