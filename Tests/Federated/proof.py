#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Native clients and Flower's own at a real SuperLink, on the same data: the weights have to be equal, bit by bit.

    pip install flwr==1.42.0
    Tests/Federated/proof.py [LEGATO] [--many N]

All numbers of the data, the rate and the counts are such that every sum is exact in floats: whatever the order of
additions, both sides come to the same bits, or one of them computes something else.
"""
import argparse
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
MODEL = """{ "legato": 1, "name": "Line", "clock": "step", "inputs": { "x": { "shape": [3] } },
  "weights": { "w": [[0, 0, 0]], "b": [0] }, "graph": { "y": "dense(x, 'w', 'b')" }, "outputs": ["y"] }
"""
# Behind a body that does not learn, as the app has it.
BODIED = """{ "legato": 1, "name": "Bodied", "clock": "step", "inputs": { "x": { "shape": [3] } },
  "weights": { "body": [[1, 0, 0], [1, 1, 0], [0, -1, 1]], "w": [[0, 0, 0]], "b": [0] },
  "graph": { "h": "dense(x, 'body')", "y": "dense(h, 'w', 'b')" }, "outputs": ["y"] }
"""
COUNTS = [8, 16, 8]
# Of one client among many, in MB: its own, and its share of what it has in common with others.
MOST_MEMORY = 40
# Of secure aggregations: no number of theirs is exact.
RATE = 0.3


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proof:
    def __init__(self, legato, folder, app="app"):
        self.legato, self.folder, self.running = legato, pathlib.Path(folder), []
        # What ends the script ends what it has started, too.
        signal.signal(signal.SIGTERM, self.leave)
        # A shell's background job ignores interrupts, and what it starts would, too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.environment = dict(
            os.environ, FLWR_HOME=str(self.folder / "home"), FLWR_TELEMETRY_ENABLED="0", FLWR_DISABLE_UPDATE_CHECK="1",
            PATH=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
        (self.folder / "model.json").write_text(MODEL)
        (self.folder / "bodied.json").write_text(BODIED)
        shutil.copytree(HERE / app, self.folder / "app")
        random = np.random.default_rng(1)
        for row in range(50):
            count = COUNTS[row % 3]
            x = random.integers(-1, 2, (count, 3)).astype(np.float32)
            y = (x @ np.array([[2.0], [-1.0], [1.0]], np.float32) + random.integers(-1, 2, (count, 1))).astype(np.float32)
            np.savez(self.folder / f"shard{row}.npz", x=x, target=y)

    @staticmethod
    def leave(*_):
        """Goes the way out once: who ends a whole group of processes asks this one more than once."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(143)

    def start(self, command, name):
        log = open(self.folder / f"{name}.log", "w", encoding="utf-8")
        process = subprocess.Popen(
            [str(word) for word in command], stdout=log, stderr=subprocess.STDOUT, env=self.environment, cwd=self.folder,
            start_new_session=True)
        self.running.append(process)
        return process

    def end(self, process, number=signal.SIGINT):
        started = family(process.pid)[1:]
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        # Only now: who ends the script meanwhile ends this one, too.
        if process in self.running:
            self.running.remove(process)
        # A ServerApp in the middle of its run would look for its server for ever.
        for pid in started:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def end_all(self):
        for process in list(reversed(self.running)):
            self.end(process, signal.SIGTERM)

    def superlink(self, port, *options):
        process = self.start(
            ["flower-superlink", "--insecure", "--port", port, "--disable-runtime-dependency-installation", *options],
            f"superlink{port}")
        deadline = time.time() + 60
        while time.time() < deadline:
            try:
                with socket.create_connection(("127.0.0.1", port), 1):
                    break
            except OSError:
                time.sleep(0.1)
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(
            f'[superlink]\ndefault = "proof"\n\n[superlink.proof]\naddress = "127.0.0.1:{port}"\ninsecure = true\n')
        return process

    def native(self, port, row, *options, model="model.json"):
        data = self.folder / f"shard{row}.npz"
        return self.start(
            [self.legato, "federate", model, "--server", f"http://127.0.0.1:{port}", "--key", f"key{port}-{row}.pem",
             "--data", data, "--batch", COUNTS[row % 3], "--validate", "0", "--learning-rate", "0.5", "--threads", "1",
             "--report", f"report{port}-{row}.json", "-o", f"learned{port}-{row}.json", *options], f"native{port}-{row}")

    def supernode(self, port, row):
        data = self.folder / f"shard{row}.npz"
        return self.start(
            ["flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{port}", "--port", free_port(), "--node-config",
             f'shard="{data}"'], f"python{port}-{row}")

    def submit(self, options=(), **config):
        """Submits a run, which will write a file."""
        output = self.folder / f"result{time.time_ns()}{config.pop('ending', '.npz')}"
        settings = " ".join(
            f'{key}="{value}"' if isinstance(value, str) else f"{key}={value}"
            for key, value in dict(config, output=str(output)).items())
        begin = time.time()
        made = subprocess.run(
            ["flwr", "run", "app", "proof", "--run-config", settings, *options], cwd=self.folder, env=self.environment,
            capture_output=True, text=True, check=False)
        if made.returncode:
            raise SystemExit(f"flwr run: {made.stdout}{made.stderr}")
        return output, begin

    def wait(self, output, begin, most=600):
        while not output.exists():
            if time.time() - begin > most:
                for log in sorted(self.folder.glob("*.log")):
                    print(f"== {log.name}\n{log.read_text(encoding='utf-8')[-3000:]}", file=sys.stderr)
                raise SystemExit("the run has written nothing")
            time.sleep(0.05)
        return time.time() - begin

    def result(self, options=(), most=600, **config):
        output, begin = self.submit(options, **config)
        seconds = self.wait(output, begin, most)
        if output.suffix != ".npz":
            return output.read_text(encoding="utf-8"), seconds
        with np.load(output) as file:
            return {name: file[name] for name in file.files}, seconds


