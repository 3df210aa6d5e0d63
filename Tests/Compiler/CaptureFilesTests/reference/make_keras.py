# SPDX-License-Identifier: Apache-2.0

"""Writes tiny untrained networks of each layer as RTNeural keeps them, and what Keras and PyTorch make of a sound.

    pip install keras jax        (keras 3.15.1 was used, with jax 0.10.2 and numpy 2.4)
    python make_keras.py         (the files of PyTorch are written where torch can be imported: 1.13 was used)

RTNeural's python/model_utils.py writes a model of Keras so: for each layer its type, its activation, the shape of its
output, and get_weights(). Files of GuitarML are what PyTorch's state_dict() has. A network that computes with earlier
frames has run through silence before the sound. For each NAME.json, what comes out stands in outputs-layers.json.
"""

import json
import os
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
SOUND = (0.5 * np.sin(np.arange(96) * 0.31) * np.cos(np.arange(96) * 0.017)).astype(np.float32)
SILENCE = 2048
PADDED = np.concatenate([np.zeros(SILENCE, np.float32), SOUND])
random = np.random.default_rng(7)


def keep(name, document, heard):
    (HERE / f"{name}.json").write_text(json.dumps(document))
    outputs_path = HERE / "outputs-layers.json"
    outputs = json.loads(outputs_path.read_text()) if outputs_path.exists() else {}
    outputs[name] = [float(f"{y:.10g}") for y in np.asarray(heard, np.float64)[SILENCE:]]
    outputs["sound"] = [float(x) for x in SOUND]
    outputs_path.write_text(json.dumps(dict(sorted(outputs.items()))).replace("], ", "],\n"))
    print(name, outputs[name][-3:])


