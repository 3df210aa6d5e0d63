// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CCrypto

/// The authorities whose servers are believed over https: a file of certificates in PEM.
public struct RootCertificates: Hashable, Sendable {
  public let path: String

  /// - Throws: `FederatedError.key` where the file cannot be read, or has no certificate.
  public init(contentsOf path: String) throws(FederatedError) {
    let bytes: [UInt8]
    do throws(AudioFileError) { bytes = try FileBytes.read(path, most: 1 << 24, waits: false) } catch {
      throw .key(error.description)
    }
    let isCertificate = unsafe bytes.withUnsafeBytes { bytes in
      guard let memory = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
        return false
      }
      defer { unsafe BIO_free(memory) }
      guard let certificate = unsafe PEM_read_bio_X509(memory, nil, nil, nil) else { return false }
      unsafe X509_free(certificate)
      return true
    }
    ERR_clear_error()
    guard isCertificate else { throw .key("\(path): has no certificate of an authority in PEM") }
    self.path = path
  }
}
