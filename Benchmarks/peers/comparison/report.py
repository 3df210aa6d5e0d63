# SPDX-License-Identifier: Apache-2.0
"""The table, and the same as JSON."""

import json
import os
import platform
from pathlib import Path

from .contender import STEP, Row
from .files import SECONDS, FileRow
from .networks import Network


def machine() -> dict[str, object]:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
    return {
        "processor": name, "kernel": platform.release(), "loadAverage": [round(load, 2) for load in os.getloadavg()]}


def number(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def blocks(rows: list[Row]) -> str:
    lines = [f"{'':34}{'Legato':>12}  {'peer':48}{'':>12}{'ratio':>9}  how; what differs"]
    for graph in dict.fromkeys(row.graph for row in rows):
        is_step = any(row.graph == graph and row.frames == STEP for row in rows)
        lines.append(f"\n{graph}, one {'step' if is_step else 'block'}")
        for row in sorted((row for row in rows if row.graph == graph), key=lambda row: (row.frames, row.ratio)):
            lines.append(
                f"{'' if is_step else f'{row.frames} frames':34}{number(row.legato) + ' ns':>12}  {row.peer:48}"
                f"{number(row.nanoseconds) + ' ns':>12}{number(row.ratio):>9}  {row.setting}")
    return "\n".join(lines)


def files(rows: list[FileRow]) -> str:
    lines = [
        f"\n{SECONDS} s of stereo floats at 48 kHz, file to file, as processes",
        f"{'':34}{'time':>12}{'processor':>12}{'memory':>12}{'ratio':>9}"]
    for row in sorted(rows, key=lambda row: row.ratio):
        lines.append(
            f"{row.program:34}{number(row.milliseconds) + ' ms':>12}{number(row.cpu_milliseconds) + ' ms':>12}"
            f"{number(row.peak_mebibytes) + ' MiB':>12}{number(row.ratio):>9}  {row.note}")
    return "\n".join(lines)


def networks(rows: list[Network]) -> str:
    lines = [
        "\na step of whole networks, as PyTorch's older exporter writes them, one thread",
        f"{'':34}{'Legato':>12}{'peer':>12}{'ratio':>9}"]
    for row in sorted(rows, key=lambda row: row.ratio):
        lines.append(
            f"{row.name:34}{number(row.legato) + ' ms':>12}{number(row.milliseconds) + ' ms':>12}{number(row.ratio):>9}"
            f"  {row.peer}")
    return "\n".join(lines)


def write_json(
    path: Path, rows: list[Row], file_rows: list[FileRow], network_rows: list[Network], agreement: list[str],
    missing: list[str], about: dict[str, object]
) -> None:
    path.write_text(json.dumps({
        "rows": [
            {"graph": row.graph, "peer": row.peer, "frames": row.frames, "nanoseconds": row.nanoseconds,
             "legatoNanoseconds": row.legato, "ratio": row.ratio, "note": row.setting} for row in rows],
        "files": [
            {"program": row.program, "seconds": SECONDS, "milliseconds": row.milliseconds,
             "processorMilliseconds": row.cpu_milliseconds, "peakMebibytes": row.peak_mebibytes,
             "ratio": row.ratio, "note": row.note} for row in file_rows],
        "networks": [
            {"network": row.name, "peer": row.peer, "milliseconds": row.milliseconds, "legatoMilliseconds": row.legato,
             "ratio": row.ratio} for row in network_rows],
        "agreement": agreement, "missing": missing, "machine": about}, indent=1) + "\n")