def keras_files():
    os.environ["KERAS_BACKEND"] = "jax"
    os.environ["JAX_ENABLE_X64"] = "1"
    import keras
    from keras import layers

    keras.backend.set_floatx("float64")
    kinds = {layers.TimeDistributed: "time-distributed-dense", layers.GRU: "gru", layers.LSTM: "lstm",
             layers.Dense: "dense", layers.Conv1D: "conv1d", layers.PReLU: "prelu",
             layers.BatchNormalization: "batchnorm", layers.Activation: "activation"}
    known = ["tanh", "relu", "sigmoid", "softmax", "elu"]

    def activation(layer):
        if isinstance(layer, layers.TimeDistributed):
            return activation(layer.layer)
        name = getattr(getattr(layer, "activation", None), "__name__", "")
        return name if name in known else ""

    def kept(layer):
        entry = {"type": kinds[type(layer)], "activation": activation(layer), "shape": list(layer.output.shape)}
        if entry["type"] == "conv1d":
            entry |= {"kernel_size": list(layer.kernel_size), "dilation": list(layer.dilation_rate)}
            if layer.groups > 1: entry["groups"] = layer.groups
        if entry["type"] == "batchnorm":
            entry["epsilon"] = layer.epsilon
        entry["weights"] = [w.tolist() for w in layer.get_weights()]
        return entry

    def make(name, *parts, more=None, gains=(1, 1)):
        model = keras.Sequential([keras.Input((None, 1)), *parts])
        for layer in model.layers:
            weights = []
            for index, w in enumerate(layer.get_weights()):
                scale = 0.9 / max(1, w[..., 0].size) ** 0.5 if w.ndim > 1 else 0.3
                w = random.normal(size=w.shape) * scale
                # The variance of a batch normalisation is the last of its arrays.
                if isinstance(layer, layers.BatchNormalization) and index == len(layer.get_weights()) - 1:
                    w = np.abs(w) + 0.5
                weights.append(w.astype(np.float32).astype(np.float64))
            layer.set_weights(weights)
        document = {"in_shape": [None, None, 1]} | (more or {}) | {"layers": [kept(l) for l in model.layers]}
        document["layers"] = json.loads(json.dumps(document["layers"]), parse_float=lambda t: float(f"{float(t):.9g}"))
        x = PADDED.astype(np.float64) * gains[0]
        y = np.asarray(model.predict(x[None, :, None], verbose=0))[0, :, 0]
        if (more or {}).get("in_skip"): y = y + x
        keep(name, document, y * gains[1])
        return model

    conv = dict(padding="causal")
    make("keras-dense", layers.Dense(5, activation="tanh"), layers.TimeDistributed(layers.Dense(4, activation="elu")),
         layers.Dense(3), layers.Activation("sigmoid"), layers.Dense(3, use_bias=False), layers.Activation("softmax"),
         layers.Dense(1))
    make("keras-lstm", layers.LSTM(4, return_sequences=True), layers.LSTM(3, return_sequences=True), layers.Dense(1))
    make("keras-gru", layers.GRU(4, return_sequences=True), layers.Dense(1))
    make("keras-gru-before", layers.GRU(4, return_sequences=True, reset_after=False), layers.Dense(1))
    make("keras-unbiased", layers.LSTM(3, return_sequences=True, use_bias=False),
         layers.GRU(3, return_sequences=True, use_bias=False), layers.Dense(1, use_bias=False))
    make("keras-conv", layers.Conv1D(4, 3, activation="relu", **conv), layers.Conv1D(6, 2, dilation_rate=5, **conv),
         layers.PReLU(shared_axes=[1]), layers.Conv1D(4, 3, dilation_rate=2, groups=2, activation="tanh", **conv),
         layers.BatchNormalization(), layers.Conv1D(2, 1, **conv), layers.BatchNormalization(center=False, scale=False),
         layers.Dense(1))
    model = make(
        "aida", layers.LSTM(4, return_sequences=True), layers.Dense(1),
        more={"in_skip": 1, "in_gain": 3.0, "out_gain": -1.5,
              "metadata": {"name": "Tiny", "samplerate": "44100", "source": "original", "style": "clean",
                           "based": "Nothing", "author": "Legato", "dataset": "none", "license": "CC0", "esr": 0.5},
              "input_batch": [0.0, 0.5], "output_batch": [0.0, 0.5]},
        gains=(10 ** (3 / 20), 10 ** (-1.5 / 20)))
    (HERE / "keras-architecture.json").write_text(model.to_json())


def torch_files():
    import torch

    torch.manual_seed(7)
    for name, unit, layers, inputs, skip in [
            ("guitarml-lstm", "LSTM", 1, 1, 1), ("guitarml-knob", "LSTM", 1, 2, 1), ("guitarml-knobs", "GRU", 1, 3, 0),
            ("guitarml-gru", "GRU", 2, 1, 0), ("guitarml-rnn", "RNN", 1, 1, 1)]:
        rec, lin = getattr(torch.nn, unit)(inputs, 4, layers), torch.nn.Linear(4, 1)
        state = {f"rec.{key}": value.tolist() for key, value in rec.state_dict().items()}
        state |= {f"lin.{key}": value.tolist() for key, value in lin.state_dict().items()}
        document = {
            "model_data": {"model": "SimpleRNN", "input_size": inputs, "skip": skip, "output_size": 1, "unit_type": unit,
                           "num_layers": layers, "hidden_size": 4, "bias_fl": True},
            "state_dict": json.loads(json.dumps(state), parse_float=lambda t: float(f"{float(t):.9g}"))}
        x = torch.from_numpy(PADDED.astype(np.float64))[:, None, None]
        knobs = torch.full((len(PADDED), 1, inputs - 1), 0.5, dtype=torch.float64)
        with torch.no_grad():
            y = lin.double()(rec.double()(torch.cat([x, knobs], dim=2))[0])[:, 0, 0].numpy()
        keep(name, document, y + skip * PADDED)


if __name__ == "__main__":
    for which in sys.argv[1:] or ["keras", "torch"]:
        {"keras": keras_files, "torch": torch_files}[which]()
