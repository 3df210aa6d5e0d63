// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import LegatoEquipment
import NativeCode
import TestEquipment
import Testing

@Suite struct GraphBuilderTests {
  @Test func theBuilderAndTheFileGiveEqualGraphs() throws {
    let model = try Model(contentsOf: PackageFiles.models.appending(path: "bitcrusher.json").path)
    let fromFile = try model.compilation(extents: ["channels": 2], sampleRate: 48_000)

    let builder = GraphBuilder("Bitcrusher", sampleRate: 48_000)
    let src = builder.input("src", channels: 2)
    let resolution = builder.parameter(
      "resolution", default: 8, in: 1...256, unit: "levels", logarithmic: true,
      summary: "Steps between 0 and full level; the fewer, the harsher.")
    let gain = builder.parameter(
      "saturationGain", default: 1, in: 0.1...20,
      summary: "How hard the signal is driven into the saturation in front of the rounding.")
    let dryWet = builder.parameter(
      "dryWet", default: 1, in: 0...1,
      summary: "0 passes the input on as it came, 1 plays the crushed signal only.")
    let rate = builder.parameter(
      "rate", default: 384_000, in: 100...384_000, unit: "Hz", logarithmic: true,
      summary: "How many samples a second are heard; from half the sample rate on, all of them.")
    let turns = rate.phasor().named("turns")
    let isDue = max(rate * 2 .>= 48_000, min(turns, 1 - turns) * 96_000 .< rate).named("isDue")
    let held = src.sampleAndHold(isDue).named("held")
    let saturated = tanh(held * gain).named("saturated")
    let quantized = (round(saturated * resolution) / resolution).named("quantized")
    builder.output("dst", quantized * dryWet + src * (1 - dryWet))

    let built = try builder.compilation()
    #expect(built.compiled.source == fromFile.compiled.source)
    #expect(built.graphText == fromFile.graphText)
  }

