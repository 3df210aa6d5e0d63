#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes conversation.json: all that a native client and a real SuperLink tell each other in three rounds (flwr 1.42).

    Tests/Federated/record.py [LEGATO]

The client has a key of its own making, and leaves for good. What it asks for in vain, again and again, is left out, and whether
the run goes on.
"""
import base64
import http.client
import http.server
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time

import numpy as np
from flwr.proto.fleet_pb2 import PullMessagesResponse
from proof import HERE, Proof, free_port

PLACE = HERE.parent / "Training/LegatoFederatedTests/reference/conversation.json"


class Recorder(http.server.BaseHTTPRequestHandler):
    """Stands between the two, and writes down what it passes on."""

    server_port, exchanges, lock = 0, [], threading.Lock()

    # pylint: disable-next=invalid-name
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        link = http.client.HTTPConnection("127.0.0.1", self.server_port)
        link.request("POST", self.path, body, dict(self.headers))
        answer = link.getresponse()
        content = answer.read()
        name = self.path.rsplit("/", 1)[-1]
        with self.lock:
            if answer.status != 200 and name != "get-run":
                raise SystemExit(f"{name}: {answer.status} {content}")
            if name != "get-run" and (name != "pull-messages" or PullMessagesResponse.FromString(content).messages_list):
                self.exchanges.append([name, base64.b64encode(body).decode(), base64.b64encode(content).decode()])
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):
        pass


def main():
    legato = sys.argv[1] if len(sys.argv) > 1 else str(HERE.parents[1] / ".build/release/legato")
    folder = tempfile.mkdtemp()
    proof = Proof(str(pathlib.Path(legato).resolve()), folder)
    try:
        Recorder.server_port = free_port()
        proof.superlink(Recorder.server_port)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        device = proof.start(
            [proof.legato, "federate", "model.json", "--server", f"http://127.0.0.1:{server.server_port}", "--data",
             "shard0.npz", "--batch", 8, "--validate", 0, "--learning-rate", 0.5, "--rounds", 3], "device")
        # A sign of life comes each 24 seconds.
        while not any(name == "send-node-heartbeat" for name, _, _ in Recorder.exchanges):
            time.sleep(0.1)
        proof.result(form="message", clients=1, rounds=3, rate=0.5)
        if device.wait(60):
            raise SystemExit((pathlib.Path(folder) / "device.log").read_text(encoding="utf-8"))
        proof.running.remove(device)
        with np.load(pathlib.Path(folder) / "shard0.npz") as file:
            data = {name: file[name].reshape(-1).tolist() for name in ("x", "target")}
        lines = ",\n".join(json.dumps(exchange) for exchange in Recorder.exchanges)
        PLACE.write_text(f'{{"x": {data["x"]}, "target": {data["target"]}, "exchanges": [\n{lines}\n]}}\n', encoding="utf-8")
    finally:
        proof.end_all()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
