// SPDX-License-Identifier: Apache-2.0

/// A program whose debugging information is not found.
///
///     .debug_info, .debug_line, …   →   .hiddeninfo, .hiddenline, …
///
/// Valgrind gives up where it reads a form of debugging information that it does not know, and cannot be told not to
/// read. The bytes stay where they are: only the names of their sections are others.
enum HiddenDebugInfo {
  /// - Parameter program: a 64-bit ELF file; what is none is given back as it came.
  static func hiding(_ program: [UInt8]) -> [UInt8] {
    func number(at place: Int, bytes: Int) -> Int? {
      guard place >= 0, place + bytes <= program.count else { return nil }
      return (0..<bytes).reversed().reduce(0) { $0 << 8 | Int(program[place + $1]) }
    }
    guard program.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
      let headers = number(at: 0x28, bytes: 6), let size = number(at: 0x3A, bytes: 2),
      let names = number(at: 0x3E, bytes: 2), let start = number(at: headers + size * names + 0x18, bytes: 6),
      let count = number(at: headers + size * names + 0x20, bytes: 6), start + count <= program.count
    else { return program }
    var hidden = program
    let (old, other) = (Array(".debug_".utf8), Array(".hidden".utf8))
    for place in start..<max(start, start + count - old.count)
    where hidden[place..<place + old.count].elementsEqual(old) {
      hidden.replaceSubrange(place..<place + old.count, with: other)
    }
    return hidden
  }
}
