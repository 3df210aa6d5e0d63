// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GraphIR
package import GraphPlanning

/// A folder of the user's in which compiled code is kept, so that what was compiled before on this machine needs no
/// LLVM: opening it takes longer than anything else of a short run.
///
///     text, target, settings ─▶ key ─▶ hash ─▶ file: key, library, code, with a checksum
///
/// Nothing about it is an error: what cannot be read, is damaged, or was made by a library that has changed since, is
/// compiled as if there were no cache, and replaced. What was used longest ago goes when there is too much.
package struct CodeCache: Hashable, Sendable {
  package let folder: String
  private let making: CacheFolder.Making
  /// The most bytes of all files.
  private let most: Int

  /// A cache in a folder that somebody has named; the one that it stands in must be there.
  package init(folder: String, most: Int = 64 << 20) {
    self.init(folder: folder, making: .named, most: most)
  }

  private init(folder: String, making: CacheFolder.Making, most: Int = 64 << 20) {
    self.folder = CacheFolder.withoutSlashes(folder)
    self.making = making
    self.most = most
  }

  /// The folder that the environment says: `LEGATO_CACHE`, or `legato` in `XDG_CACHE_HOME` or `~/.cache`.
  ///
  /// Nil where `LEGATO_CACHE` is empty, or where none of them is there.
  package init?(_ variable: (String) -> String?) {
    func absolute(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    if let named = variable("LEGATO_CACHE") {
      guard !named.isEmpty else { return nil }
      self.init(folder: named)
    } else if let caches = absolute("XDG_CACHE_HOME") {
      self.init(folder: caches + "/legato", making: .last(1))
    } else if let home = absolute("HOME") {
      self.init(folder: home + "/.cache/legato", making: .last(2))
    } else {
      return nil
    }
  }

  /// The cache of the user who runs this process.
  package static func ofUser() -> CodeCache? {
    CodeCache { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
  }

  /// The contents kept under a key, if the library that made them is still the same.
  func contents(of key: [UInt8]) -> [UInt8]? {
    guard let folder = CacheFolder(path: folder), let bytes = folder.read(Self.name(of: key), most: most)
    else { return nil }
    return CacheEntry.contents(of: bytes, key: key)
  }

  /// Keeps what the open library has made, where the library's file has not changed since it was opened.
  func keep(_ contents: [UInt8], under key: [UInt8]) {
    guard let library = try? LLVMLibrary.shared().identity, library.isCurrent else { return }
    let bytes = CacheEntry(key: key, library: library, contents: contents).bytes
    let name = Self.name(of: key)
    guard bytes.count <= most, let folder = CacheFolder(path: folder, making: making),
      folder.write(name, bytes)
    else { return }
    folder.shrink(to: most - bytes.count) { $0 != name && Self.isName($0) }
  }

  /// A key of words that may hold anything but zeros; which library is asked for, and where it is looked for, is always
  /// a part of it.
  static func key(_ words: String...) -> [UInt8] {
    Array((words + [LLVMLibrary.named, LLVMLibrary.searchPath]).joined(separator: "\0").utf8)
  }

  private static let ending = ".legato-code"

  private static func name(of key: [UInt8]) -> String {
    let digits = String(key.fingerprint, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + ending
  }

  /// Whether a file of the folder is one of ours, finished or not: the folder may be one that holds others.
  private static func isName(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (2...3).contains(parts.count) && parts[0].count == 16
      && parts[0].allSatisfy("0123456789abcdef".utf8.contains)
      && parts[1].elementsEqual(ending.utf8.dropFirst())
      && parts.dropFirst(2).allSatisfy { !$0.isEmpty && $0.allSatisfy("0123456789".utf8.contains) }
  }

  /// The code of a text, in memory: kept before or, where there is none, made and kept.
  ///
  /// - Throws: what `LoadedCode.compile` throws.
  package func code(
    ofText ir: String, entry: String, for target: Target
  ) throws(NativeCodeError) -> LoadedCode {
    try target.requireRunsHere(self)
    let key = Self.key(
      "code", CodeGenerator.settings.text, target.triple, target.cpu, target.features, ir)
    if let bytes = contents(of: key), let code = try? LoadedCode(placing: bytes, entry: entry) { return code }
    let bytes = try ObjectFile.emit(ir: ir, target: target).bytes
    keep(bytes, under: key)
    return try LoadedCode(placing: bytes, entry: entry)
  }
}
