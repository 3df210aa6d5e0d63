# SPDX-License-Identifier: Apache-2.0
"""Writes keys.json: keys as Flower makes and reads them, and its signatures of a text (flwr 1.42)."""
import json
import pathlib

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from flwr.supercore.primitives.asymmetric import private_key_to_bytes, public_key_to_bytes, sign_message

text = "2026-11-25T21:26:47.123456+00:00"
keys = []
for curve in (ec.SECP256R1(), ec.SECP384R1()):
    key = ec.generate_private_key(curve)
    keys.append({
        "curve": curve.name, "private": private_key_to_bytes(key).decode(),
        "public": public_key_to_bytes(key.public_key()).decode(),
        "signature": sign_message(key, text.encode("ascii")).hex()})


def refused(key, encryption=serialization.NoEncryption()):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption).decode()


result = {
    "text": text, "keys": keys, "refused": {
        "curve": refused(ec.generate_private_key(ec.SECP521R1())),
        "kind": refused(rsa.generate_private_key(65537, 2048)),
        "password": refused(ec.generate_private_key(ec.SECP384R1()), serialization.BestAvailableEncryption(b"x")),
        "public": keys[0]["public"], "nonsense": "no key\n"}}
pathlib.Path(__file__).with_name("keys.json").write_text(json.dumps(result, indent=1) + "\n")
