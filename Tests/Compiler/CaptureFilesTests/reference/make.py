# SPDX-License-Identifier: Apache-2.0

"""Writes tiny untrained captures of each kind, and what the package neural-amp-modeler makes of a sound with each.

    pip install neural-amp-modeler        (0.13.0 was used, with torch 1.13 and numpy 1.24)
    python make.py

For each, NAME.nam, and in outputs.json the sound that went in, and what came out after silence as long as the network
looks back. Networks compute in double precision, with weights that floats hold.
"""

import json
import pathlib
import sys
import types
from unittest.mock import MagicMock

# What the package needs for training only.
for name in ["librosa", "wavio", "pytorch_lightning", "pytorch_lightning.utilities.warnings", "matplotlib",
             "matplotlib.pyplot", "tkinter", "scipy", "scipy.signal", "tqdm", "nam.train"]:
    try:
        __import__(name)
    except Exception:
        sys.modules[name] = MagicMock()

import numpy as np
import torch
from nam.models import _activations
from nam.models.conv_net import ConvNet
from nam.models.linear import Linear
from nam.models.recurrent import LSTM
from nam.models.wavenet import WaveNet, _wavenet

HERE = pathlib.Path(__file__).parent
SOUND = (0.5 * np.sin(np.arange(96) * 0.31) * np.cos(np.arange(96) * 0.017)).astype(np.float32)
OUTPUTS = {"sound": [float(x) for x in SOUND]}


def randomize(net):
    for name, p in sorted(dict(net.named_parameters()).items()):
        scale = 0.6 / max(1, p[0].numel()) ** 0.5 if p.ndim > 1 else 0.15
        p.data = torch.randn(p.shape).float() * scale


def rounded(value):
    if isinstance(value, float): return float(np.float32(value))
    if isinstance(value, list): return [rounded(v) for v in value]
    if isinstance(value, dict): return {k: rounded(v) for k, v in value.items()}
    return value