  @Test func everyFunctionOfTheBuilderIsTheOneOfModelFiles() throws {
    let builder = GraphBuilder("All", sampleRate: 48_000)
    let x = builder.input("x", channels: 4)
    let y = builder.parameter("y", default: 0.5, in: 0.1...1, ramp: 0)
    let weight = builder.weights("w", shape: [4, 4], (0..<16).map { Float($0) / 16 })
    let taps = builder.weights("taps", shape: [4, 2, 3], (0..<24).map { Float($0) / 24 })
    let bias = builder.weights("b", shape: [4], [0, 1, 2, 3])
    let parts: [(String, Legato.Signal)] = [
      ("abs(x)", abs(x)), ("sqrt(x)", sqrt(x)), ("exp(x)", exp(x)), ("log(x)", log(x)), ("sin(x)", sin(x)),
      ("cos(x)", cos(x)), ("tan(x)", tan(x)), ("tanh(x)", tanh(x)), ("sigmoid(x)", sigmoid(x)),
      ("log2(x)", log2(x)), ("log10(x)", log10(x)), ("asin(x)", asin(x)), ("acos(x)", acos(x)),
      ("atan(x)", atan(x)), ("sinh(x)", sinh(x)), ("cosh(x)", cosh(x)),
      ("decibelsToGain(x)", decibelsToGain(x)), ("gainToDecibels(x)", gainToDecibels(x)),
      ("noteToFrequency(x)", noteToFrequency(x)), ("frequencyToNote(x)", frequencyToNote(x)),
      ("erf(x)", erf(x)), ("floor(x)", floor(x)), ("ceil(x)", ceil(x)), ("round(x)", round(x)),
      ("truncate(x)", truncate(x)), ("sign(x)", sign(x)), ("reciprocal(x)", reciprocal(x)),
      ("relu(x)", relu(x)), ("softplus(x)", softplus(x)), ("softsign(x)", softsign(x)),
      ("hardTanh(x)", hardTanh(x)), ("gelu(x)", gelu(x)), ("silu(x)", silu(x)),
      ("selu(x)", selu(x)), ("celu(x, 0.5)", celu(x, alpha: 0.5)), ("mish(x)", mish(x)),
      ("hardSigmoid(x)", hardSigmoid(x)), ("hardSwish(x)", hardSwish(x)),
      ("delay(x, 2, initial: \"b\")", x.delay(2, initial: bias)),
      ("film(x, x, \"w\", \"b\")", x.film(condition: x, weight: weight, bias: bias)),
      (
        "convTranspose(x, \"taps\", \"b\", dilation: 2, groups: 2)",
        x.convTranspose(weight: taps, bias: bias, dilation: [2], groups: 2)
      ),
      ("prelu(x, \"b\")", x.prelu(slope: bias)), ("gated(x)", x.gated()),
      ("rnn(x, \"w\", \"w\", \"b\")", x.rnn(weight: weight, recurrent: weight, bias: bias)),
      (
        "rnn(x, \"w\", \"w\", activation: 'relu')",
        x.rnn(weight: weight, recurrent: weight, activation: .relu)
      ),
      (
        "gru(x, pad(\"w\", 0, 0, 2), slice(pad(\"w\", 0, 0, 2), 1, 0, 2), reset: 'before')",
        x.gru(
          weight: weight.pad(axis: 0, after: 2),
          recurrent: weight.pad(axis: 0, after: 2).slice(axis: 1, start: 0, count: 2), reset: .before)
      ),
      (
        "lstm(x, \"w\", slice(\"w\", 1, 0, 1), \"b\", \"b\")",
        x.lstm(
          weight: weight, recurrent: weight.slice(axis: 1, start: 0), bias: bias, recurrentBias: bias)
      ),
      (
        "lstm(x, \"w\", slice(\"w\", 1, 0, 1), initial: slice(\"b\", 0, 0, 1), initialCell: slice(\"b\", 0, 1, 1))",
        x.lstm(
          weight: weight, recurrent: weight.slice(axis: 1, start: 0), initial: bias.slice(axis: 0, start: 0),
          initialCell: bias.slice(axis: 0, start: 1))
      ),
      // By position as PyTorch has them: h, then c.
      (
        "lstm(x, \"w\", slice(\"w\", 1, 0, 1), \"b\", \"b\", slice(reshape(\"w\", [16, 1]), 0, 0, 1), "
          + "slice(\"b\", 0, 2, 1), slice(\"b\", 0, 3, 1), axis: 0)",
        x.lstm(
          weight: weight, recurrent: weight.slice(axis: 1, start: 0), bias: bias, recurrentBias: bias,
          projection: weight.reshape([16, 1]).slice(axis: 0, start: 0),
          initial: bias.slice(axis: 0, start: 2),
          initialCell: bias.slice(axis: 0, start: 3), axis: 0)
      ),
      (
        "lstm(x, \"w\", slice(\"w\", 1, 0, 1), peepholes: slice(\"b\", 0, 0, 3))",
        x.lstm(
          weight: weight, recurrent: weight.slice(axis: 1, start: 0),
          peepholes: bias.slice(axis: 0, start: 0, count: 3))
      ),
      ("layerNorm(x, \"b\")", x.layerNorm(weight: bias)), ("rmsNorm(x)", x.rmsNorm()),
      ("groupNorm(x, 2, \"b\", \"b\")", x.groupNorm(groups: 2, weight: bias, bias: bias)),
      ("batchNorm(x, \"b\", \"b\" + 1)", x.batchNorm(mean: bias, variance: bias + 1)),
      ("leakyRelu(x, 0.1)", leakyRelu(x, slope: 0.1)), ("elu(x, 0.5)", elu(x, alpha: 0.5)),
      ("min(x, y)", min(x, y)), ("max(x, 0.25)", max(x, 0.25)), ("pow(x, 2)", pow(x, 2)),
      ("atan2(x, y)", atan2(x, y)), ("clamp(x, -1, 1)", clamp(x, -1, 1)), ("limit(x, 2)", limit(x, 2)),
      ("select(x < y, x, y)", select(x .< y, x, y)), ("fma(x, y, x)", fma(x, y, x)),
      ("x % y", x % y), ("-x - 1", -x - 1), ("1 / x", 1 / x), ("x <= 0", x .<= 0), ("x > y", x .> y),
      ("x >= y", x .>= y), ("x == y", x .== y), ("x != 0", x .!= 0),
      ("slice(x, axis: 0, start: 1, count: 2)", x.slice(axis: 0, start: 1, count: 2)),
      ("reshape(x, shape: [2, 2])", x.reshape([2, 2])),
      ("transpose(reshape(x, [2, 2]), order: [1, 0])", x.reshape([2, 2]).transpose([1, 0])),
      ("pad(x, axis: 0, before: 1, after: 2)", x.pad(axis: 0, before: 1, after: 2)),
      ("broadcast(slice(x, 0, 0), shape: [3])", x.slice(axis: 0, start: 0).broadcast([3])),
      ("concatenate([x, x], axis: 0)", concatenate([x, x])),
      ("gather(x, y, axis: 0)", x.gather(y)), ("gather(\"w\", x, axis: 1)", weight.gather(x, axis: -1)),
      ("lookup(\"b\", x)", bias.lookup(x)),
      (
        "lookup(\"w\", x, axis: 0, interpolation: 'cubic', edges: 'wrapped')",
        weight.lookup(x, axis: 0, interpolation: .cubic, edges: .wrapped)
      ),
      ("shifted(x, by: -2)", x.shifted(by: -2)),
      ("windows(x, size: 2, dilation: 2)", x.windows(size: 2, dilation: 2)),
      (
        "conv2d(reshape(x, [1, 2, 2]), reshape(\"taps\", [6, 1, 2, 2]), stride: [1, 2], padding: 'same')",
        x.reshape([1, 2, 2]).conv2d(weight: taps.reshape([6, 1, 2, 2]), stride: [1, 2], padding: .same)
      ),
      (
        "conv3d(reshape(x, [1, 4, 1, 1]), reshape(\"w\", [8, 1, 2, 1, 1]), axis: 1, dilation: 2)",
        x.reshape([1, 4, 1, 1]).conv3d(weight: weight.reshape([8, 1, 2, 1, 1]), axis: 1, dilation: [2])
      ),
      ("matmul(x, reshape(x, [4, 1]))", x.matmul(x.reshape([4, 1]))),
      ("contraction(\"w\", reshape(x, [1, 4]), ways: 4)", weight.contraction(x.reshape([1, 4]), ways: 4)),
      ("maxPool(reshape(x, [2, 2]), size: [1, 2])", x.reshape([2, 2]).maxPool(size: [1, 2])),
      ("averagePool(x, size: 2, stride: 1)", x.averagePool(size: [2], stride: [1])),
      ("argmax(x)", x.argmax()), ("oneHot(x, 3)", x.oneHot(count: 3)),
      ("embedding(x, \"w\")", x.embedding(weight: weight)),
      ("cumsum(x, 0, 'backward', 'excluded')", x.cumsum(direction: .backward, excludesOwn: true)),
      ("resize(x, 7)", x.resize([7])), ("resize(x, [3], 'nearest')", x.resize([3], interpolation: .nearest)),
      (
        "attention(reshape(x, [2, 2]), reshape(x, [2, 2]), reshape(x, [2, 2]), y, heads: 2, sees: 'past')",
        x.reshape([2, 2]).attention(
          keys: x.reshape([2, 2]), values: x.reshape([2, 2]), mask: y, heads: 2, sees: .past)
      ),
      ("mse(x, -x)", x.mse(-x)), ("mae(x, -x)", x.mae(-x)), ("huber(x, -x, 0.5)", x.huber(-x, delta: 0.5)),
      ("bceWithLogits(x, -x)", x.bceWithLogits(-x)), ("esr(x, -x, 0.95)", x.esr(-x, preEmphasis: 0.95)),
      ("cosineDistance(x, -x)", x.cosineDistance(-x)),
      ("crossEntropy(x, y, smoothing: 0.1)", x.crossEntropy(y, smoothing: 0.1)),
      (
        "multiSTFT(x, -x, sizes: 4, hops: 2, windowSizes: 3)",
        x.multiSTFT(-x, sizes: [4], hops: [2], windowSizes: [3])
      ),
      ("fourier(x, bins: 'all')", x.fourier(bins: .all)),
      ("inverseFourier(fourier(x), size: 4)", x.fourier().inverseFourier(size: 4)),
      (
        "stft(x, 4, windowSize: 3, window: 'hamming')",
        x.stft(SpectrumFrames(size: 4, windowSize: 3, window: .hamming))
      ),
      (
        "istft(stft(x, 2, 1), 2, 1, length: 3)",
        x.stft(SpectrumFrames(size: 2, hop: 1)).istft(SpectrumFrames(size: 2, hop: 1), length: 3)
      ),
      (
        "spectrogram(x, 4, hop: 2, padding: 'zeros', power: 1)",
        x.spectrogram(SpectrumFrames(size: 4, hop: 2, padding: .zeros), power: 1)
      ),
      (
        "melSpectrogram(x, 4, mels: 2, low: 100, scale: 'slaney')",
        x.melSpectrogram(SpectrumFrames(size: 4), MelBands(2, low: 100, scale: .slaney))
      ),
      ("logMel(x, 4, mels: 2, floor: 0.1)", x.logMel(SpectrumFrames(size: 4), MelBands(2), floor: 0.1)),
      (
        "mfcc(x, 4, mels: 2, high: 9000, rate: 32000, count: 2)",
        x.mfcc(SpectrumFrames(size: 4), count: 2, MelBands(2, high: 9000, rate: 32_000))
      ),
      ("topAccuracy(x, -x, top: 2)", x.topAccuracy(-x, top: 2)),
      ("sum(x, 0)", x.sum(axis: 0)), ("mean(x, 0)", x.mean(axis: 0)), ("maximum(x, 0)", x.maximum(axis: 0)),
      ("softmax(x, axis: 0)", x.softmax(axis: 0)),
      ("dense(x, \"w\", \"b\")", x.dense(weight: weight, bias: bias)),
      (
        "conv1d(x, \"taps\", dilation: 2, groups: 2)", x.conv1d(weight: taps, dilation: 2, groups: 2)
      ),
      ("delay(x, 5)", x.delay(5)), ("lookahead(x, 5)", x.lookahead(5)),
      ("control(sum(x, 0))", x.sum(axis: 0).control()),
      (
        "delay(x, by: y, minimum: 1, maximum: 9, interpolation: 'cubic')",
        x.delay(by: y, minimum: 1, maximum: 9, interpolation: .cubic)
      ),
      (
        "delay(x, by: y, minimum: 1, maximum: 9, interpolation: 'allpass')",
        x.delay(by: y, minimum: 1, maximum: 9, interpolation: .allpass)
      ),
      ("fir(x, \"b\")", x.fir(bias)),
      ("delay(x, by: x, maximum: 4)", x.delay(by: x, maximum: 4)), ("phasor(y)", y.phasor()),
      ("sine(y)", y.sine()), ("saw(y)", y.saw()), ("square(y)", y.square()),
      ("noise(3)", builder.noise(seed: 3)),
      ("lowpass(x, y)", x.lowpass(y)), ("highpass(x, y, x)", x.highpass(y, q: x)),
      ("bandpass(x, y)", x.bandpass(y)), ("notch(x, y)", x.notch(y)), ("allpass(x, y)", x.allpass(y)),
      ("peak(x, y, x)", x.peak(y, gain: x)), ("lowShelf(x, y, x, y)", x.lowShelf(y, gain: x, q: y)),
      ("highShelf(x, y, x)", x.highShelf(y, gain: x)), ("svf(x, y, y, high: x)", x.svf(y, q: y, high: x)),
      ("onePole(x, y)", x.onePole(y)), ("dcBlock(x)", x.dcBlock()), ("dcBlock(x, y)", x.dcBlock(y)),
      ("biquad(x, y, y, y, x, y)", x.biquad(b0: y, b1: y, b2: y, a1: x, a2: y)),
      ("envelope(x, y, x)", x.envelope(attack: y, release: x)), ("slew(x, y, x)", x.slew(up: y, down: x)),
      ("sampleAndHold(x, y)", x.sampleAndHold(y)),
    ]
    for (index, part) in parts.enumerated() { builder.output("o\(index)", part.1) }
    let lines = parts.indices.map { "\"o\($0)\": \(quoted(parts[$0].0))" }.joined(separator: ",\n")
    let outputs = parts.indices.map { "\"o\($0)\"" }.joined(separator: ", ")
    let numbers16 =
      "[[0, 0.0625, 0.125, 0.1875], [0.25, 0.3125, 0.375, 0.4375], [0.5, 0.5625, 0.625, 0.6875], [0.75, 0.8125, 0.875, 0.9375]]"
    let triples = (0..<4).map { row in
      "["
        + (0..<2).map { column in
          "[" + (0..<3).map { "\(Float(row * 6 + column * 3 + $0) / 24)" }.joined(separator: ", ") + "]"
        }.joined(separator: ", ") + "]"
    }.joined(separator: ", ")
    let text = """
      { "legato": 1, "name": "All",
        "inputs": { "x": { "shape": [4, "frames"] } },
        "parameters": { "y": { "default": 0.5, "minimum": 0.1, "maximum": 1, "ramp": 0 } },
        "weights": { "w": \(numbers16), "taps": [\(triples)], "b": [0, 1, 2, 3] },
        "graph": { \(lines) },
        "outputs": [\(outputs)] }
      """
    let file = try Model(text).compilation()
    let built = try builder.compilation()
    #expect(built.graphText == file.graphText)
    #expect(built.compiled.source == file.compiled.source)
  }

