// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import Synchronization
import TestEquipment
import Testing

/// A sound that is read from a pipe, into which a thread writes.
struct PipedSound {
  let reader: AudioFileReader
  let sound: Sound

  /// A pipe with these bytes, which ends behind them.
  init(_ bytes: [UInt8]) throws {
    let pipe = Self.pipe { try $0.write(contentsOf: Data(bytes)) }
    reader = try AudioFileReader(descriptor: pipe.end, path: "pipe")
    sound = try Sound.read(reader)
  }

  /// The end of a pipe to read from, and a wait for who fills it: until it has written all, or nobody reads any more.
  static func pipe(
    _ write: @escaping @Sendable (_ target: FileHandle) throws -> Void
  ) -> (end: Int32, wait: () -> Void) {
    // A reader that gives up shall fail a test, not end the process.
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(unsafe Glibc.pipe(&ends) == 0)
    let target = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      try? write(target)
      try? target.close()
      isDone.signal()
    }
    thread.start()
    return (ends[0], { isDone.wait() })
  }
}
