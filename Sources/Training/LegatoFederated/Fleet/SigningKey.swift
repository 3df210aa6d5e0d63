// SPDX-License-Identifier: Apache-2.0

internal import CCrypto
internal import Foundation
internal import Synchronization

/// The key by which a server knows a device: an elliptic curve, P-256 or P-384, in a PEM file that only its owner may read.
@safe
public final class SigningKey: @unchecked Sendable {
  // Signing does not change it, and libcrypto counts its users.
  let key: OpaquePointer
  /// Its file, open as long as the key lives, and the file's name; nil for one that has none.
  private let file: (descriptor: Int32, path: String)?
  /// Whether it is in a file, and so the same in another run.
  var isKept: Bool { file != nil }
  /// Whether a run has the key's file.
  private let isHeld = Mutex(false)
  /// The public half in PEM, as servers know it.
  public let publicText: String

  init(
    owning key: OpaquePointer, _ name: String, file descriptor: Int32? = nil
  ) throws(FederatedError) {
    var text = ""
    if unsafe EVP_PKEY_is_a(key, "EC") == 1, let memory = unsafe BIO_new(BIO_s_mem()) {
      var (name, length) = ([CChar](repeating: 0, count: 80), 0)
      let isNamed = unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
      let curve = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if isNamed, ["prime256v1", "P-256", "secp384r1", "P-384"].contains(curve),
        unsafe PEM_write_bio_PUBKEY(memory, key) == 1
      {
        text = unsafe Self.text(of: memory)
      }
      unsafe BIO_free(memory)
    }
    guard !text.isEmpty else {
      unsafe EVP_PKEY_free(key)
      if let descriptor { close(descriptor) }
      throw .key(
        "\(name): is a key of another kind; an elliptic curve is needed, P-256 or P-384: without the file one is made"
      )
    }
    unsafe self.key = key
    publicText = text
    file = descriptor.map { ($0, name) }
  }

  deinit {
    unsafe EVP_PKEY_free(key)
    if let file { close(file.descriptor) }
  }

  /// Keeps other runs from the key's file: they would take each other's messages, and forget what the other has told.
  ///
  /// - Throws: `FederatedError.key` where another run has it.
  func hold() throws(FederatedError) {
    guard let file else { return }
    // Not every file system has locks; and none of them keeps a run from the open file that another one has.
    let isFree = isHeld.withLock { isHeld in
      guard !isHeld, flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
        return false
      }
      isHeld = true
      return true
    }
    guard isFree else {
      throw .key("\(file.path): another run uses this key; each device needs a key of its own")
    }
  }

  func release() {
    guard let file else { return }
    isHeld.withLock { isHeld in
      flock(file.descriptor, LOCK_UN)
      isHeld = false
    }
  }

  /// A curve that servers know.
  enum Curve: String {
    case p256 = "P-256"
    case p384 = "P-384"
  }

  /// A key that nobody has had before, on P-256: a server checks a signature of it in a fifth of the time of one on P-384, and
  /// there is one with each call.
  public convenience init() throws(FederatedError) { try self.init(on: .p256) }

  convenience init(on curve: Curve) throws(FederatedError) {
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
      throw .key("libcrypto makes no key")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) == 1,
      unsafe EVP_PKEY_CTX_set_group_name(context, curve.rawValue) == 1,
      unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key
    else { throw .key("libcrypto makes no key") }
    unsafe try self.init(owning: key, "the key that was made")
  }

  /// Reads a private key.
  ///
  /// - Throws: `FederatedError.key` where it is none of the kind, has a password, or others than its owner may read it.
  public convenience init(contentsOf path: String) throws(FederatedError) {
    // File systems of a network lock no file but one that is open for writing.
    var descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else {
      throw .key("\(path): cannot be read (\(systemReason))")
    }
    var isTaken = false
    defer { if !isTaken { close(descriptor) } }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .key("\(path): is no file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw .key("\(path): others than its owner may read it; chmod 600 \(path)")
    }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .key("\(path): cannot be read (\(systemReason))") }
    guard count > 0 else { throw .key("\(path): is empty") }
    var key: OpaquePointer?
    unsafe bytes.withUnsafeBytes { bytes in
      guard let memory = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(count)) else { return }
      // Nobody is asked for a password.
      unsafe key = PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in -1 }, nil)
      unsafe BIO_free(memory)
    }
    ERR_clear_error()
    guard let key = unsafe key else {
      let isOfSSH = bytes.starts(with: "-----BEGIN OPENSSH PRIVATE KEY-----".utf8)
      throw .key(
        "\(path): "
          + (isOfSSH
            ? "is in OpenSSH's own form, and not in PEM; name a file that is not there, and a key is made"
            : "holds no private key in PEM, or one with a password"))
    }
    isTaken = true
    unsafe try self.init(owning: key, path, file: descriptor)
  }

  /// Reads the key of a file; where there is no file, one is made that only its owner may read.
  ///
  /// - Returns: the key, and whether it was made.
  /// - Throws: `FederatedError.key`.
  public static func reading(
    orMakingAt path: String
  ) throws(FederatedError) -> (key: SigningKey, isMade: Bool) {
    guard unsafe access(path, F_OK) != 0 else { return (try SigningKey(contentsOf: path), false) }
    let key = try SigningKey()
    if let reason = PrivateFile.store(Array(try key.privateText.utf8), at: path, replaces: false) {
      throw .key("\(path): cannot be written (\(reason))")
    }
    return (try SigningKey(contentsOf: path), true)
  }

  /// The private half in PEM (PKCS 8), without a password.
  var privateText: String {
    get throws(FederatedError) {
      guard let memory = unsafe BIO_new(BIO_s_mem()) else { throw .key("libcrypto has no memory") }
      defer { unsafe BIO_free(memory) }
      guard unsafe PEM_write_bio_PKCS8PrivateKey(memory, key, nil, nil, 0, nil, nil) == 1 else {
        throw .key("libcrypto does not write a key")
      }
      return unsafe Self.text(of: memory)
    }
  }

  private static func text(of memory: OpaquePointer) -> String {
    var bytes = [UInt8](repeating: 0, count: 1 << 12)
    let count = unsafe BIO_read(memory, &bytes, Int32(bytes.count))
    return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
  }

  /// The signature of a text: ECDSA over its SHA-256, in DER.
  package func signature(of text: String) throws(FederatedError) -> [UInt8] {
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    let bytes = Array(text.utf8)
    var (signature, length) = ([UInt8](repeating: 0, count: 256), 256)
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
      unsafe EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1
    else { throw .key("libcrypto does not sign") }
    return Array(signature.prefix(length))
  }
}
