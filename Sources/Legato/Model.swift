// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
package import ModelFiles

/// A model file that was read and checked for its form, before its symbolic extents are bound.
public struct Model: Sendable {
  package let document: ModelDocument

  /// Reads a model file.
  ///
  /// - Throws: `ModelError.unreadable`, or `ModelError.invalid` with every problem of form in the file.
  public init(contentsOf path: String) throws(ModelError) {
    let handle: FileHandle
    let data: Data
    do {
      handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      // One byte more than the reader takes: it says how much is too much.
      data = try handle.read(upToCount: JSONReader.maximumBytes + 1) ?? Data()
    } catch {
      throw .unreadable(path: path, reason: Self.reason(error, path))
    }
    guard !Self.isAudio(data) else { throw .unreadable(path: path, reason: "is an audio file, not a model") }
    try self.init(Array(data), file: path)
  }

  /// Whether the bytes begin as those of audio files do: the usual mistake where both are named.
  private static func isAudio(_ data: Data) -> Bool {
    ["RIFF", "RF64", "fLaC", "FORM", "OggS", "caff"].contains { data.starts(with: $0.utf8) }
  }

  /// Reads a model from text.
  ///
  /// - Parameter name: What error messages call the text.
  /// - Throws: `ModelError.invalid` with every problem of form in the text.
  public init(_ text: String, name: String = "model") throws(ModelError) {
    try self.init(Array(text.utf8), file: name)
  }

  private init(_ bytes: [UInt8], file: String) throws(ModelError) {
    do throws(Diagnostics) {
      document = try ModelDocument.decode(bytes, file: file)
    } catch {
      throw ModelError(error)
    }
  }

  private static func reason(_ error: any Error, _ path: String) -> String {
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return "no such file"
    }
    if isFolder.boolValue { return "is a folder, not a model file" }
    guard FileManager.default.isReadableFile(atPath: path) else { return "no permission to read it" }
    return "cannot be read (\((error as NSError).localizedDescription))"
  }

  /// What the model calls itself.
  public var name: String { document.name }

  /// The symbolic extents of the inputs, such as `channels`, in the order in which they first appear.
  public var symbols: [String] { document.symbols }
}