def family(pid):
    """A process and all that it has started, in whatever session."""
    found = [pid]
    for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in children.read_text(encoding="utf-8").split():
                found += family(int(child))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def memory(process):
    """The largest resident size, and the proportional one of now, in MB."""
    fields = {}
    for name in ("status", "smaps_rollup"):
        for line in pathlib.Path(f"/proc/{process.pid}/{name}").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if value.strip().endswith("kB"):
                fields[key] = int(value.split()[0]) / 1024
    return fields["VmHWM"], fields["Pss"]


def compare(what, first, second):
    for name in sorted(first):
        if name == "losses":
            continue
        if first[name].dtype != second[name].dtype or first[name].tobytes() != second[name].tobytes():
            raise SystemExit(f"{what}: '{name}' differs: {first[name]} and {second[name]}")
    print(f"{what}: weights equal, bit by bit")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("legato", nargs="?", default=str(HERE.parents[1] / ".build/release/legato"))
    parser.add_argument("--many", type=int, default=0, help="so many native clients in one more run")
    parser.add_argument("--keep", help="a folder that stays")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp()
    pathlib.Path(folder).mkdir(exist_ok=True)
    proof = Proof(str(pathlib.Path(options.legato).resolve()), folder)
    try:
        prove(proof, options)
    finally:
        proof.end_all()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