DATE = {"year": 2026, "month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0}


def dated(value):
    """The same with one date, so that files change where networks do."""
    if isinstance(value, list): return [dated(v) for v in value]
    if isinstance(value, dict): return {k: DATE if k == "date" else dated(v) for k, v in value.items()}
    return value


def export(net, metadata=True):
    document = {
        "version": "0.7.0", "metadata": {"date": DATE},
        "architecture": type(net).__name__, "config": dated(net._export_config()),
        "weights": [float(f"{w:.9g}") for w in net._export_weights().astype(np.float32)], "sample_rate": 48000}
    if metadata:
        document["metadata"].update(
            {"loudness": -20.5, "gain": 0.5, "name": "Tiny", "modeled_by": "Legato", "gear_type": "pedal",
             "gear_make": "None", "gear_model": "Untrained", "tone_type": "clean", "input_level_dbu": 12.5,
             "output_level_dbu": 9.25})
    return document


def output(net):
    net = net.double().eval()
    with torch.no_grad():
        return net(torch.from_numpy(SOUND.astype(np.float64)), pad_start=True).numpy()


def keep(name, net, document=None, sound=None):
    document = document or export(net)
    (HERE / f"{name}.nam").write_text(json.dumps(document))
    OUTPUTS[name] = [float(f"{y:.10g}") for y in (output(net) if sound is None else sound)]
    print(name, len(document["weights"]), net.receptive_field, OUTPUTS[name][-3:])


def wavenet(**kwargs):
    net = WaveNet.init_from_config(kwargs | {"sample_rate": 48000})
    randomize(net)
    net._net.float()
    return net


def array(input_size=1, channels=4, dilations=(1, 2), kernel_size=3, head=(1, 1, True), activation="Tanh",
          condition_size=1, **more):
    return {"input_size": input_size, "condition_size": condition_size, "channels": channels,
            "kernel_size": kernel_size, "dilations": list(dilations), "activation": activation,
            "head": {"out_channels": head[0], "kernel_size": head[1], "bias": head[2]}} | more


torch.manual_seed(7)

net = Linear(receptive_field=8, bias=True, sample_rate=48000)
randomize(net)
document = export(net)
# The package writes the earliest frame first; what plays captures reads the latest first.
document["weights"][:8] = document["weights"][:8][::-1]
keep("linear", net, document)

for normalized in [False, True]:
    net = ConvNet(channels=4, dilations=[1, 2, 4], batchnorm=normalized, activation="ReLU" if normalized else "Tanh",
                  sample_rate=48000)
    randomize(net)
    if normalized:
        for layer in net.modules():
            if isinstance(layer, torch.nn.BatchNorm1d):
                layer.running_mean = torch.randn(4) * 0.2
                layer.running_var = torch.rand(4) + 0.5
    net.eval()
    keep("convnet-normalized" if normalized else "convnet", net)

for name, layers in [("lstm", 1), ("lstm-stacked", 2)]:
    net = LSTM(hidden_size=5, num_layers=layers, sample_rate=48000)
    randomize(net)
    net._initial_hidden.data = torch.randn(layers, 5) * 0.3
    net._initial_cell.data = torch.randn(layers, 5) * 0.5
    net._get_initial_state = lambda net=net: (net._initial_hidden, net._initial_cell)
    keep(name, net)

keep("wavenet", wavenet(
    layers_configs=[array(head=(3, 1, False)), array(input_size=4, channels=3, dilations=(8, 4))], head_scale=0.02))

# As files up to 0.5 said it.
net = wavenet(layers_configs=[array(activation={"name": "PairMultiply", "primary": "Tanh", "secondary": "Sigmoid"})],
              head_scale=0.5)
document = export(net)
document["version"] = "0.5.4"
(layer,) = document["config"]["layers"]
document["config"]["layers"] = [
    {"input_size": 1, "condition_size": 1, "channels": 4, "head_size": 1, "head_bias": True, "kernel_size": 3,
     "dilations": [1, 2], "activation": "Tanh", "gated": True}]
keep("wavenet-gated", net, document)

keep("wavenet-blended", wavenet(
    layers_configs=[array(activation=[
        {"name": "PairBlend", "primary": "ReLU", "secondary": "Sigmoid"},
        {"name": "PairMultiply", "primary": "ELU", "secondary": "Hardswish"}])], head_scale=0.5))

activations = ["Tanh", "ReLU", "Sigmoid", "SiLU", "Hardswish", "Hardsigmoid", "Softsign", "ELU", "SELU", "CELU",
               "GELU", "Mish", "Softplus", "Hardtanh", "LeakyReLU", {"name": "LeakyReLU", "negative_slope": 0.25},
               {"name": "Hardtanh", "min_val": -0.25, "max_val": 0.5},
               {"name": "LeakyHardtanh", "min_val": -0.25, "max_val": 0.125, "min_slope": 0.5, "max_slope": 0.25},
               {"name": "PReLU", "num_parameters": 2}, {"name": "PReLU"}]
net = wavenet(layers_configs=[array(channels=2, dilations=[1] * len(activations), kernel_size=2, activation=activations)],
              head_scale=0.5)
keep("wavenet-activations", net)

keep("wavenet-bottleneck", wavenet(
    layers_configs=[array(
        channels=4, bottleneck=6, groups_input=2, kernel_size=[2, 3],
        layer_1x1_config={"active": True, "groups": 2},
        head_1x1_config={"active": True, "out_channels": 4, "groups": 2}, head=(2, 3, True))],
    head={"channels": 3, "activation": "ReLU", "out_channels": 1, "kernel_sizes": [2, 3]}, head_scale=0.75))

keep("wavenet-without-1x1", wavenet(
    layers_configs=[array(layer_1x1_config={"active": False})], head_scale=0.75))

film = {"active": True, "shift": True, "groups": 1}
scale = {"active": True, "shift": False, "groups": 1}
keep("wavenet-film", wavenet(
    layers_configs=[
        array(film_params={
            "conv_pre_film": film, "conv_post_film": scale, "input_mixin_pre_film": film, "input_mixin_post_film": scale,
            "activation_pre_film": film, "activation_post_film": film, "layer1x1_post_film": scale,
            "head1x1_post_film": film}, head_1x1_config={"active": True, "out_channels": 2, "groups": 1})],
    head_scale=0.5))

condition = {"name": "WaveNet", "config": {
    "layers_configs": [array(channels=2, dilations=(1,), head=(2, 1, False))], "head_scale": 1.0}}
keep("wavenet-condition", wavenet(
    layers_configs=[array(condition_size=2, channels=4, film_params={"conv_post_film": film | {"groups": 2}},
                          groups_input_mixin=2)],
    condition_dsp=condition, head_scale=0.5))

net = wavenet(layers_configs=[array(slimmable={"method": "slice_channels_uniform",
                                               "kwargs": {"allowed_channels": [2, 4]}})], head_scale=0.5)
keep("wavenet-slimmable", net)
full = export(net)
OUTPUTS["wavenet-slimmable at 0"] = None
net._net.set_slimming(0.0)
OUTPUTS["wavenet-slimmable at 0"] = [float(f"{y:.10g}") for y in output(net)]

torch.manual_seed(8)
small, large = [wavenet(layers_configs=[array(channels=c)], head_scale=0.5) for c in (2, 3)]
container = {"version": "0.7.0", "architecture": "SlimmableContainer", "sample_rate": 48000, "weights": [],
             "metadata": {}, "config": {"submodels": [
                 {"max_value": 0.5, "model": export(small, False)}, {"max_value": 1.0, "model": export(large, False)}]}}
keep("container", large, container)
OUTPUTS["container at 0"] = [float(f"{y:.10g}") for y in output(small)]

torch.manual_seed(9)
first = ConvNet(channels=2, dilations=[1, 3], activation="Tanh", sample_rate=48000)
randomize(first)
second = Linear(receptive_field=4, bias=False, sample_rate=48000)
randomize(second)
parts = [export(first, False), export(second, False)]
parts[1]["weights"].reverse()
whole = {"version": "0.7.0", "architecture": "Sequential", "sample_rate": 48000, "weights": [], "metadata": {},
         "config": {"models": parts}}
first, second = first.double().eval(), second.double()
silence = np.zeros(first.receptive_field + second.receptive_field - 2)
with torch.no_grad():
    heard = second(first(torch.from_numpy(np.concatenate([silence, SOUND])), pad_start=False), pad_start=False).numpy()
keep("sequential", second, whole, heard)

# With knobs: the parameters are more inputs of a recurrent network, and of a WaveNet.
torch.manual_seed(10)
gain, position = 0.3, 1
encoded = [2 * (gain - 0) / 10 - 1, 0.0, 1.0, 0.0]
params = [{"name": "Gain 1", "min": 0, "max": 10, "default": gain, "type": "continuous", "enum_names": None, "step": None,
           "avoid_zero": False},
          {"name": "mode", "min": 0, "max": 2, "default": position, "type": "switch",
           "enum_names": ["clean", "crunch", "fuzz"], "step": None, "avoid_zero": False}]
net = LSTM(hidden_size=4, input_size=5, sample_rate=48000)
randomize(net)
net._get_initial_state = lambda: (net._initial_hidden, net._initial_cell)
document = export(net)
del document["config"]["input_size"]
document["config"] |= {"params": params, "train_burn_in": None, "train_truncate": None}
document |= {"architecture": "ConcatLSTM", "version": "1.0.0"}
x = torch.from_numpy(SOUND.astype(np.float64))
p = torch.tensor(encoded, dtype=torch.float64)
with torch.no_grad():
    net = net.double().eval()
    y = net._forward(torch.cat([x[None, :, None], p[None, None, :].expand(1, len(x), 4)], dim=-1))[0].numpy()
keep("concat-lstm", net, document, y)

net = wavenet(layers_configs=[array(input_size=5, condition_size=5)], head_scale=0.5)
document = export(net)
document["config"]["params"] = params
document |= {"architecture": "ConcatWaveNet", "version": "1.0.0"}
with torch.no_grad():
    net = net.double().eval()
    padded = torch.cat([torch.zeros(net.receptive_field - 1, dtype=torch.float64), x])
    both = torch.cat([padded[None, None, :], p[None, :, None].expand(1, 4, len(padded))], dim=1)
    y = net._net(both)[0, 0].numpy()
keep("concat-wavenet", net, document, y)

# Activations that the package has and PyTorch has not, and one that only NeuralAmpModelerCore has.
torch.manual_seed(11)


class FastTanh(_activations._GeneralizedActivation):
    def export_config(self): return {"type": "Fasttanh"}

    def forward(self, x):
        a = x.abs()
        above = 2.45550750702956 + 2.45550750702956 * a + (0.893229853513558 + 0.821226666969744 * a) * x ** 2
        below = 2.44506634652299 + (2.44506634652299 + x ** 2) * (x + 0.814642734961073 * x * a).abs()
        return x * above / below


net = wavenet(layers_configs=[array(channels=2, dilations=[1, 2], activation=["Softsigmoid", "Tanh"])], head_scale=2.0)
net._net._layer_arrays[0]._layers[1]._activation = FastTanh()
keep("wavenet-soft", net)

# Two rows of layers that can be made smaller, each with all numbers of channels: the package trains one row only, its
# layers know more.
torch.manual_seed(12)
_wavenet._validate_slimmable_config = lambda *arguments: None
uniform = {"slimmable": {"method": "slice_channels_uniform"}}
net = wavenet(layers_configs=[array(head=(3, 1, False), **uniform), array(input_size=4, channels=3, dilations=(8, 4), **uniform)],
              head_scale=0.5)
keep("wavenet-slimmable-rows", net)
for size in [0.0, 0.5]:
    net._net.set_slimming(size)
    OUTPUTS[f"wavenet-slimmable-rows at {size:g}"] = [float(f"{y:.10g}") for y in output(net)]

# The package has groups for no ConvNet, NeuralAmpModelerCore has; the second input is the sound backwards.
torch.manual_seed(13)
convs = [torch.nn.Conv1d(2 if i == 0 else 4, 4, 2, dilation=d, groups=2) for i, d in enumerate([1, 3])]
head = torch.nn.Conv1d(4, 1, 1)
for conv in convs + [head]: randomize(conv)
y = torch.from_numpy(np.stack([SOUND, SOUND[::-1]]).astype(np.float64))[None]
y = torch.nn.functional.pad(y, (4, 0))
with torch.no_grad():
    for conv in convs: y = torch.tanh(conv.double()(y))
    y = head.double()(y)[0, 0].numpy()
document = {"version": "0.7.0", "architecture": "ConvNet", "sample_rate": 48000, "metadata": {}, "config": {
    "channels": 4, "dilations": [1, 3], "batchnorm": False, "activation": "Tanh", "groups": 2, "in_channels": 2,
    "out_channels": 1}, "weights": [
        float(f"{w:.9g}") for conv in convs + [head] for p in (conv.weight, conv.bias) for w in p.detach().flatten().tolist()]}
(HERE / "convnet-groups.nam").write_text(json.dumps(document))
OUTPUTS["convnet-groups"] = [float(f"{v:.10g}") for v in y]

# NeuralAmpModelerCore lets half a second of silence run through a recurrent network before its first frame.
torch.manual_seed(14)
net = LSTM(hidden_size=3, num_layers=1, sample_rate=64)
randomize(net)
net._initial_hidden.data = torch.randn(1, 3) * 0.3
net._initial_cell.data = torch.randn(1, 3) * 0.5
net._get_initial_state = lambda: (net._initial_hidden, net._initial_cell)
document = export(net)
document["sample_rate"] = 64
net = net.double()
with torch.no_grad():
    y = net._forward(torch.cat([torch.zeros(32, dtype=torch.float64), torch.from_numpy(SOUND.astype(np.float64))])[None])[0]
keep("lstm-settled", net, document, y[32:].numpy())

(HERE / "outputs.json").write_text(json.dumps(OUTPUTS).replace("], ", "],\n"))
