# SPDX-License-Identifier: Apache-2.0
"""Pictures that lie, and what a model says of them."""

import json
import os
import struct
import zlib

from hostile import bytes_mutated
from result import Failed, Tried, refused
from tensors import cut


class Pictures:
    """PNG and JPEG files that were damaged, cut, or say another size, and forms of pictures that make no sense."""

    name = "pictures"

    def __init__(self, program, folder):
        self.program = program
        names = sorted(name for name in os.listdir(folder) if name.endswith((".png", ".jpg")))
        self.files = {}
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                self.files[name] = file.read()

    def case(self, random, folder):
        name = random.choice(list(self.files))
        mutation = random.choice([cut, bytes_mutated, bytes_mutated, sizes_lie, sizes_lie, chunks_mixed])
        picture = mutation(self.files[name], random)
        ending = name[-4:] if random.random() < 0.8 else random.choice([".png", ".jpg", ".npy", ""])
        with open(os.path.join(folder, "it" + ending), "wb") as target:
            target.write(picture)
        model = {
            "legato": 1,
            "name": "Seen",
            "inputs": {"picture": form(random)},
            "graph": {"seen": "mean(picture, axis: [1, 2])"},
            "outputs": [{"name": "seen", "labels": ["red", "green", "blue"]}],
        }
        with open(os.path.join(folder, "seen.json"), "w") as target:
            json.dump(model, target)
        words = ["run", "seen.json"] + ["--input", "picture=it" + ending] * random.choice([1, 1, 1, 2, 5])
        if random.random() < 0.3:
            odd = ["RGB,crop", "BGR,crop=0.01", "RGB,crop=0", "RGB,[0,1],area,crop=1e-300", "grey", "RGB,mean=[1],crop=", ","]
            words += ["--image", "picture=" + random.choice(odd)]
        if random.random() < 0.3:
            words += ["--top", random.choice(["1", "3", "9"])]
        before = sorted(os.listdir(folder))
        outcome = self.program.run(words + ["-o", "out.npz"], b"", folder)
        if complaint := outcome.complaint():
            return Failed(*complaint)
        if not outcome.code:
            return Tried()
        # A picture has no lines: the file says where.
        has_place = outcome.messages.startswith(("it" + ending, "seen.json", "--")) or outcome.code == 2
        return refused(outcome, has_place, before, sorted(os.listdir(folder)))


def form(random):
    """What an input says of pictures: most often something that has a meaning."""
    size = random.choice([[3, 5, 7], [3, 8, 8], [1, 3, 4, 9], [3, 1, 64]])
    fields = {"shape": size, "type": "image"}
    if random.random() < 0.5:
        fields["resize"] = random.choice(["area", "bilinear", "cubic"])
    if random.random() < 0.5:
        fields["crop"] = random.choice([1, 0.875, 0.001, 0, -1, 2, "1"])
    if random.random() < 0.3:
        fields["normalize"] = random.choice(["[-1,1]", "ImageNet", {"mean": [0, 0, 0], "deviation": [1, 1, 0]}, "[0]"])
    return fields


def sizes_lie(file, random):
    """Another width or height in the header, whose sum of checks is right in a PNG."""
    sizes = [0, 1, 6, 8, 255, 8191, 8192, 65_535, 1 << 30, (1 << 31) - 1, (1 << 32) - 1]
    if file.startswith(b"\x89PNG"):
        head = bytearray(file[16:29])
        struct.pack_into(">I", head, random.choice([0, 4]), random.choice(sizes))
        if random.random() < 0.3:
            head[random.randrange(8, 13)] = random.choice([0, 1, 2, 3, 4, 6, 8, 16, 255])
        body = b"IHDR" + bytes(head)
        return file[:12] + body + struct.pack(">I", zlib.crc32(body)) + file[33:]
    place = max(file.find(b"\xff\xc0"), file.find(b"\xff\xc2"))
    if place < 0:
        return cut(file, random)
    return file[: place + 5] + struct.pack(">HH", *(random.choice(sizes) & 0xFFFF for _ in range(2))) + file[place + 9 :]


def chunks_mixed(file, random):
    """Parts in another order, twice, or with other bytes between them."""
    places = sorted(random.randrange(len(file)) for _ in range(4))
    a, b, c, d = places
    return random.choice(
        [
            file[:a] + file[c:d] + file[b:c] + file[a:b] + file[d:],
            file[:c] + file[a:c] * random.choice([1, 100]) + file[c:],
            file[:a] + bytes(random.randrange(256) for _ in range(random.choice([1, 100, 10_000]))) + file[a:],
        ]
    )
