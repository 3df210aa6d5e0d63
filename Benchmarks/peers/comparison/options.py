# SPDX-License-Identifier: Apache-2.0
"""What the command line asks for."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    quick: bool
    json: Path | None
    processor: int

    @property
    def rounds(self) -> int:
        """How often all contenders take their turn."""
        return 3 if self.quick else 9

    @property
    def milliseconds(self) -> float:
        """How long a contender runs a block of one size in a round."""
        return 3 if self.quick else 8

    @property
    def file_rounds(self) -> int:
        return 3 if self.quick else 9


def parse(arguments: list[str] | None = None) -> Options:
    allowed = sorted(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        prog="compare", allow_abbrev=False,
        description="Measures Legato beside its peers, in one run on one processor, and prints one table.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds: less than a minute, and noisier")
    parser.add_argument("--json", metavar="FILE", type=Path, help="the rows as JSON, too")
    parser.add_argument(
        "--processor", metavar="N", type=int, default=allowed[0],
        help=f"stay on processor N (default {allowed[0]})")
    options = parser.parse_args(arguments)
    if options.processor not in allowed:
        parser.error(f"processor {options.processor} cannot be had; there are {', '.join(map(str, allowed))}")
    if options.json:
        folder = options.json.absolute().parent
        if options.json.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            parser.error(f"{options.json} cannot be written; name a file in a folder that is there")
    return Options(options.quick, options.json, options.processor)


if __name__ == "__main__":
    parse()
