// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation

/// The folder of recordings and of what was learned of them.
///
///     recordings/anna/1.wav, 2.wav          16 kHz, one channel, floats
///     recordings/others/1.wav               anybody else: who sounds more like these is nobody of the people
///     encoder/encoder.json, model.json, …   what makes numbers of a voice; where it is missing, the embedded one
///     embeddings.safetensors                what the encoder made of each recording, so that it need not again
///     voices.json, voices.safetensors       the trained model, and
///     people.json                           how sound is cut for it
package struct VoiceFolder: Sendable {
  package let path: String

  /// The name under which recordings of anybody else stand.
  package static let others = "others"

  package init(_ path: String) { self.path = path }

  /// `$XDG_DATA_HOME/legato-voices`, or in `~/.local/share`.
  package static func standard(_ environment: [String: String]) throws(VoiceError) -> VoiceFolder {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      return VoiceFolder(data + "/legato-voices")
    }
    guard let home = environment["HOME"], !home.isEmpty else {
      throw .usage("there is no HOME to keep voices in; name a folder with --folder")
    }
    return VoiceFolder(home + "/.local/share/legato-voices")
  }

  package var encoder: String { path + "/encoder" }
  package var embeddings: String { path + "/embeddings.safetensors" }
  package var model: String { path + "/voices.json" }
  package var weights: String { path + "/voices.safetensors" }
  package var people: String { path + "/people.json" }
  private var recordings: String { path + "/recordings" }

  /// A recording and whose it is.
  package struct Recording: Hashable, Sendable {
    package let person: String
    package let number: Int
    package let path: String
    package var name: String { "\(person)/\(number).wav" }
  }

  /// Everybody of whom there is a recording, by their names; others last.
  package func names() -> [String] {
    let found = (try? FileManager.default.contentsOfDirectory(atPath: recordings)) ?? []
    let people = found.filter { !$0.hasPrefix(".") && !recordings(of: $0).isEmpty }
    return people.filter { $0 != Self.others }.sorted() + people.filter { $0 == Self.others }
  }

  /// The recordings of a person, in their order.
  package func recordings(of person: String) -> [Recording] {
    let folder = "\(recordings)/\(person)"
    let found = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return found.compactMap { name in
      guard name.hasSuffix(".wav"), let number = Int(name.dropLast(4)), number > 0 else { return nil }
      return Recording(person: person, number: number, path: "\(folder)/\(name)")
    }.sorted { $0.number < $1.number }
  }

  /// Whether a person may be called so, and whether somebody is.
  ///
  /// - Throws: `VoiceError.usage` for what is no name, or is one of somebody else but for its letters.
  package func isKnown(_ name: String) throws(VoiceError) -> Bool {
    let allowed = name.unicodeScalars.allSatisfy {
      CharacterSet.alphanumerics.contains($0) || "-_ ".unicodeScalars.contains($0)
    }
    guard allowed, !name.isEmpty, name.utf8.count <= 64, name.first != " ", name.last != " " else {
      throw .usage(
        "a name has letters, digits, '-', '_' and spaces within, at most 64 bytes; '\(name)' does not")
    }
    if let twin = names().first(where: { $0 != name && $0.lowercased() == name.lowercased() }) {
      throw .usage("there is a person called \(twin); call this one otherwise than \(name)")
    }
    return !recordings(of: name).isEmpty
  }

  /// Writes one more recording of a person.
  package func add(_ speech: Speech, of person: String) throws(VoiceError) -> Recording {
    let number = (recordings(of: person).last?.number ?? 0) + 1
    let folder = "\(recordings)/\(person)"
    try Self.make(folder)
    let recording = Recording(person: person, number: number, path: "\(folder)/\(number).wav")
    try speech.write(to: recording.path)
    return recording
  }

  /// Deletes all recordings of a person.
  package func remove(_ person: String) throws(VoiceError) {
    // Its name goes at once; what is in it follows.
    let gone = "\(recordings)/.removed-\(UUID().uuidString)"
    guard unsafe rename("\(recordings)/\(person)", gone) == 0 else {
      throw .failed("\(recordings)/\(person): cannot be deleted (\(unsafe String(cString: strerror(errno))))")
    }
    try? FileManager.default.removeItem(atPath: gone)
  }

  /// Deletes the trained model.
  package func removeModel() {
    for file in [people, model, weights] { try? FileManager.default.removeItem(atPath: file) }
  }

  static func make(_ folder: String) throws(VoiceError) {
    do throws(AudioFileError) { try FileStatus.makeFolder(folder) } catch { throw .failed(error.description) }
  }

  /// The bytes of a file.
  static func read(_ path: String) throws(VoiceError) -> Data {
    do throws(AudioFileError) { return Data(try FileBytes.read(path, most: .max)) } catch {
      throw .failed(error.description)
    }
  }
}
