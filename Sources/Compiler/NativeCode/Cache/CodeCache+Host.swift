// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import GraphPlanning

extension CodeCache {
  /// The machine at hand as `Target.host` describes it, from the cache where it is the same machine.
  ///
  /// - Throws: what `LLVMLibrary.shared` throws.
  package func host() throws(NativeCodeError) -> Target {
    if let kept = keptHost { return kept }
    let host = try Target.host()
    if let key = Self.hostKey {
      keep(Array("\(host.triple)\0\(host.cpu)\0\(host.features)".utf8), under: key)
    }
    return host
  }

  /// The machine at hand; nil where nothing is known of it.
  package var keptHost: Target? {
    guard let key = Self.hostKey, let contents = contents(of: key) else { return nil }
    let words = String(decoding: contents, as: UTF8.self).split(
      separator: "\0", omittingEmptySubsequences: false)
    guard words.count == 3 else { return nil }
    return Target(triple: String(words[0]), cpu: String(words[1]), features: String(words[2]))
  }

  /// Nil where the system does not describe the processor.
  private static let hostKey = processor.map { key("host", Target.hostArchitecture, $0) }

  /// The system's description of the first processor: all by which LLVM identifies it, and nothing that
  /// changes as it runs.
  private static var processor: String? {
    guard let file = unsafe fopen("/proc/cpuinfo", "r") else { return nil }
    defer { unsafe fclose(file) }
    // The first of many processors; reading of all takes long.
    var bytes = [UInt8](repeating: 0, count: 1 << 13)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    let known = lines.prefix { !$0.isEmpty }.filter { line in
      names.contains(line.prefix { $0 != "\t" && $0 != ":" })
    }
    return known.isEmpty ? nil : known.joined(separator: "\n")
  }

  private static let names: Set<Substring> = [
    "vendor_id", "cpu family", "model", "stepping", "flags",
    "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features",
  ]
}
