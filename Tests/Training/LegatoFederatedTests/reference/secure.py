# SPDX-License-Identifier: Apache-2.0
"""Writes secure.json: the parts of SecAgg+ as Flower's own functions make them (flwr 1.42 with NumPy 2), and what two devices of
Legato draw, by the parts of the package cryptography."""
import base64
import json
import pathlib
import random

import Crypto.Protocol.SecretSharing as sharing
import numpy as np
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives.asymmetric.ec import ECDH
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from flwr.common.secure_aggregation.crypto.shamir import create_shares
from flwr.common.secure_aggregation.crypto.symmetric_encryption import decrypt, generate_shared_key
from flwr.common.secure_aggregation.secaggplus_utils import pseudo_rand_gen
from flwr.supercore.primitives.asymmetric import generate_key_pairs, private_key_to_bytes, public_key_to_bytes

stream = random.Random(1)
secrets = []
for _ in range(2):
    (key, public), (other, others) = generate_key_pairs(), generate_key_pairs()
    shared = generate_shared_key(key, others)
    assert shared == generate_shared_key(other, public)
    secrets.append({
        "private": private_key_to_bytes(key).decode(), "public": public_key_to_bytes(others).decode(),
        "text": shared.decode()})

tokens = []
for count in (0, 1, 15, 16, 17, 400):
    key, vector, plain = stream.randbytes(32), stream.randbytes(16), stream.randbytes(count)
    # pylint: disable-next=protected-access
    token = Fernet(base64.urlsafe_b64encode(key))._encrypt_from_parts(plain, 1_790_000_000 + count, vector)
    assert decrypt(base64.urlsafe_b64encode(key), token) == plain
    tokens.append({
        "key": key.hex(), "vector": vector.hex(), "time": 1_790_000_000 + count, "plain": plain.hex(), "token": token.decode()})

shares = []
for threshold, count, length in ((3, 5, 32), (2, 3, 15), (1, 1, 16), (40, 70, 5)):
    drawn = []

    def draw(size):
        drawn.append(stream.randbytes(size))
        return drawn[-1]

    sharing.rng = draw
    secret = stream.randbytes(length)
    # One processor: blocks draw one after the other.
    import flwr.common.secure_aggregation.crypto.shamir as module
    module.os.cpu_count = lambda: 1
    made = create_shares(secret, threshold, count)
    shares.append({
        "secret": secret.hex(), "threshold": threshold, "coefficients": b"".join(drawn).hex(), "shares": [s.hex() for s in made]})

masks = []
for seed, modulus in ((b"", 2**32), (stream.randbytes(32), 2**32), (base64.urlsafe_b64encode(stream.randbytes(32)), 2**23), (
        b"\xff" * 4, 4)):
    arrays = pseudo_rand_gen(seed, modulus, [(1,), (3, 2), (), (1300,)])
    numbers = [int(number) for array in arrays for number in array.reshape(-1)]
    masks.append({"seed": seed.hex(), "modulus": modulus, "first": numbers[:12], "last": numbers[-12:], "count": len(numbers)})

devices = []
for words, modulus, count in ((b"Legato1" + b"4f" * 32, 2**32, 40), (b"other words", 2**23, 70_000)):
    (key, _), (_, public) = generate_key_pairs(), generate_key_pairs()
    secret = HKDF(SHA256(), 32, None, words).derive(key.exchange(ECDH(), public))
    drawn = Cipher(algorithms.AES(secret), modes.CTR(bytes(16))).encryptor().update(bytes(4 * count))
    numbers = (np.frombuffer(drawn, "<u4").astype(np.uint64) % modulus).tolist()
    devices.append({
        "private": private_key_to_bytes(key).decode(), "public": public_key_to_bytes(public).decode(), "words": words.decode(),
        "secret": secret.hex(), "modulus": modulus, "first": numbers[:12], "last": numbers[-12:], "count": count})

pathlib.Path(__file__).with_name("secure.json").write_text(
    json.dumps({"secrets": secrets, "tokens": tokens, "shares": shares, "masks": masks, "devices": devices}, indent=1) + "\n")