  private func quoted(_ text: String) -> String {
    "\"" + text.replacingOccurrences(of: "\"", with: "\\\"") + "\""
  }

  @Test func aCycleIsAnnouncedAndDefined() throws {
    let builder = GraphBuilder("Echo", sampleRate: 48_000)
    let source = builder.input("source", channels: 1)
    let echo = builder.forward("echo", channels: 1)
    builder.define(echo, as: source + echo.delay(2) * 0.5)
    builder.output("dst", echo)
    var context = try Context(try builder.compile())
    var block: [Float] = [1, 0, 0, 0, 0, 0, 0]
    var samples = block.mutableSpan
    context.execute(frames: 7, inPlace: &samples)
    #expect(block == [1, 0, 0.5, 0, 0.25, 0, 0.125])
  }

  @Test func everythingThatDoesNotFitIsSaidAtOnceWithItsName() throws {
    let builder = GraphBuilder("Wrong", sampleRate: 48_000)
    let stereo = builder.input("stereo", channels: 2)
    let three = builder.input("three", channels: 3)
    let gain = builder.parameter("gain", default: 5, in: 0...1)
    _ = builder.input("tanh", channels: 1)
    let mixed = (stereo * gain).named("mixed") + three
    builder.output("mixed", tanh(mixed))
    _ = builder.forward("loose", channels: 1)
    let messages = reportedProblems(of: builder)
    #expect(
      messages == [
        "Wrong: parameter 'gain': 'default' must lie within 0 to 1, this is 5",
        "Wrong: 'tanh' is reserved; choose another name",
        "Wrong: + of 'mixed' [2, frames], 'three' [3, frames]: the shapes [2, frames] and [3, frames] do not broadcast",
        "Wrong: 'loose' is used, but never defined",
      ])
  }

  @Test func aCycleWithoutADelayIsNamed() throws {
    let builder = GraphBuilder("Loop", sampleRate: 48_000)
    let source = builder.input("source", channels: 1)
    let ring = builder.forward("ring", channels: 1)
    builder.define(ring, as: ring + source)
    builder.output("dst", ring)
    let messages = reportedProblems(of: builder)
    #expect(messages == ["Loop: 'ring' makes a cycle without a delay; put delay(…, 1) into it"])
  }

  @Test func aSignalOfAnotherModelIsRefused() throws {
    let (one, other) = (GraphBuilder("One"), GraphBuilder("Other"))
    let foreign = other.input("foreign", channels: 1)
    one.output("dst", one.input("own", channels: 1) + foreign)
    let messages = reportedProblems(of: one)
    #expect(messages == ["One: 'foreign' [1, frames] belongs to another builder"])
  }

  @Test func aSignalDefinedAsItselfIsRefused() throws {
    let builder = GraphBuilder("Self")
    let ring = builder.forward("ring", channels: 1)
    builder.define(ring, as: ring)
    builder.output("dst", ring)
    #expect(reportedProblems(of: builder) == ["Self: 'ring' is defined as itself"])
  }
}
