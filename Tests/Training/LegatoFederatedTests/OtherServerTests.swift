// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LegatoFederated

/// An address behind which there is no SuperLink, or that is none: what is wrong is said, and what to do.
@Suite(.serialized) struct OtherServerTests: ServedDevice {
  /// A server of another kind, and one that fails.
  @Test(arguments: [301, 400, 404, 405, 501, 500]) func noFleetThere(status: Int) throws {
    // A number of Flower's says that it is one, whatever the status.
    let numbered = FleetDouble(Self.key) { _, _ in .error(status, code: 9) }
    defer { numbered.end() }
    let text = "\(numbered.address): the server answers register-node with \(status): 'no' (code 9)"
    let end = status < 500 ? "" : "; the server's own log says why"
    #expect(run(try link(numbered)).error == .server(text + end, code: 9))
    let double = FleetDouble(Self.key) { _, _ in .page(status) }
    defer { double.end() }
    let hint = status == 500 ? "the server's own log says why" : Self.otherServer
    #expect(
      run(try link(double)).error
        == .server("\(double.address): the server answers register-node with \(status); \(hint)"))
  }

  private static let otherServer =
    "this is no Fleet API: a SuperLink of flwr 1.41 or 1.42 has it, at port 8000 if nothing else was said"

  /// A server that takes whatever it is told, and one that speaks HTTP/2 only, as gRPC does.
  @Test func noFleetWithoutAnError() throws {
    let friendly = FleetDouble(Self.key) { _, _ in .body(Array("<html>welcome</html>".utf8)) }
    defer { friendly.end() }
    #expect(
      run(try link(friendly)).error
        == .answer("\(friendly.address): the server gives this device no number; \(Self.otherServer)"))
    let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    let modern = FleetDouble(Self.key) { _, _ in .bare(settings) }
    defer { modern.end() }
    let words = "it speaks no HTTP/1.1; \(Self.otherServer)"
    #expect(run(try link(modern)).error == .unreachable("\(modern.address): \(words)", isOther: true))
  }

  /// Words in the clear where TLS is spoken, and the other way round: the other address is told.
  @Test func theOtherScheme() throws {
    let folder = Bundle.module.resourcePath! + "/reference/tls/"
    let secure = FleetDouble(Self.key, certificate: .init(folder + "server"))
    defer { secure.end() }
    let plain = FleetDouble(Self.key)
    defer { plain.end() }
    for (double, scheme, words) in [
      (secure, "http", "the connection has broken off without an answer; if it speaks TLS, call it"),
      (plain, "https", "it does not speak TLS; a plain server is called"),
    ] {
      let place = double.address.split(separator: ":", maxSplits: 1)[1]
      var link = try SuperLink("\(scheme):\(place)", key: Self.key)
      link.patience = 20
      #expect(
        run(link).error == .unreachable("\(scheme):\(place): \(words) \(double.address)", isOther: true))
    }
  }

  @Test(arguments: [
    "", "127.0.0.1:8000", "ftp://x", "http://", "http://x/path", "http://x?y", "http://me:word@x",
    "http://x:99999", "http://x:0",
  ])
  func addresses(text: String) throws {
    #expect(throws: FederatedError.self) { try SuperLink(text, key: Self.key).run(Doubler()) }
  }
}