def prove(proof, options):
    results, seconds_of = {}, {}
    for kind in ("native", "python"):
        port = free_port()
        link = proof.superlink(port)
        begin = time.time()
        clients = [(proof.native if kind == "native" else proof.supernode)(port, row) for row in range(3)]
        for form in ("message", "old"):
            results[kind, form], seconds = proof.result(form=form, clients=3, rounds=3, rate=0.5)
            rounds = float(results[kind, form].pop("seconds"))
            seconds_of.setdefault(kind, rounds)
            print(f"{kind}, {form}: 3 clients x 3 rounds in {rounds:.1f} s ({seconds:.1f} s with Flower's beginning of a "
                  f"run); losses {results[kind, form]['losses'].tolist()}")
            if kind == "python":
                break  # The same client cannot be asked in the old form, too.
        if kind == "native":
            sizes = [memory(client) for client in clients]
            print("native: memory " + ", ".join(f"{most:.0f} MB at most ({own:.0f} in proportion)" for most, own in sizes))
            replies, _ = proof.result(kind="train.other", ending=".txt", clients=3)
            print("native, asked for 'train.other': " + replies.splitlines()[0])
            if "does not offer" not in replies:
                raise SystemExit("a request that is not offered has no proper answer")
        print(f"{kind}: {time.time() - begin:.1f} s in all")
        for client in clients:
            proof.end(client)
        proof.end(link)
    if 4 * seconds_of["native"] > seconds_of["python"]:
        raise SystemExit("native clients take more than a quarter of the time of Python's")
    compare("native and Python, message form", results["native", "message"], results["python", "message"])
    compare("native, old and message form", results["native", "old"], results["native", "message"])
    whole_model(proof)
    losses(proof)
    secure(proof)
    if options.many:
        many(proof, options.many)


def whole_model(proof):
    """Where all arrays of a model are sent, also those that do not learn, both sides come to the same bits."""
    results = {}
    for kind in ("native", "python"):
        port = free_port()
        link = proof.superlink(port)
        clients = [
            proof.native(port, row, "--learn", "w", "--learn", "b", "--share", "all", model="bodied.json")
            if kind == "native" else proof.supernode(port, row) for row in range(3)]
        for form in ("message", "old") if kind == "native" else ("message",):
            results[kind, form], _ = proof.result(form=form, clients=3, rounds=2, rate=0.5, body=1)
            results[kind, form].pop("seconds")
        for client in clients:
            proof.end(client)
        proof.end(link)
    compare("native and Python, all arrays of a model", results["native", "message"], results["python", "message"])
    compare("native, all arrays in the old and the message form", results["native", "old"], results["native", "message"])


def losses(proof):
    """A client that is killed in a round, and a server that begins anew, change no bit."""
    long = dict(form="message", clients=3, rounds=3, rate=2.0**-7, epochs=20_000)
    port = free_port()
    link = proof.superlink(port, "--database", proof.folder / "state.db")
    clients = [proof.native(port, row) for row in range(3)]
    whole, _ = proof.result(**long)
    output, begin = proof.submit(**long)
    memory_file = proof.folder / f"key{port}-1.pem.node"
    # The memory holds a message from its arrival until it is answered.
    while memory_file.stat().st_size < 100:
        time.sleep(0.005)
    proof.end(clients[1], signal.SIGKILL)
    if memory_file.stat().st_size < 100:
        raise SystemExit("the client was killed behind its round")
    clients[1] = proof.native(port, 1, "--force")
    proof.wait(output, begin)
    with np.load(output) as file:
        compare("killed in a round, and not", {name: file[name] for name in ("w", "b")}, whole)
    proof.end(link)
    time.sleep(1)
    link = proof.superlink(port, "--database", proof.folder / "state.db")
    again, seconds = proof.result(**long)
    compare(f"after the server began anew ({seconds:.1f} s)", {name: again[name] for name in ("w", "b")}, whole)
    for client in clients:
        proof.end(client)
    proof.end(link)


def secure(proof):
    """Sums of secure aggregations are those of the clear, but for their steps: of native clients, of these behind a round in
    which one was killed, and of both kinds together."""
    port = free_port()
    link = proof.superlink(port)
    hidden = ("--secure-aggregation", 6)
    clients = [proof.native(port, row, *hidden) for row in range(6)]
    run = dict(form="old", rate=RATE, epochs=0, weight=16, timeout=60.0, threshold=4)
    result, seconds = proof.result(**run, clients=6, rounds=3)
    compare_sum(proof, f"secure aggregation of 6 native clients ({seconds:.1f} s)", result, range(6), 3)
    lose_one(proof, port, clients, hidden, 6, **run)
    if "has left the server's secure aggregation" not in (proof.folder / f"native{port}-0.log").read_text(encoding="utf-8"):
        raise SystemExit("the others do not say that the round came to nothing")
    clients += [proof.supernode(port, row) for row in (6, 7)]
    result, seconds = proof.result(**run, clients=8, rounds=2)
    compare_sum(proof, f"secure aggregation of 6 native clients and 2 of Python ({seconds:.1f} s)", result, range(8), 2)
    # As many devices of Python as the threshold says hold what the one that ends has given in place of shares of its key.
    output = lose_one(proof, port, clients, hidden, 8, **dict(run, threshold=2))
    if not pathlib.Path(f"{output}.flaw").exists():
        raise SystemExit("the server's program has not failed to put a key together: what is said of it is not so")
    for client in clients:
        proof.end(client)
    proof.end(link)


