// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// The command line, byte for byte as the system hands it over.
///
/// Swift's own list of arguments repairs what is not UTF-8, and so names another file than the user.
package struct RawArguments {
  /// Other bytes than UTF-8 stand in them as `PathText` has it.
  package let words: [String]
  /// The first word that is not UTF-8, its foreign bytes written as `\xE9`; nil where all are.
  package let invalid: String?

  package static let all = RawArguments(
    (0..<Int(CommandLine.argc)).compactMap { index in
      unsafe CommandLine.unsafeArgv[index].map { unsafe Self.bytes($0) }
    })

  package init(_ arguments: [[UInt8]]) {
    words = arguments.map { PathText.text(of: $0) }
    invalid = arguments.first { String(validating: $0, as: UTF8.self) == nil }.map(Self.escaped)
  }

  private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    var bytes: [UInt8] = []
    var next = unsafe text
    while unsafe next.pointee != 0 {
      bytes.append(UInt8(bitPattern: unsafe next.pointee))
      unsafe next += 1
    }
    return bytes
  }

  private static func escaped(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      guard byte >= 0x80 else { return String(Unicode.Scalar(byte)) }
      return "\\x" + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
