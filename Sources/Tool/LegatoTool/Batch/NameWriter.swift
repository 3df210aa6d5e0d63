// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// Makes a list of very many names.
///
///     append, append, … ─▶ memory, a megabyte at a time ─▶ file without a name ─▶ finish ─▶ `NameList`
///
/// Where there is no place for a file, all names stay in memory. Nobody else has the file until the list is whole.
struct NameWriter: ~Copyable {
  private(set) var count = 0
  private var file: ScratchFile?
  /// Bytes of names in the file.
  private var stored = 0
  private var recent: [UInt8] = []
  private var marks: [Int] = []
  private var hasRoom = true

  private static let most = 1 << 20

  mutating func append(_ name: some Collection<UInt8>) {
    if count.isMultiple(of: NameList.stride) {
      if recent.count >= Self.most, hasRoom { store() }
      marks.append(stored + recent.count)
    }
    NameBytes.append(name, to: &recent)
    count += 1
  }

  consuming func finish() -> NameList {
    NameList(count: count, marks: marks, file: file, stored: stored, recent: recent)
  }

  private mutating func store() {
    file = file ?? ScratchFile()
    guard let file, unsafe recent.withUnsafeBytes({ unsafe file.write($0, at: stored) }) else {
      hasRoom = false
      return
    }
    stored += recent.count
    recent.removeAll(keepingCapacity: true)
  }
}