def lose_one(proof, port, clients, hidden, count, **run):
    """Two rounds, in the first of which a native client is killed while it learns: it has no sum, the second has one."""
    proof.end(clients[5])
    # It would learn for hours.
    last = proof.native(port, 5, *hidden, "--force", "--epochs", 1_000_000)
    output, begin = proof.submit(**run, clients=count, rounds=2)
    log = proof.folder / f"native{port}-5.log"
    while "share_keys" not in log.read_text(encoding="utf-8"):
        if time.time() - begin > 120:
            raise SystemExit(f"the sixth client shares no keys: {log.read_text(encoding='utf-8')}")
        time.sleep(0.05)
    proof.end(last, signal.SIGKILL)
    clients[5] = proof.native(port, 5, *hidden, "--force")
    proof.wait(output, begin)
    with np.load(output) as file:
        compare_sum(
            proof, f"secure aggregation of {count} behind a round in which a native client was killed", dict(file), range(count), 1)
    return output


def compare_sum(proof, what, result, rows, rounds):
    """Compares with FedAvg in the clear; as far away as the steps of a secure aggregation may lead (the workflow's standard
    ones: 16 in 2 to the 22nd), and what a round makes of the distance of the one before it."""
    sys.path.insert(0, str(proof.folder / "app"))
    from proof.client import learned

    shards = [(file["x"], file["target"]) for file in map(np.load, (proof.folder / f"shard{row}.npz" for row in rows))]
    counts = np.array([len(x) for x, _ in shards])
    weights, bound = [np.zeros((1, 3)), np.zeros(1)], 0.0
    # Up to a step by chance, and half of one where 32 bits hold the number.
    step = 1.5 * len(shards) * 16 / 2**22 * 16 / counts.sum()
    ways = [np.hstack([x, np.ones((len(x), 1))]) for x, _ in shards]
    stretch = np.average(
        [np.linalg.norm(np.eye(4) - RATE * 2 / len(way) * way.T @ way, 2) for way in ways], weights=counts)
    for _ in range(rounds):
        results = [learned(weights, x, y, RATE)[0] for x, y in shards]
        weights = [np.average([result[row] for result in results], axis=0, weights=counts) for row in range(2)]
        bound = step * 2 + stretch * bound
    distance = max(np.abs(result[name] - own).max() for name, own in zip(("w", "b"), weights))
    moved = max(np.abs(own).max() for own in weights)
    if not distance <= bound or moved < 0.1:
        raise SystemExit(f"{what}: {distance} from the clear, and {bound} is the most")
    print(f"{what}: {distance:.1e} from FedAvg in the clear ({bound:.1e} is the most)")


def many(proof, count):
    port = free_port()
    link = proof.superlink(port)
    clients = [proof.native(port, row, "--wait") for row in range(count)]
    result, seconds = proof.result(form="message", clients=count, rounds=3, rate=0.5)
    sizes = [memory(client) for client in clients]
    most, own = (max(size[row] for size in sizes) for row in range(2))
    print(f"{count} native clients x 3 rounds in {float(result['seconds']):.1f} s ({seconds:.1f} s in all); memory {most:.0f} MB at "
          f"most, {own:.0f} in proportion")
    if own >= MOST_MEMORY:
        raise SystemExit(f"a client has {own:.0f} MB of memory in proportion, and {MOST_MEMORY} are too many")
    for client in clients:
        proof.end(client)
    proof.end(link)


if __name__ == "__main__":
    main()
