// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// Names of objects: the SHA-256 of their bytes in 64 hexadecimal digits.
package enum SHA256 {
  package static func name(of bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    let isDone = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
    precondition(isDone == 1, "libcrypto has SHA-256")
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Whether a text can be such a name.
  static func isName(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
