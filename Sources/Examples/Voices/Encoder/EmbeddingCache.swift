// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphIR
internal import Legato
internal import TensorFiles

/// The embeddings of each recording: a row for each window, computed once.
///
///     embeddings.safetensors      "anna/1.wav@9f3c…" [11, 256]      the hash is of the recording and of the encoder
struct EmbeddingCache {
  private let folder: VoiceFolder
  private let encoder: Encoder
  private var known: [String: [[Float]]] = [:]
  private var used: [(name: String, rows: [[Float]])] = []

  /// A file that is damaged is as good as none: all of it can be computed again.
  init(_ folder: VoiceFolder, _ encoder: Encoder) {
    (self.folder, self.encoder) = (folder, encoder)
    guard let file = try? TensorArchive(contentsOf: folder.embeddings) else { return }
    for name in file.names {
      guard let tensor = try? file.tensor(name), tensor.shape.count == 2, tensor.shape[1] == encoder.count,
        tensor.values.allSatisfy(\.isFinite)
      else { continue }
      known[name] = (0..<tensor.shape[0]).map { row in
        Array(tensor.values[row * encoder.count..<(row + 1) * encoder.count])
      }
    }
  }

  /// The rows of a recording.
  ///
  /// - Throws: `VoiceError.failed` where it is damaged, silent or too short.
  mutating func rows(of recording: VoiceFolder.Recording, _ runner: inout EncoderRunner) throws(VoiceError)
    -> [[Float]]
  {
    var hash = ContentHash()
    hash.add(Data(encoder.identity.utf8))
    hash.add(try VoiceFolder.read(recording.path))
    let name = "\(recording.name)@\(hash.text)"
    let rows: [[Float]]
    if let found = known[name] {
      rows = found
    } else {
      let speech = try Speech(contentsOf: recording.path)
      try speech.check(recording.path)
      var made: [[Float]] = []
      for window in encoder.cutting.windows(of: speech) { made.append(try runner.voice(window)) }
      guard !made.isEmpty else { throw .failed("\(recording.path): nobody speaks in it") }
      rows = made
      known[name] = made
    }
    used.append((name, rows))
    return rows
  }

  /// Writes what is known.
  ///
  /// - Parameter isWhole: Whether all that there is was asked for: the rest is of no use any more then.
  func write(isWhole: Bool) throws(VoiceError) {
    let kept = isWhole ? used : known.sorted { $0.key < $1.key }.map { (name: $0.key, rows: $0.value) }
    guard !kept.isEmpty else { return }
    let arrays = kept.map { name, rows in
      GraphIR.Weights(name: name, shape: [rows.count, encoder.count], values: Numbers(rows.flatMap { $0 }))
    }
    do {
      let text = try TensorFileText(arrays, file: folder.embeddings)
      let file = FilesTogether.File(path: folder.embeddings, bytes: text.bytes)
      try FilesTogether([file], replaceExisting: true).commit()
    } catch {
      throw .failed("\(error)")
    }
  }
}
