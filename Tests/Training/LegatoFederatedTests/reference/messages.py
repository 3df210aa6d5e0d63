# SPDX-License-Identifier: Apache-2.0
"""Writes messages.json: messages of Flower's own Python package (flwr 1.42), taken apart into objects by it.

    pip install flwr==1.42.0 && python messages.py
"""
import json
import pathlib

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Error, Message, MetricRecord, RecordDict
from flwr.app.message.message import make_message
from flwr.app.metadata import Metadata
from flwr.common.serde import message_to_proto
from flwr.proto.fleet_pb2 import PullMessagesResponse
from flwr.supercore.inflatable.inflatable_object import get_all_nested_objects, get_object_tree


def metadata(kind, group, tasks=(None, None), reply=""):
    return Metadata(
        run_id=12_345_678_901_234_567_890, message_id="", src_node_id=1, dst_node_id=9_876_543_210_123_456_789,
        reply_to_message_id=reply, group_id=group, created_at=1_790_000_000.25, ttl=43_200.5, message_type=kind,
        src_task_id=tasks[0], dst_task_id=tasks[1])


def tree(node):
    return [node.object_id, [tree(child) for child in node.children]]


def described(name, message, chunked=False):
    objects = get_all_nested_objects(message)
    message.metadata.__dict__["_message_id"] = message.object_id
    answer = PullMessagesResponse(
        messages_list=[message_to_proto(make_message(message.metadata, RecordDict()))]
        if message.has_content() else [message_to_proto(message)],
        message_object_trees=[get_object_tree(message)])
    contents = {key: value.deflate().hex() for key, value in objects.items()}
    if chunked:  # Of large objects the names will do: they are hashes.
        contents = {key: value for key, value in contents.items() if len(value) < 4000}
    return {
        "name": name, "tree": tree(get_object_tree(message)), "objects": contents,
        "order": list(objects), "pulled": answer.SerializeToString(deterministic=True).hex()}


weights = {"dense.weight": np.array([[0.5, -1.25, 3.0], [1e-8, 0.0, -0.0]], np.float32),
           "dense.bias": np.array([1.0, -2.0], np.float32), "scale": np.array(0.125, np.float32)}
everything = ConfigRecord({
    "epochs": 3, "rate": 0.05, "minus": -7, "large": 2**64 - 1, "flag": True, "off": False, "zero": 0,
    "text": "naïve – \U0001d11e \"quoted\"\n", "raw": b"\x00\xff", "ints": [1, -2, 3], "reals": [0.5, -0.25],
    "flags": [True, False], "texts": ["a", "ü"], "raws": [b"a", b""], "huge": [2**63, 1]})
train = Message(
    metadata=metadata("train", "1", (5, None)),
    content=RecordDict({"arrays": ArrayRecord({k: Array(v) for k, v in weights.items()}), "config": everything}))
reply = Message(
    metadata=metadata("train", "1", (None, 5), "ab" * 32),
    content=RecordDict({
        "arrays": ArrayRecord({"a/\u00e9\"\\": Array(weights["dense.bias"]), "twin": Array(weights["dense.bias"])}),
        "metrics": MetricRecord({"loss": 0.25, "num-examples": 40, "curve": [1.0, 0.5], "counts": [3, -4]})}))
old = Message(
    metadata=metadata("evaluate", "3"),
    content=RecordDict({
        "evaluateins.parameters": ArrayRecord({
            str(i): Array(dtype="", shape=(), stype="numpy.ndarray", data=Array(v).data)
            for i, v in enumerate(weights.values())}),
        "evaluateins.config": ConfigRecord({})}))
failed = Message(metadata=metadata("query", ""), error=Error(code=6, reason="no such thing"))
# 18 MB: four chunks, of which two are alike.
long = np.zeros(4_500_000, np.float32)
long[-1] = 1
chunks = Message(
    metadata=metadata("train", "2"), content=RecordDict({"arrays": ArrayRecord({"long": Array(long)})}))

result = [described("train", train), described("reply", reply), described("old", old), described("failed", failed),
          described("chunks", chunks, chunked=True)]
pathlib.Path(__file__).with_name("messages.json").write_text(json.dumps(result, indent=1) + "\n")
