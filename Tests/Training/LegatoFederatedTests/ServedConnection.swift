// SPDX-License-Identifier: Apache-2.0

import CTLS
import Glibc

/// A connection that a server double has taken, with TLS or without.
@safe
struct ServedConnection: ~Copyable {
  private let socket: Int32
  private let session: OpaquePointer?

  /// A server's certificate, which is its own authority.
  @safe
  final class Certificate: Sendable {
    fileprivate nonisolated(unsafe) let context: OpaquePointer

    /// - Parameter path: without the ending: .pem is the certificate, .key the private key.
    init(_ path: String) {
      // The other side may go before the last word.
      signal(SIGPIPE, SIG_IGN)
      let context = unsafe SSL_CTX_new(TLS_server_method())!
      let isRead =
        unsafe SSL_CTX_use_certificate_chain_file(context, path + ".pem") == 1
        && SSL_CTX_use_PrivateKey_file(context, path + ".key", SSL_FILETYPE_PEM) == 1
      precondition(isRead, "the certificate of the double")
      unsafe self.context = context
    }

    deinit { unsafe SSL_CTX_free(context) }
  }

  /// - Parameter certificate: nil speaks in the clear.
  init(_ socket: Int32, _ certificate: Certificate?) {
    self.socket = socket
    unsafe session = certificate.map { certificate in
      let session = unsafe SSL_new(certificate.context)!
      unsafe SSL_set_fd(session, socket)
      unsafe SSL_accept(session)
      return unsafe session
    }
  }

  deinit {
    if let session = unsafe session {
      unsafe SSL_shutdown(session)
      unsafe SSL_free(session)
    }
    close(socket)
  }

  /// Bytes that have come; none where the other side has gone.
  func read() -> [UInt8] {
    var part = [UInt8](repeating: 0, count: 1 << 16)
    let size = part.count
    let count =
      if let session = unsafe session {
        unsafe Int(SSL_read(session, &part, Int32(size)))
      } else {
        unsafe Glibc.read(socket, &part, size)
      }
    return Array(part.prefix(max(0, count)))
  }

  /// Sends bytes; false where the other side has gone.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        if let session = unsafe session {
          unsafe Int(SSL_write(session, bytes.baseAddress, Int32(bytes.count)))
        } else {
          unsafe Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Waits until the other side has gone.
  func waitForEnd() { while !read().isEmpty {} }
}
