// SPDX-License-Identifier: Apache-2.0

internal import CCrypto
internal import Foundation

/// Bytes that only whoever has a key can read, and nobody can change: a token of Fernet.
///
///     base64url( 80 │ time, 8 │ vector, 16 │ AES-128-CBC of the bytes │ HMAC-SHA256 of all before, 32 )
///
/// Of a key of 32 bytes the first half is for the HMAC, the second for AES.
enum SealedBytes {
  /// - Parameters:
  ///   - bytes: what is to be read by the other side only.
  ///   - key: 32 bytes.
  ///   - time: in seconds since 1970.
  ///   - vector: 16 bytes that were never used before.
  static func sealed(_ bytes: [UInt8], key: [UInt8], time: UInt64, vector: [UInt8]) -> [UInt8] {
    guard let hidden = cipher(bytes, key: Array(key[16...]), vector: vector, isSealing: true) else {
      preconditionFailure("libcrypto has AES")
    }
    let head = [0x80] + (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) } + vector
    return Array(urlText(head + hidden + code(of: head + hidden, key: Array(key[..<16]))).utf8)
  }

  /// The bytes that were sealed; nil where the token was made with another key, or changed.
  static func opened(_ token: [UInt8], key: [UInt8]) -> [UInt8]? {
    let text = String(decoding: token, as: UTF8.self).replacing("-", with: "+").replacing("_", with: "/")
    guard let data = Data(base64Encoded: text), data.count >= 57 + 16, data.first == 0x80 else { return nil }
    let bytes = [UInt8](data)
    let (body, said) = (Array(bytes.dropLast(32)), Array(bytes.suffix(32)))
    let own = code(of: body, key: Array(key[..<16]))
    guard unsafe CRYPTO_memcmp(own, said, 32) == 0 else { return nil }
    return cipher(
      Array(body[25...]), key: Array(key[16...]), vector: Array(body[9..<25]), isSealing: false)
  }

  /// Base64 with - and _, as Python's `urlsafe_b64encode`.
  static func urlText(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
  }

  private static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var (code, length) = ([UInt8](repeating: 0, count: 32), 32 as UInt32)
    let isDone = unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &code, &length) != nil
    precondition(isDone && length == 32, "libcrypto has HMAC")
    return code
  }

  private static func cipher(
    _ bytes: [UInt8], key: [UInt8], vector: [UInt8], isSealing: Bool
  ) -> [UInt8]? {
    let context = unsafe EVP_CIPHER_CTX_new()
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var (result, begin, end) = ([UInt8](repeating: 0, count: bytes.count + 32), 0 as Int32, 0 as Int32)
    guard unsafe EVP_CipherInit_ex(context, EVP_aes_128_cbc(), nil, key, vector, isSealing ? 1 : 0) == 1,
      unsafe EVP_CipherUpdate(context, &result, &begin, bytes, Int32(bytes.count)) == 1,
      unsafe result.withUnsafeMutableBufferPointer({ result in
        unsafe EVP_CipherFinal_ex(context, result.baseAddress! + Int(begin), &end)
      }) == 1
    else {
      ERR_clear_error()
      return nil
    }
    return Array(result.prefix(Int(begin + end)))
  }
}
