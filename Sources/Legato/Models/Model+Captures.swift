// SPDX-License-Identifier: Apache-2.0

internal import CaptureFiles
internal import Foundation
internal import GraphIR
internal import ModelFiles
internal import TensorFiles

/// Captures of amplifiers: models that were translated, and that know how loud they are.
extension Model {
  /// The levels that a model was made with.
  public struct Levels: Hashable, Sendable {
    /// The loudness in decibels of what comes out for the sound that captures are measured with; nil where it is not
    /// known.
    public let loudness: Double?
    /// The level in dBu of an input at full scale; nil where it is not known.
    public let input: Double?
    /// The level in dBu of an output at full scale; nil where it is not known.
    public let output: Double?
  }

  /// The levels that the file states; of a chain, those of its first model.
  public var levels: Levels {
    let levels = document.levels
    return Levels(loudness: levels.loudness, input: levels.input, output: levels.output)
  }

  /// Whether the file is a capture of another program's, which was translated.
  public var isCapture: Bool { document.isCapture }

  /// Whether the file is another program's, a capture or a network, which was translated.
  package var isTranslated: Bool { document.isTranslated }

  /// What may be remembered of an ONNX file whose inputs and outputs are alike; nil where none are.
  ///
  /// - Parameter extents: numbers for the axes that it only names; until all have one there is nothing to be said.
  package func noteOnStates(extents: [String: Int] = [:]) -> String? {
    let bound = (try? composed.family.bound(to: extents)) ?? composed.family
    guard let pairs = bound.document.network?.pairs, !pairs.isEmpty else { return nil }
    let more = pairs.count > 4 ? " and \(pairs.count - 4) more pairs" : ""
    return
      "\(pairs.prefix(4).map { printable($0) }.joined(separator: ", "))\(more) have one shape each; where one is "
      + "remembered from step to step, --state \(printable(pairs[0])) says so"
  }

  /// A note of what was read of a network, and what was not; nil where there is nothing to be said.
  package var noteOnImport: String? {
    let notes = [document.network?.note, noteOnWarmingUp].compactMap(\.self)
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
  }

  /// A note that an ONNX file warms up with other states than those that are said; nil where it does not.
  package var noteOnWarmingUp: String? {
    guard let steps = document.network?.droppedPrewarm, steps > 0 else { return nil }
    return
      "the states are others than the file notes, and begin with zeros: its \(counted(steps, "step")) of zeros before the "
      + "first one do not run"
  }

  /// Whether the file, or one that it uses, is a capture in several sizes.
  public var hasSizes: Bool { composed.family.hasSizes }

  /// The same model at a loudness of -18 dB: behind each model of a chain that states its loudness there is a gain, and
  /// behind the parts that state theirs of each that does not.
  ///
  /// - Throws: `RequestError` where none states it.
  public func normalized() throws(RequestError) -> Model {
    let family = composed.family.normalized { loudness in Self.gain(decibels: -18 - loudness) }
    return try levelled(
      family, "normalized", states: "loudness that a sound has", example: "{ \"loudness\": -20.5 }")
  }

  /// The same model for a sound device of a known level: what goes into a model that states how many dBu its input was
  /// at full scale gets the gain from the device's to that, and what comes out of one that states its output's the gain
  /// back. What is normalized stays at its loudness. Where the sine of full scale of the device is louder than that of
  /// the capture, the model is driven harder.
  ///
  /// - Parameter fullScale: The level in dBu of a sine at full scale of the device, from -60 to 60.
  /// - Throws: `RequestError` where no model states such levels, or the number is none.
  public func calibrated(to fullScale: Double) throws(RequestError) -> Model {
    guard (-60...60).contains(fullScale) else {
      throw RequestError("a device has from -60 to 60 dBu at full scale, this is \(fullScale)")
    }
    let family = composed.family.calibrated { level in
      Self.gain(decibels: fullScale - level)
    } output: { level in
      Self.gain(decibels: level - fullScale)
    }
    return try levelled(
      family, "calibrated", states: "level in dBu that a device has",
      example: "{ \"input\": 12.5, \"output\": 9.25 }")
  }

  private static func gain(decibels: Double) -> Double? {
    abs(decibels) <= 120 ? pow(10, decibels / 20) : nil
  }

  private func levelled(
    _ family: ModelFamily?, _ action: String, states level: String, example: String
  ) throws(RequestError) -> Model {
    guard let family else {
      let names = alternatives(stages.map { quoted($0.name) }, "and")
      let reason = stages.count == 1 ? "it states no \(level)" : "none states a \(level)"
      let remedy = "a model file states it as \"levels\": \(example)"
      throw RequestError("\(names) cannot be \(action): \(reason); \(remedy)")
    }
    do throws(ModelError) {
      return try Model(family, controls: composed.composition.controls, batch: batch)
    } catch {
      throw RequestError("\(error.description)")
    }
  }

  /// A capture or network as a model file that says the same, and the safetensors file with its weights.
  ///
  /// - Parameter weights: The path of the second, as the first says it.
  /// - Throws: `ModelError` where nothing can be made of it, or what is written could not be read again.
  package func imported(
    weightsIn weights: String
  ) throws(ModelError) -> (model: String, weights: [UInt8]) {
    _ = try graph(extents: [:], sampleRate: nil)
    let text = document.text(weightsIn: weights)
    do throws(Diagnostics) {
      _ = try ModelDocument.decode(Array(text.utf8), file: document.file)
    } catch {
      throw ModelError(error)
    }
    do throws(TensorFileError) {
      return (text, try document.tensorFile(weights).bytes)
    } catch {
      throw .unreadable(path: weights, reason: error.description)
    }
  }
}
