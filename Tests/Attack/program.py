# SPDX-License-Identifier: Apache-2.0
"""The program that is attacked, run with limits of time and memory, and what is wrong with how it ended."""

import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

CODES = {0, 1, 2, 3, 4}
GIB = 1 << 30
ADDRESSES = 12 * GIB  # of address space, of which little is ever used
MEMORY = 3 * GIB  # that is used: a context may have 2
TRAP = re.compile(r"Fatal|failed|failure| in legato at ")  # what Swift says of a trap
MESSAGES = 1 << 20  # bytes of messages


@dataclass
class Outcome:
    """How a run ended. `code` is that of subprocess: negative where a signal ended it."""

    code: int
    output: bytes
    messages: str
    seconds: float
    work: float  # seconds of processors
    memory: int
    hung: bool

    def complaint(self):
        """What no input may bring about, as a short name and a sentence, or None."""
        last = self.messages.strip().splitlines()[-1:] or [""]
        if self.hung:
            return "hang", f"did not end within {self.seconds:.0f} s"
        if self.code < 0:
            told = [line.strip() for line in self.messages.splitlines() if TRAP.search(line)]
            return f"signal {signal.Signals(-self.code).name}", " / ".join(told[:3] or last)[:500]
        if self.code not in CODES:
            return "exit code", f"{self.code} is no exit code that is documented: {last[0][:300]}"
        if self.memory > MEMORY:
            return "memory", f"{self.memory / GIB:.1f} GiB"
        if self.code != 0 and not self.messages.strip():
            return "no message", f"exit code {self.code}"
        if len(self.messages) > MESSAGES:
            return "flood", f"{len(self.messages)} characters of messages"
        if odd := re.search(r"[\x00-\x08\x0b-\x1f\x7f\ufffd]", self.messages):
            return "unprintable message", f"{odd.group()!r} in {self.messages[max(0, odd.start() - 80):odd.end()]!r}"
        return None


class Program:
    """The command. Without a cache, code is made anew each time; nothing of who attacks is touched."""

    def __init__(self, path, limit=60):
        self.path, self.limit, self.cache = os.path.abspath(path), limit, ""

    def with_cache(self, folder):
        """The same command, which keeps its code in a folder."""
        other = Program(self.path, self.limit)
        other.cache = os.path.join(folder, "cache")
        return other

    def start(self, arguments, input=b"", folder=None):
        """Starts the command with these arguments and this standard input."""
        return Run(self, arguments, input, folder)

    def run(self, arguments, input=b"", folder=None):
        """Runs the command to its end."""
        return self.start(arguments, input, folder).outcome()

    def functions(self):
        """The names of all functions of the language."""
        return [function["name"] for function in json.loads(self.run(["ops", "--json"]).output)]


class Run:
    """The command at work."""

    def __init__(self, program, arguments, input, folder):
        self.limit, self.begun = program.limit, time.monotonic()
        self.output, self.messages = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        with tempfile.TemporaryFile() as given:
            given.write(input)
            given.seek(0)
            self.process = subprocess.Popen(
                [program.path, *arguments],
                stdin=given,
                stdout=self.output,
                stderr=self.messages,
                cwd=folder,
                env={**os.environ, "LEGATO_CACHE": program.cache, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"},
                preexec_fn=limited,
            )

    def outcome(self):
        """Waits for the end, and ends what takes too long."""
        hung = []

        def end(*_):
            hung.append(True)
            self.process.kill()

        before = signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, max(0.1, self.begun + self.limit - time.monotonic()))
        try:
            _, status, usage = os.wait4(self.process.pid, 0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (self.output, self.messages):
            file.seek(0)
            texts.append(file.read())
            file.close()
        return Outcome(
            self.process.returncode,
            texts[0],
            texts[1].decode("utf-8", "replace"),
            time.monotonic() - self.begun,
            usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss * 1024,
            bool(hung),
        )


def limited():
    """What the process that is attacked may take."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (GIB, GIB))
