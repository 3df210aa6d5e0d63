// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import ModelFiles

/// Reads model files, and those that they use: only files of the folder in which the user stands, or below it.
///
///     models/rig.json      uses "cabinet.json", "rack/eq.json"
///     models/rack/eq.json  uses "bands/low.json", which is models/rack/bands/low.json
///
/// A model comes from strangers: it names no file by its absolute path or by "..", and no link leads it out.
enum ModelFolder {
  /// Reads a file that a user of Legato named.
  static func read(_ path: String) throws(ModelError) -> [UInt8] {
    switch contents(path) {
    case .success(let bytes): return bytes
    case .failure(let refusal): throw .unreadable(path: path, reason: refusal.message)
    }
  }

  /// Reads the file that a path in a model means.
  ///
  /// - Parameter user: the file of that model.
  static func read(_ path: String, usedBy user: String) -> Result<ModelFile, ModelFile.Refusal> {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.isEmpty, !path.utf8.contains(0) else { return .failure(.init("is no name of a file")) }
    guard !path.hasPrefix("/"), !parts.contains("..") else {
      return .failure(
        .init("lies outside the folder of \(quoted(user)); write a path inside of it, without '..'"))
    }
    let folder = user.lastIndex(of: "/").map { String(user[...$0]) } ?? ""
    let file = folder + path
    guard let real = identity(of: file), let root = identity(of: folder.isEmpty ? "." : folder) else {
      return .failure(.init("is not there: \(quoted(file)): no such file"))
    }
    guard real == root || real.hasPrefix(root == "/" ? "/" : root + "/") else {
      return .failure(.init("is a link that leads out of the folder of \(quoted(user))"))
    }
    // A pipe would let a reader wait for ever.
    let kind = try? FileManager.default.attributesOfItem(atPath: real)[.type] as? FileAttributeType
    guard kind == .typeRegular || kind == .typeDirectory else {
      return .failure(.init("cannot be used: \(quoted(file)) is no ordinary file"))
    }
    return contents(file).map { ModelFile(bytes: $0, file: file, identity: real) }
      .mapError { .init("cannot be used: \(quoted(file)) \($0.message)") }
  }

  /// One name for each file, whatever links lead to it; nil where there is none.
  static func identity(of path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  private static func contents(_ path: String) -> Result<[UInt8], ModelFile.Refusal> {
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      return .failure(.init("no such file"))
    }
    if isFolder.boolValue { return .failure(.init("is a folder, not a model file")) }
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? handle.close() }
      // One byte more than the reader takes: it says how much is too much.
      data = try handle.read(upToCount: JSONReader.maximumBytes + 1) ?? Data()
    } catch {
      guard FileManager.default.isReadableFile(atPath: path) else {
        return .failure(.init("no permission to read it"))
      }
      return .failure(.init("cannot be read (\((error as NSError).localizedDescription))"))
    }
    guard !isAudio(data) else { return .failure(.init("is an audio file, not a model")) }
    return .success(Array(data))
  }

  /// Whether the bytes begin as those of audio files do: the usual mistake where both are named.
  private static func isAudio(_ data: Data) -> Bool {
    ["RIFF", "RF64", "fLaC", "FORM", "OggS", "caff"].contains { data.starts(with: $0.utf8) }
  }
}
