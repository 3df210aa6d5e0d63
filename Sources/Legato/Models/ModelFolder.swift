// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR
internal import JSONReading
internal import ModelFiles
internal import TensorFiles

/// Reads model files, and those that they use: only files of the folder in which the user stands, or below it.
///
///     models/rig.json      uses "cabinet.json", "rack/eq.json"
///     models/rack/eq.json  uses "bands/low.json", which is models/rack/bands/low.json
///
/// A model comes from strangers: it names no file by its absolute path or by "..", and no link leads it out. Paths are
/// compared by their bytes, as the system does: to strings, a slash followed by a combining mark is no slash.
enum ModelFolder {
  private static let slash = UInt8(ascii: "/")

  /// The file of a model that a user of Legato named: of a bundle that which says what is in it, of a folder of ONNX
  /// Runtime's training the network that is run forwards.
  static func model(_ path: String) -> String {
    let files = [bundle, "eval_model.onnx"].map { "\(path)/\($0)" }
    return files.first { FileManager.default.fileExists(atPath: $0) } ?? path
  }

  /// The name of a bundle's own file.
  static let bundle = "model.json"

  /// Whether a path may be that of a bundle's own file.
  static func isBundle(_ path: String) -> Bool { path == bundle || path.hasSuffix("/" + bundle) }

  /// The contents of a file that a user of Legato named: read, but of an ONNX file, which stays open.
  static func contents(of path: String) throws(ModelError) -> FileReader {
    let bytes = Array(path.utf8)
    // One byte more than the reader takes: it says how much is too much.
    let descriptor = bytes.contains(0) ? .failure(.missing) : openFile(bytes, 0)
    switch descriptor.flatMap({ contents($0, most: JSONReader.maximumBytes + 1) }) {
    case .success(let contents): return contents
    case .failure(let refusal):
      throw .unreadable(path: path, reason: missingFile(ofFolder: path) ?? refusal.message)
    }
  }

  /// Reads a file that a user of Legato named.
  static func read(_ path: String) throws(ModelError) -> [UInt8] {
    let contents = try contents(of: path)
    do throws(TensorFileError) {
      return try TensorFile.bytes(0..<contents.count, of: contents, file: path)
    } catch {
      throw .unreadable(path: path, reason: error.message)
    }
  }

