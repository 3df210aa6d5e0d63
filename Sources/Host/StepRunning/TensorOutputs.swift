// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The files that a request names, and the outputs that each of them gets.
///
///     out.npz       all outputs
///     out.npy       the only one
///     y=out.npy     one of several
struct TensorOutputs {
  private struct File {
    let path: String
    let outputs: [String]
    let isArchive: Bool
  }

  private var files: [File] = []
  private let replaceExisting: Bool

  init(_ texts: [String], replaceExisting: Bool, for ports: PortNames) throws(RequestError) {
    self.replaceExisting = replaceExisting
    let outputs = ports.all
    for text in texts {
      let (name, path) = try ports.parts(text, of: .output)
      let isArchive = path.hasSuffix(".npz")
      let hasName = ![".npy", ".npz"].contains(PathText.name(of: path))
      guard hasName, isArchive || path.hasSuffix(".npy") else {
        throw RequestError("\(.output) takes a file whose name ends in .npy or .npz, not \(quoted(path))")
      }
      guard name != nil || isArchive || outputs.count == 1 else {
        throw RequestError(
          "\(.output) \(printable(text)): the model has the outputs \(ports.list); name an .npz for all of them, "
            + "or say which is meant: \(.output) \(outputs[0])=\(printable(path))"
        )
      }
      files.append(File(path: path, outputs: name.map { [$0] } ?? outputs, isArchive: isArchive))
    }
    let places = files.map { PathPlace($0.path) }
    for (index, place) in places.enumerated() where places[..<index].contains(place) {
      throw RequestError("\(.output) names \(quoted(files[index].path)) twice; each file is written once")
    }
  }

  var isEmpty: Bool { files.isEmpty }

  /// Throws what would be in the way of the files: before work is done for them.
  func check(against sources: [String]) throws {
    for file in files {
      let place = PathPlace(file.path)
      guard sources.allSatisfy({ PathPlace($0) != place }) else {
        throw RequestError("\(quoted(file.path)) is what the result is made of; name another file")
      }
      try TextFile.check(file.path, replaceExisting: replaceExisting)
    }
  }

  /// Writes all files, which appear together.
  ///
  /// - Parameter pending: where files are noted while they are not whole.
  /// - Returns: a line for each file.
  func write(_ results: [String: Tensor], pending: PendingFiles?) throws -> [String] {
    guard !isEmpty else { return [] }
    let contents = try files.map { file in
      let tensors = file.outputs.compactMap { name in results[name].map { (name: name, tensor: $0) } }
      let bytes =
        try file.isArchive ? TensorArchive.npz(tensors, path: file.path) : tensors.first?.tensor.npy ?? []
      return FilesTogether.File(path: file.path, bytes: bytes)
    }
    let together = try FilesTogether(
      contents, replaceExisting: replaceExisting, pending: pending)
    try together.commit()
    return files.map { file in
      let shapes = file.outputs.map { "\(printable($0)) \(results[$0]?.shape ?? [])" }
      return "\(file.path): \(shapes.joined(separator: ", "))"
    }
  }
}
