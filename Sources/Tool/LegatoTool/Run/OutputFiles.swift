// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import Legato

/// The files that `--output` names, and the outputs that each of them gets.
///
///     --output out.npz       all outputs
///     --output out.npy       the only one
///     --output y=out.npy     one of several
struct OutputFiles {
  private struct File {
    let path: String
    let outputs: [String]
    let isArchive: Bool
  }

  private var files: [File] = []
  private let replaceExisting: Bool

  init(_ arguments: Arguments, for ports: PortNames) throws(Failure) {
    replaceExisting = arguments.has(.force)
    let texts = arguments.values(of: .output)
    if texts.isEmpty, replaceExisting { throw .usage("--force is of use with --output FILE only") }
    let outputs = ports.all
    for text in texts {
      let (name, path) = try ports.parts(text, of: .output)
      let isArchive = path.hasSuffix(".npz")
      let hasName = ![".npy", ".npz"].contains(PathText.name(of: path))
      guard hasName, isArchive || path.hasSuffix(".npy") else {
        throw .usage("--output takes a file whose name ends in .npy or .npz, not \(quoted(path))")
      }
      guard name != nil || isArchive || outputs.count == 1 else {
        throw .usage(
          "--output \(printable(text)): the model has the outputs \(alternatives(outputs.map(quoted), "and")); name an "
            + ".npz for all of them, or say which is meant: --output \(outputs[0])=\(printable(path))")
      }
      files.append(File(path: path, outputs: name.map { [$0] } ?? outputs, isArchive: isArchive))
    }
    let places = files.map { PathPlace($0.path) }
    for (index, place) in places.enumerated() where places[..<index].contains(place) {
      throw .usage("--output names \(quoted(files[index].path)) twice; each file is written once")
    }
  }

  var isEmpty: Bool { files.isEmpty }

  /// Throws what would be in the way of the files: before work is done for them.
  func check(against sources: [String]) throws {
    for file in files {
      try Destination.check(file.path, against: sources)
      try TextFile.check(file.path, replaceExisting: replaceExisting)
    }
  }

  /// Writes all files, which appear together.
  func write(_ results: [String: Tensor], _ console: Console) throws {
    guard !isEmpty else { return }
    let contents = try files.map { file in
      let tensors = file.outputs.compactMap { name in results[name].map { (name: name, tensor: $0) } }
      let bytes =
        try file.isArchive ? TensorArchive.npz(tensors, path: file.path) : tensors.first?.tensor.npy ?? []
      return FilesTogether.File(path: file.path, bytes: bytes)
    }
    let together = try FilesTogether(
      contents, replaceExisting: replaceExisting, pending: Interruption.pending)
    try together.commit()
    for file in files {
      let shapes = file.outputs.map { "\(printable($0)) \(results[$0]?.shape ?? [])" }
      console.notice("\(file.path): \(shapes.joined(separator: ", "))")
    }
  }
}
