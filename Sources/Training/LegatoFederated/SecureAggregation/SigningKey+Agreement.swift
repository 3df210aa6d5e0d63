// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

extension SigningKey {
  /// The public half of another's key.
  ///
  /// - Parameter bytes: in PEM.
  /// - Throws: `FederatedError.answer` where it is no such key, or the one point that has no coordinates.
  convenience init(publicHalf bytes: [UInt8]) throws(FederatedError) {
    var key: OpaquePointer?
    unsafe bytes.withUnsafeBytes { bytes in
      guard let memory = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return }
      unsafe key = PEM_read_bio_PUBKEY(memory, nil, nil, nil)
      unsafe BIO_free(memory)
    }
    ERR_clear_error()
    guard let key = unsafe key else { throw .answer("the server has a public key of a device that is none") }
    guard unsafe Self.abscissa(of: key) != nil else {
      unsafe EVP_PKEY_free(key)
      throw .answer("the server has a public key of a device that is no point of a curve")
    }
    do throws(FederatedError) { unsafe try self.init(owning: key, "a device's public key") } catch {
      throw .answer("the server has a public key of a device of another kind than P-384")
    }
  }

  /// Whether two keys have one public half, in whatever form they were written.
  func isSame(as other: SigningKey) -> Bool { unsafe EVP_PKEY_eq(key, other.key) == 1 }

  /// The first coordinate of the public half's point, 48 bytes. Two points have it, one the other's negative, and an exchange with
  /// either gives the same secret.
  var abscissa: [UInt8] {
    guard let bytes = unsafe Self.abscissa(of: key) else {
      preconditionFailure("keys are read with their points")
    }
    return bytes
  }

  private static func abscissa(of key: OpaquePointer) -> [UInt8]? {
    var number: OpaquePointer?
    var bytes = [UInt8](repeating: 0, count: 48)
    let isDone =
      unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &number) == 1
      && BN_bn2binpad(number, &bytes, Int32(bytes.count)) == 48
    unsafe BN_free(number)
    if !isDone { ERR_clear_error() }
    return isDone ? bytes : nil
  }

  /// The 32 bytes that whoever has one of two private keys, and the other one's public half, comes to: HKDF with SHA-256,
  /// without salt, of what Diffie and Hellman's exchange gives.
  ///
  /// - Parameters:
  ///   - other: the other one's public half.
  ///   - words: HKDF's `info`; other words give a secret that has nothing to do with this one.
  /// - Throws: `FederatedError.answer` where the keys are of two curves.
  func secret(sharedWith other: SigningKey, words: [UInt8] = []) throws(FederatedError) -> [UInt8] {
    let exchange = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
    let derivation = unsafe EVP_PKEY_CTX_new_from_name(nil, "HKDF", nil)
    defer {
      unsafe EVP_PKEY_CTX_free(exchange)
      unsafe EVP_PKEY_CTX_free(derivation)
    }
    var (common, length) = ([UInt8](repeating: 0, count: 66), 66)
    var (secret, size) = ([UInt8](repeating: 0, count: 32), 32)
    guard unsafe EVP_PKEY_derive_init(exchange) == 1,
      unsafe EVP_PKEY_derive_set_peer(exchange, other.key) == 1,
      unsafe EVP_PKEY_derive(exchange, &common, &length) == 1,
      unsafe EVP_PKEY_derive_init(derivation) == 1,
      unsafe EVP_PKEY_CTX_set_hkdf_md(derivation, EVP_sha256()) == 1,
      unsafe EVP_PKEY_CTX_set1_hkdf_key(derivation, common, Int32(length)) == 1,
      unsafe words.isEmpty || EVP_PKEY_CTX_add1_hkdf_info(derivation, words, Int32(words.count)) == 1,
      unsafe EVP_PKEY_derive(derivation, &secret, &size) == 1
    else {
      ERR_clear_error()
      throw .answer("the server has a public key of a device of another kind than P-384")
    }
    return secret
  }
}
