// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Legato

/// An encoder: it makes a few numbers of 1.6 s of a voice, which are near for one person and far apart for two.
///
///     encoder.json { "form": 1, "name", "model": "model.json", "window", "lead", "span", "hop" }
///     model.json   a model of steps: window numbers at 16 kHz, at any level ─▶ `voice`, of length 1
///
/// Its weights stay as they are.
package struct Encoder: Sendable {
  /// The file's contents.
  private struct File: Codable {
    let form: Int
    let name: String
    let model: String
  }

  package static let form = 2

  package let name: String
  package let cutting: Cutting
  package let model: Model
  package let modelPath: String
  /// How many numbers a voice is.
  package let count: Int
  /// Tells encoders apart: a hash of all of its files.
  package let identity: String

  /// Reads the encoder of a folder, or the embedded one where there is none.
  package static func of(_ folder: VoiceFolder) throws(VoiceError) -> Encoder {
    if FileManager.default.fileExists(atPath: folder.encoder) { return try Encoder(folder.encoder) }
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return try embedded(beside: (program as NSString).deletingLastPathComponent)
  }

  /// The embedded one, whose files lie in the folder of the program.
  package static func embedded(beside folder: String) throws(VoiceError) -> Encoder {
    let files = folder + "/Legato_Voices.resources"
    guard FileManager.default.fileExists(atPath: files) else {
      throw .failed(
        "\(files): is missing, which holds the embedded encoder; copy it from the build, with legato-voices")
    }
    return try Encoder(files + "/Embedded")
  }

  /// - Throws: `VoiceError.failed` where a file is missing, damaged, or of another version.
  package init(_ folder: String) throws(VoiceError) {
    let path = folder + "/encoder.json"
    let text = try VoiceFolder.read(path)
    struct Form: Codable { let form: Int }
    guard let form = try? JSONDecoder().decode(Form.self, from: text) else {
      throw .failed("\(path): is no encoder's file; delete \(folder), or fetch the encoder again")
    }
    guard form.form == Self.form else {
      throw .failed(
        "\(path): is of form \(form.form), and this program reads form \(Self.form): fetch the encoder again")
    }
    guard let file = try? JSONDecoder().decode(File.self, from: text),
      let cutting = try? JSONDecoder().decode(Cutting.self, from: text), !file.model.contains("/")
    else { throw .failed("\(path): says not all that an encoder has to; fetch the encoder again") }
    if let flaw = cutting.flaw { throw .failed("\(path): \(flaw)") }
    (name, self.cutting) = (file.name, cutting)
    modelPath = "\(folder)/\(file.model)"
    do throws(ModelError) { model = try Model(contentsOf: modelPath) } catch {
      throw .failed(error.description)
    }
    let compilation: Compilation
    do throws(ModelError) { compilation = try model.compilation() } catch { throw .failed(error.description) }
    let (inputs, outputs) = (compilation.layout.inputs, compilation.layout.outputs)
    guard inputs.map(\.name) == ["sound"], inputs[0].shape == [cutting.window],
      outputs.map(\.name) == ["voice"],
      outputs[0].shape.count == 1
    else {
      throw .failed(
        "\(modelPath): has to make one output 'voice' [n] of one input 'sound' [\(cutting.window)]")
    }
    count = outputs[0].shape[0]
    var hash = ContentHash()
    hash.add(text)
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in files.sorted() where name != "encoder.json" && !name.hasPrefix(".") {
      hash.add(try VoiceFolder.read("\(folder)/\(name)"))
    }
    identity = hash.text
  }

  /// Something that computes embeddings.
  package func runner() throws(VoiceError) -> EncoderRunner { try EncoderRunner(self) }
}

/// An encoder at work.
package struct EncoderRunner: ~Copyable {
  private var runner: StepRunner

  init(_ encoder: Encoder) throws(VoiceError) {
    do throws(ModelError) { runner = try StepRunner(encoder.model.compilation()) } catch {
      throw .failed(error.description)
    }
  }

  /// The numbers of a window's voice.
  package mutating func voice(_ window: [Float]) throws(VoiceError) -> [Float] {
    do throws(RequestError) { return try runner.step(["sound": Tensor(window)])["voice"]?.values ?? [] } catch
    {
      throw .failed(error.description)
    }
  }
}

/// A hash of files that tells them apart (FNV-1a over words of 64 bits); no protection against whoever wants them equal.
package struct ContentHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package mutating func add(_ data: Data) {
    var (word, filled) = (UInt64(0), 0)
    for byte in data {
      word = word << 8 | UInt64(byte)
      filled += 1
      if filled == 8 {
        mix(word)
        (word, filled) = (0, 0)
      }
    }
    mix(word)
    mix(UInt64(data.count))
  }

  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* 0x0000_0100_0000_01B3
    state ^= state >> 29
  }

  package var text: String { String(state, radix: 16) }
}
