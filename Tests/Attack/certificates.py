# SPDX-License-Identifier: Apache-2.0
"""Random models through `legato verify`: the program's own interpreter has to agree, and no law to break."""

import os
import re

from models import Writer, text_of
from result import Failed, Tried


class Certificates:
    """Valid models, as graphs has them. That a model makes infinities of its input is no fault of the program."""

    name = "certificates"

    def __init__(self, program):
        self.program, self.functions = program, program.functions()

    def case(self, random, folder):
        writer = Writer(random, self.functions)
        for name, document in [("model.json", writer.model()), *writer.files.items()]:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text_of(document, random))
        channels = writer.inputs["src"][:1] or (1,)
        arguments = ["verify", "model.json", "--blocks", "0", "--channels", str(channels[0])]
        arguments += random.choice([[], [], ["--rate", "44100"], ["--rate", "192000"], ["--cpu", "x86-64"]])
        outcome = self.program.run(arguments, folder=folder)
        if complaint := outcome.complaint():
            return Failed(*complaint)
        if outcome.code not in (0, 4):
            text = outcome.messages.strip().splitlines()[0]
            if "the constant here is" in text or "a frequency between" in text:
                return Tried()
            return Failed("refused", text)
        broken = [line.strip() for line in outcome.output.decode().splitlines() if line.strip().startswith("BROKEN")]
        broken = [line for line in broken if "law 4: finite" not in line]
        if broken:
            return Failed(named(broken[0]), " / ".join(broken)[:600])
        return Tried()


def named(line):
    """The law that is broken, and whether by no more than a few times what is allowed."""
    numbers = re.search(r"number \d+: (\S+), not (\S+); a loop may be (\S+) away", line)
    law = re.sub(r"^BROKEN\s+", "", line).split("   ")[0].strip()
    if not numbers:
        return law
    given, meant, allowed = (float(number) for number in numbers.groups())
    return f"{law}, just beyond" if abs(given - meant) <= 4 * allowed else law
