// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import Testing

/// Spectra beside those of NumPy, PyTorch, torchaudio and librosa, which `reference/make_spectra.py` writes down.
@Suite struct SpectraReferenceTests {
  private struct Case: Decodable, CustomTestStringConvertible {
    let call: String
    let shape: [Int]
    let input: [Float]
    let result: [Int]
    let output: [Double]

    var testDescription: String { call }
  }

  private static let cases: [Case] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("reference/spectra.json")
    return (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: file))) ?? []
  }()

  @Test func thereAreCases() { #expect(Self.cases.count == 36) }

  @Test(arguments: cases) private func isWhatOthersSay(_ spectrum: Case) throws {
    let model = try Model(
      """
      { "legato": 1, "name": "spectrum", "clock": "step", "inputs": { "x": { "shape": \(spectrum.shape) } },
        "graph": { "y": "\(spectrum.call)" }, "outputs": ["y"] }
      """)
    var runner = try StepRunner(model.compilation())
    let x = try Tensor(shape: spectrum.shape, values: spectrum.input)
    let y = try #require(try runner.step(["x": x])["y"])
    #expect(y.shape == spectrum.result)
    // To some units in the last place of the largest number; a logarithm's is where numbers are small.
    let largest = spectrum.output.map(abs).max() ?? 0
    let tolerance = 2e-6 * max(1, largest)
    #expect(zip(y.values, spectrum.output).allSatisfy { abs(Double($0) - $1) <= tolerance })
  }

  /// Going there and back is where one was.
  @Test(arguments: [1, 2, 7, 36, 128, 131]) func thereAndBack(size: Int) throws {
    let graph = GraphBuilder.steps("both")
    let x = graph.input("x", shape: [size])
    graph.output("y", x.fourier().inverseFourier(size: size))
    graph.output("z", x.fourier(bins: .all).inverseFourier(output: .complex))
    var runner = try StepRunner(graph.compilation())
    let numbers = (0..<size).map { Float(($0 * 7919) % 17 - 8) / 16 }
    let outputs = try runner.step(["x": Tensor(numbers)])
    #expect(zip(outputs["y"]!.values, numbers).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(zip(outputs["z"]!.values, numbers + numbers.map { _ in 0 }).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  /// Stretches that overlap are the numbers again, whatever the window and the hop are.
  @Test(arguments: [
    "32", "32, 11", "31, 10, window: 'hamming'", "40, 12, windowSize: 30, window: 'blackman'",
    "24, 24, window: 'rectangular', padding: 'none'", "30, 7, padding: 'zeros'",
  ]) func thereAndBackInStretches(frames: String) throws {
    let model = try Model(
      """
      { "legato": 1, "name": "both", "clock": "step", "inputs": { "x": { "shape": [2, 120] } },
        "graph": { "y": "istft(stft(x, \(frames)), \(frames), length: 100)" }, "outputs": ["y"] }
      """)
    var runner = try StepRunner(model.compilation())
    let numbers = (0..<240).map { Float(($0 * 7919) % 17 - 8) / 16 }
    let y = try #require(try runner.step(["x": Tensor(shape: [2, 120], values: numbers)])["y"])
    #expect(y.shape == [2, 100])
    for row in 0..<2 {
      let (own, other) = (y.values[(100 * row)..<(100 * row + 100)], numbers[(120 * row)..<(120 * row + 100)])
      #expect(zip(own, other).allSatisfy { abs($0 - $1) < 4e-6 })
    }
  }

  @Test(arguments: [
    ("istft(reshape(x, [2, 5, 10]), 16)", "spectra of 16 numbers are [2, 9, positions]"),
    ("istft(reshape(x, [2, 5, 10]), 8, padding: 'none')", "number 0 of the result lies under no window"),
    ("istft(reshape(x, [2, 5, 10]), 8, 9)", "lies under no window"),
    ("istft(reshape(x, [2, 50, 1]), 98)", "one position has no numbers"),
    ("istft(reshape(x, [2, 5, 10]), 8, length: 0)", "the length must lie in 1…"),
    ("istft(reshape(x, [2, 5, 10]), 8, windowSize: 9)", "the window must have 1 to 8 numbers"),
    ("fourier(x, input: 'complex')", "complex numbers along axis 0 have their real and imaginary parts, 2"),
    ("fourier(windows(x, size: 2), input: 'complex')", "have their real and imaginary parts"),
    (
      "inverseFourier(reshape(x, [2, 50]), size: 40)",
      "40 real numbers have 21 bins; axis 1 of [2, 50] has 50"
    ),
    ("stft(x, 400)", "100 numbers cannot be reflected by 200 at both ends"),
    ("stft(x, 128, padding: 'none')", "100 numbers have no stretch of 128"),
    ("stft(x, 32, hop: 0)", "the hop must lie in 1…"),
    ("stft(x, 32, windowSize: 33)", "the window must have 1 to 32 numbers"),
    ("spectrogram(x, 32, power: 0)", "the power must be more than 0"),
    ("melSpectrogram(x, 32, high: 40000)", "at most half of rate"),
    ("mfcc(x, 32, mels: 8, count: 9)", "8 mels have 1 to 8 coefficients, not 9"),
    ("fourier(broadcast(0, [4099]))", "a Fourier transform of 4099 numbers is not known"),
    ("multiSTFT(x, x)", "100 numbers cannot be reflected by 512"),
    ("multiSTFT(x, x, sizes: [16, 32], hops: 4)", "1 to 16 sizes, and as many hops and windowSizes"),
  ]) func mistakes(call: String, message: String) {
    let text = """
      { "legato": 1, "name": "spectrum", "clock": "step", "inputs": { "x": { "shape": [100] } },
        "graph": { "y": "\(call)" }, "outputs": ["y"] }
      """
    let error = #expect(throws: ModelError.self) { try Model(text).compilation() }
    #expect("\(error!)".contains(message), "\(error!)")
  }
}
