// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HandKernels

/// Where the files lie that processes render: in memory where they fit, so that no disk is measured.
///
///     TMPDIR is set                  ─▶ there, as the user wants it
///     /dev/shm has room for them     ─▶ /dev/shm
///     otherwise, as in containers    ─▶ the folder for temporary files
enum FilePlace: Equatable {
  case memory
  case temporaryFolder

  private static let memoryFolder = "/dev/shm"

  /// The bytes of 600 s of stereo, or 1000 mono files of 2 s: as floats, and once more as what is made of them.
  static let bytes = 1 << 30

  /// - Parameters:
  ///   - chosen: what `TMPDIR` says; nil where it is not set.
  ///   - room: the bytes that are free in memory's file system; nil where there is none.
  init(chosen: String?, room: Int?) {
    self = chosen == nil && room ?? 0 >= Self.bytes ? .memory : .temporaryFolder
  }

  /// The place on this machine.
  static func find() -> FilePlace {
    var status = statvfs()
    let isThere = unsafe statvfs(memoryFolder, &status) == 0 && access(memoryFolder, W_OK) == 0
    return FilePlace(
      chosen: ProcessInfo.processInfo.environment["TMPDIR"],
      room: isThere ? Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize)) : nil)
  }

  var folder: URL {
    switch self {
    case .memory: URL(filePath: Self.memoryFolder)
    case .temporaryFolder: FileManager.default.temporaryDirectory
    }
  }

  /// Whether the folder is memory, whoever chose it.
  var isInMemory: Bool { unsafe hand_is_memory(folder.path) != 0 }

  /// A line for the table.
  var sentence: String {
    "the files were in \(folder.path), " + (isInMemory ? "in memory" : "whose disk is measured, too")
  }
}
