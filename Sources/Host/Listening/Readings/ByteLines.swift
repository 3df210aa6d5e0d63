// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The lines of a file, a pipe or a device, as they come.
final class ByteLines {
  enum Step {
    /// Without its end.
    case line([UInt8])
    /// Nothing came in a tenth of a second.
    case nothing
    /// The last line may have no end.
    case ended
  }

  let path: String
  private let descriptor: Int32
  private let isOwned: Bool
  /// A serial line is one; looked at while it is there.
  private let isTerminal: Bool
  private var bytes: [UInt8] = []
  private var begin = 0
  private var isOver = false

  /// The longest line of readings, in bytes; a longer one comes in parts.
  static let longest = 1 << 20

  /// - Parameter path: - is the standard input.
  init(path: String) throws(ListeningError) {
    isOwned = path != "-"
    self.path = isOwned ? path : "standard input"
    descriptor = isOwned ? unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO
    guard descriptor >= 0 else { throw Self.refusal(self.path, errno) }
    isTerminal = isatty(descriptor) == 1
  }

  deinit { if isOwned { close(descriptor) } }

  /// Whether a line is there that nobody has to wait for.
  var hasLine: Bool { bytes[begin...].contains(UInt8(ascii: "\n")) }

  func next() throws(ListeningError) -> Step {
    while true {
      if let end = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { begin = end + 1 }
        return .line(Array(bytes[begin..<end]))
      }
      if bytes.count - begin >= Self.longest || (isOver && begin < bytes.count) {
        defer { begin = bytes.count }
        return .line(Array(bytes[begin...]))
      }
      guard !isOver else { return .ended }
      bytes.removeFirst(begin)
      begin = 0
      guard try fill() else { return .nothing }
    }
  }

  /// Reads on; false where nothing came in time.
  private func fill() throws(ListeningError) -> Bool {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&ready, 1, 100) > 0 else { return false }
    var part = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe read(descriptor, &part, part.count)
    if count < 0 {
      guard [EINTR, EAGAIN].contains(errno) else { throw Self.refusal(path, errno) }
      return false
    }
    // Of a line that hung up all further reads give nothing, as those of one where somebody typed the end do.
    if count == 0, isTerminal, ready.revents & Int16(POLLHUP) != 0 {
      throw .absent("\(path): the line has hung up")
    }
    isOver = count == 0
    bytes += part.prefix(count)
    return true
  }

  /// The error of a source: one that is not there, or goes, is absent; the rest is at fault.
  private static func refusal(_ path: String, _ code: Int32) -> ListeningError {
    let text = "\(path): cannot be read: \(unsafe String(cString: strerror(code)))"
    return [ENOENT, ENXIO, ENODEV, EIO, EBUSY].contains(code) ? .absent(text) : .data(text)
  }
}