  /// The file that a folder lacks, of which others are there; nil for any other folder, and for a file.
  private static func missingFile(ofFolder path: String) -> String? {
    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }
    let training = ["training_model.onnx", "optimizer_model.onnx", "checkpoint"].filter(has)
    guard training.isEmpty else {
      let some = training.joined(separator: ", ")
      return "is a folder with \(some), and without eval_model.onnx, the network itself"
    }
    return has("artifacts.json")
      ? "is a folder of artifacts, which a Trainer loads, and no model file; name the one that they were made of"
      : nil
  }

  /// The file that a path in a model means.
  ///
  /// - Parameter user: the file of that model.
  static func find(_ path: String, usedBy user: String) -> Result<ModelFile, ModelFile.Refusal> {
    guard !path.isEmpty, !path.utf8.contains(0) else { return .failure(.init("is no name of a file")) }
    let parts = path.utf8.split(separator: slash, omittingEmptySubsequences: false)
    guard path.utf8.first != slash, !parts.contains(where: { $0.elementsEqual("..".utf8) }) else {
      return .failure(
        .init("lies outside the folder of \(quoted(user)); write a path inside of it, without '..'"))
    }
    let folder = user.utf8.lastIndex(of: slash).map { String(user[..<user.utf8.index(after: $0)]) } ?? ""
    let file = folder + path
    guard let real = identity(of: file), let root = identity(of: folder.isEmpty ? "." : folder) else {
      return .failure(.init("is not there: \(quoted(file)): no such file", file: file))
    }
    guard real == root || real.starts(with: root == [slash] ? root : root + [slash]) else {
      return .failure(.init("is a link that leads out of the folder of \(quoted(user))"))
    }
    return .success(ModelFile(file, identity: real))
  }

  /// Reads a file that was found, by the path that was checked.
  static func read(_ file: ModelFile, most: Int) -> Result<FileReader, ModelFile.Refusal> {
    var status = stat()
    let isThere = unsafe withPath(file.identity) { unsafe lstat($0, &status) } == 0
    // To open a pipe is to wait for who writes to it, perhaps for ever.
    guard !isThere || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
      return .failure(.init("is no ordinary file").of(file))
    }
    return openFound(file, O_NONBLOCK).flatMap { contents($0, most: most) }.mapError { $0.of(file) }
  }

  /// Opens a file of weights that was found, by the path that was checked.
  static func open(_ file: ModelFile) -> Result<FileReader, ModelFile.Refusal> {
    // Without waiting for who writes to a pipe.
    openFound(file, O_NONBLOCK).flatMap(reader).mapError { $0.of(file) }
  }

  /// Opens a file of weights that a user of Legato named.
  static func open(_ path: String) -> Result<FileReader, ModelFile.Refusal> {
    let bytes = Array(path.utf8)
    return bytes.contains(0) ? .failure(.missing) : openFile(bytes, O_NONBLOCK).flatMap(reader)
  }

  private static func reader(_ descriptor: Int32) -> Result<FileReader, ModelFile.Refusal> {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return .failure(.init("is no ordinary file"))
    }
    return FileReader(taking: descriptor).map { .success($0) } ?? .failure(.unreadable)
  }

  /// A folder that is only passed through, which takes no right to list it: O_DIRECTORY, and O_PATH, which Swift does not
  /// see.
  private static let wayOnly = O_DIRECTORY | 0o10_000_000

  /// Opens a file that was found, folder by folder: its path has no links, and one that came there since is refused.
  private static func openFound(_ file: ModelFile, _ flags: Int32) -> Result<Int32, ModelFile.Refusal> {
    let names = file.identity.split(separator: slash)
    var folder = openFile([slash], wayOnly)
    for (place, name) in names.enumerated() {
      guard case .success(let descriptor) = folder else { return folder }
      let isLast = place == names.count - 1
      folder = openFile(Array(name), O_NOFOLLOW | (isLast ? flags : wayOnly), in: descriptor)
      close(descriptor)
    }
    return folder
  }

  /// One path for each file, whatever links lead to it; nil where there is none.
  static func identity(of path: String) -> ModelFile.Identity? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }
  }

  private static func withPath<Result>(
    _ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result
  ) -> Result {
    let path = bytes.map { CChar(bitPattern: $0) } + [0]
    return unsafe path.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
  }

  private static func openFile(
    _ path: [UInt8], _ flags: Int32, in folder: Int32 = AT_FDCWD
  ) -> Result<Int32, ModelFile.Refusal> {
    let descriptor = unsafe withPath(path) { unsafe openat(folder, $0, O_RDONLY | O_CLOEXEC | flags) }
    guard descriptor < 0 else { return .success(descriptor) }
    return switch errno {
    case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: .failure(.missing)
    case EACCES, EPERM: .failure(.init("no permission to read it"))
    default: .failure(.unreadable)
    }
  }

  /// The bytes of a file; an ONNX file stays open, and is read where somebody looks at it.
  private static func contents(_ descriptor: Int32, most: Int) -> Result<FileReader, ModelFile.Refusal> {
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      return .failure(.init("is a folder, not a model file"))
    }
    var bytes: [UInt8] = []
    do {
      // The first ones tell what it is, and so how much may come.
      bytes = Array(try handle.read(upToCount: 16) ?? Data())
      let isNetwork = ModelDocument.isONNX(bytes)
      let limit = isNetwork ? ModelDocument.mostNetworkBytes + 1 : most
      // What is too large by itself is not even read.
      if status.st_mode & S_IFMT == S_IFREG, limit > JSONReader.maximumBytes, status.st_size > limit {
        return .failure(isNetwork ? .tooLargeNetwork : .tooLarge)
      }
      if isNetwork, status.st_mode & S_IFMT == S_IFREG {
        return FileReader(taking: fcntl(descriptor, F_DUPFD_CLOEXEC, 0)).map { .success($0) }
          ?? .failure(.unreadable)
      }
      if status.st_mode & S_IFMT == S_IFREG { bytes.reserveCapacity(min(Int(status.st_size), limit)) }
      // Part by part: the whole is not copied.
      while bytes.count < limit,
        let part = try handle.read(upToCount: min(limit - bytes.count, 1 << 22)), !part.isEmpty
      {
        bytes += part
      }
      guard !isNetwork || bytes.count < limit else { return .failure(.tooLargeNetwork) }
    } catch {
      return .failure(.init("cannot be read (\((error as NSError).localizedDescription))"))
    }
    guard !isAudio(bytes) else { return .failure(.init("is an audio file, not a model")) }
    return .success(FileReader(bytes))
  }

  /// Whether the bytes begin as those of audio files do: the usual mistake where both are named.
  private static func isAudio(_ bytes: [UInt8]) -> Bool {
    ["RIFF", "RF64", "fLaC", "FORM", "OggS", "caff"].contains { bytes.starts(with: $0.utf8) }
  }
}

extension ModelFile.Refusal {
  fileprivate static let tooLarge = ModelFile.Refusal(
    "has more than \(JSONReader.maximumBytes) bytes (64 MiB), which are the most")
  fileprivate static let tooLargeNetwork = ModelFile.Refusal(
    "has more than \(ModelDocument.mostNetworkBytes) bytes (2 GiB), which are the most; keep its weights in files beside it"
  )
  /// As `errno` says.
  fileprivate static var unreadable: ModelFile.Refusal {
    .init("cannot be read (\(unsafe String(cString: strerror(errno))))")
  }

  /// The refusal of a file that a model uses.
  fileprivate func of(_ file: ModelFile) -> ModelFile.Refusal {
    .init("cannot be used: \(quoted(file.file)) \(message)")
  }

  fileprivate static let missing = ModelFile.Refusal("no such file")
}
