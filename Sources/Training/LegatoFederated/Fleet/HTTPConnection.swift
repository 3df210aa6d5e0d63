// SPDX-License-Identifier: Apache-2.0

internal import CCrypto
internal import CCurl
internal import Foundation
internal import Synchronization

/// Requests to a server, each waited for, with answers of a bounded size in a time that is bounded by the bytes on their way.
final class HTTPConnection: Sendable {
  /// An answer: its status, and its bytes.
  struct Answer: Sendable {
    let status: Int
    let bytes: [UInt8]
    /// How far the server's clock is ahead of ours, in seconds; nil where it does not say.
    let clockLead: Double?
  }

  private let base: URL
  var address: String { base.absoluteString }
  private let rootCertificates: RootCertificates?
  /// What the latest request has left open, and when.
  private let left = Mutex<(connections: OpenConnections, since: ContinuousClock.Instant)?>(nil)
  /// Servers close what is idle for 5 seconds, and what a machine left open when it slept leads nowhere.
  private static let mostIdle = Duration.seconds(4)

  /// - Parameters:
  ///   - address: `http://host:port`, or https.
  ///   - rootCertificates: the authorities that are believed over https; nil for those of the system.
  /// - Throws: `FederatedError.unsupported` where it is no such address.
  init(_ address: String, rootCertificates: RootCertificates?) throws(FederatedError) {
    base = try Self.url(of: address)
    self.rootCertificates = rootCertificates
    _ = Self.library
  }

  /// The library, which is begun once.
  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// The address of a server.
  ///
  /// - Throws: `FederatedError.unsupported` where it is none.
  static func url(of address: String) throws(FederatedError) -> URL {
    guard let url = URL(string: address), let scheme = url.scheme, ["http", "https"].contains(scheme),
      url.host?.isEmpty == false, url.port.map((1...65535).contains) ?? true, url.user == nil,
      url.path.isEmpty || url.path == "/", url.query == nil
    else {
      throw .unsupported("a server is called as http://host:8000 or https://host:8000, not '\(address)'")
    }
    return url
  }

  /// Posts bytes, and waits for the answer. A connection serves one request after the other, as long as all goes well, and none
  /// follows a redirection: what is signed for one server does not go to another one.
  ///
  /// - Parameters:
  ///   - most: the most bytes of an answer.
  ///   - seconds: the longest time that it may take, beside a second for each 10 KB that went or came; nothing may go or come for
  ///     twice as long at most.
  ///   - isCancelled: is asked now and then; true ends the wait.
  func post(
    _ path: String, _ body: [UInt8], headers: [String: String], most: Int, seconds: Double,
    isCancelled: () -> Bool
  ) throws(FederatedError) -> Answer {
    let fields = headers.merging([
      "Content-Type": "application/protobuf", "Accept": "application/protobuf",
      // The server is not asked first whether it wants a large body.
      "Expect": "",
    ]) { own, _ in own }
    var reception = Reception(most: most)
    let before = left.withLock { left in
      defer { left = nil }
      return left
    }
    let connections =
      before.flatMap { .now - $0.since < Self.mostIdle ? $0.connections : nil } ?? OpenConnections()
    let result = unsafe withUnsafeMutablePointer(to: &reception) { reception -> CURLcode? in
      let request = unsafe CurlRequest(
        base.appendingPathComponent(path).absoluteString, body, fields, rootCertificates?.path,
        into: reception)
      return request.run(over: connections, within: seconds, isCancelled)
    }
    if result == CURLE_OK { left.withLock { $0 = (connections, .now) } }
    guard let result else {
      if isCancelled() { throw .cancelled }
      throw .unreachable(
        "\(address): no answer within \(Int(seconds.rounded(.up))) s, or less than 10 KB of it a second"
      )
    }
    guard !reception.isTooLarge else {
      throw .answer("\(address): an answer has more than \(most) bytes, which are the most here")
    }
    let host = base.host ?? ""
    if result == CURLE_PEER_FAILED_VERIFICATION, let certificate = reception.certificate,
      !Self.names(host, in: certificate.text)
    {
      throw .refused(
        "\(address): its certificate is for \(quotedShort(certificate.names)), and not for '\(host)'; call it by a name "
          + "that stands there")
    }
    if [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE].contains(result) {
      throw .refused(
        "\(address): its certificate is not trusted; root certificates name the authority that signed it"
      )
    }
    guard result == CURLE_OK else {
      let flaw = words(result, isSilent: reception.status == 0)
      throw .unreachable("\(address): \(flaw.text)", isOther: flaw.isOther)
    }
    return Answer(status: reception.status, bytes: reception.bytes, clockLead: reception.clockLead)
  }

  /// Whether a certificate, in PEM, is for a host.
  static func names(_ host: String, in certificate: String) -> Bool {
    let bytes = Array(certificate.utf8)
    guard let memory = unsafe BIO_new(BIO_s_mem()) else { return false }
    defer { unsafe BIO_free(memory) }
    unsafe BIO_write(memory, bytes, Int32(bytes.count))
    guard let known = unsafe PEM_read_bio_X509(memory, nil, nil, nil) else {
      ERR_clear_error()
      return false
    }
    defer { unsafe X509_free(known) }
    return unsafe X509_check_host(known, host, 0, 0, nil) == 1 || X509_check_ip_asc(known, host, 0) == 1
  }

  /// The words for an error of libcurl.
  ///
  /// - Parameter isSilent: whether the server has not begun to answer.
  private func words(_ code: CURLcode, isSilent: Bool) -> (text: String, isOther: Bool) {
    switch code {
    case CURLE_COULDNT_CONNECT: ("nobody answers there", false)
    case CURLE_COULDNT_RESOLVE_HOST: ("no host has this name", false)
    // So a server that expects TLS answers plain words.
    case _ where isSilent && base.scheme == "http" && [CURLE_GOT_NOTHING, CURLE_RECV_ERROR].contains(code):
      (
        "the connection has broken off without an answer; if it speaks TLS, call it \(address(under: "https"))",
        true
      )
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE:
      ("the connection has broken off", false)
    // So a SuperLink of before 1.41, which speaks gRPC.
    case CURLE_UNSUPPORTED_PROTOCOL: ("it speaks no HTTP/1.1; \(FleetClient.otherServer)", true)
    case CURLE_SSL_CONNECT_ERROR:
      ("it does not speak TLS; a plain server is called \(address(under: "http"))", true)
    case _: unsafe ("no connection (\(String(cString: curl_easy_strerror(code))))", false)
    }
  }

  private func address(under scheme: String) -> String {
    scheme + base.absoluteString.dropFirst(base.scheme?.count ?? 0)
  }
}

/// An answer that is on its way.
private struct Reception {
  let most: Int
  var status = 0
  var bytes: [UInt8] = []
  var isTooLarge = false
  var clockLead: Double?
  /// A certificate that is signed well: the names of hosts in it, as libcrypto writes them, and all of it in PEM.
  var certificate: (names: String, text: String)?

  init(most: Int) { self.most = most }

  /// Takes bytes of the body; false where there are too many of them.
  mutating func take(_ more: UnsafeRawBufferPointer) -> Bool {
    isTooLarge = more.count > most - bytes.count
    if !isTooLarge { unsafe bytes.append(contentsOf: more) }
    return !isTooLarge
  }

  /// Takes a line of the head; false where it says that too many bytes will come.
  mutating func takeHead(_ line: String) -> Bool {
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return true }
    let value = parts[1].trimmingCharacters(in: .whitespacesAndNewlines)
    switch parts[0].lowercased() {
    case "content-length": isTooLarge = Int(value).map { $0 > most } ?? false
    case "date":
      let date = unsafe curl_getdate(value, nil)
      if date >= 0 { clockLead = Date(timeIntervalSince1970: Double(date)).timeIntervalSinceNow }
    case _: break
    }
    return !isTooLarge
  }
}

/// Connections of libcurl's, of which whoever has them may use one after the other.
@safe
private final class OpenConnections: @unchecked Sendable {
  let all: UnsafeMutableRawPointer

  init() { unsafe all = curl_multi_init() }

  deinit { unsafe curl_multi_cleanup(all) }
}

/// A request of libcurl, with all that it needs until it is over.
@safe
private struct CurlRequest: ~Copyable {
  private let request: UnsafeMutableRawPointer
  private var fields: UnsafeMutablePointer<curl_slist>?
  private let reception: UnsafeMutablePointer<Reception>
  /// Whether the library has taken what it was told.
  private var isSet: Bool

  init(
    _ url: String, _ body: [UInt8], _ headers: [String: String], _ rootCertificates: String?,
    into reception: UnsafeMutablePointer<Reception>
  ) {
    unsafe (request, self.reception) = (curl_easy_init(), reception)
    unsafe fields = nil
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      unsafe fields = curl_slist_append(fields, "\(name): \(value)")
    }
    unsafe isSet =
      Self.set(request, CURLOPT_URL, url) && Self.set(request, CURLOPT_PROTOCOLS_STR, "http,https")
    if let rootCertificates {
      // Where this cannot be said, nobody is believed.
      unsafe isSet = isSet && Self.set(request, CURLOPT_CAINFO, rootCertificates)
      unsafe legato_curl_pointer(request, CURLOPT_CAPATH, nil)
    }
    unsafe legato_curl_number(request, CURLOPT_CERTINFO, 1)
    // Signals belong to the program.
    unsafe legato_curl_number(request, CURLOPT_NOSIGNAL, 1)
    unsafe legato_curl_pointer(request, CURLOPT_HTTPHEADER, fields)
    unsafe legato_curl_large(request, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
    unsafe body.withUnsafeBytes {
      unsafe _ = legato_curl_pointer(
        request, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(request))
    }
    unsafe legato_curl_pointer(request, CURLOPT_WRITEDATA, reception)
    unsafe legato_curl_receiver(request, CURLOPT_WRITEFUNCTION) { bytes, size, count, reception in
      let more = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
      let own = unsafe reception!.assumingMemoryBound(to: Reception.self)
      return unsafe own.pointee.take(more) ? size * count : 0
    }
    unsafe legato_curl_pointer(request, CURLOPT_HEADERDATA, reception)
    unsafe legato_curl_receiver(request, CURLOPT_HEADERFUNCTION) { bytes, size, count, reception in
      let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
      let own = unsafe reception!.assumingMemoryBound(to: Reception.self)
      return unsafe own.pointee.takeHead(String(decoding: line, as: UTF8.self)) ? size * count : 0
    }
  }

  deinit {
    unsafe curl_easy_cleanup(request)
    unsafe curl_slist_free_all(fields)
  }

  private static func set(_ request: UnsafeMutableRawPointer, _ option: CURLoption, _ text: String) -> Bool {
    unsafe text.withCString { unsafe legato_curl_pointer(request, option, $0) } == CURLE_OK
  }

  /// The server's own certificate; nil where there is none, or it is not believed for other reasons than its names.
  private func certificate() -> (names: String, text: String)? {
    guard let all = unsafe legato_curl_certificates(request), unsafe all.pointee.num_of_certs > 0 else {
      return nil
    }
    var fields: [Substring: Substring] = [:]
    var line = unsafe all.pointee.certinfo[0]
    while let field = unsafe line {
      let parts = unsafe String(cString: field.pointee.data).split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0]] = parts[1] }
      unsafe line = field.pointee.next
    }
    return (fields["X509v3 Subject Alternative Name"] ?? fields["Subject"]).map {
      (String($0), String(fields["Cert"] ?? ""))
    }
  }

  /// Waits for the end.
  ///
  /// - Returns: how it ended; nil where it was cancelled, or its time was over.
  func run(
    over connections: OpenConnections, within seconds: Double, _ isCancelled: () -> Bool
  ) -> CURLcode? {
    guard isSet else { return CURLE_FAILED_INIT }
    let all = unsafe connections.all
    unsafe curl_multi_add_handle(all, request)
    defer { unsafe curl_multi_remove_handle(all, request) }
    let begin = ContinuousClock.now
    var (moved, since) = (curl_off_t(0), begin)
    var running: Int32 = 1
    while true {
      unsafe curl_multi_perform(all, &running)
      if running == 0 { break }
      // A slow line may take as long as its bytes need; who is silent, or says next to nothing, may not: behind a large body the
      // server's word is late by what the system has yet to send, and no later.
      let count = unsafe legato_curl_moved(request)
      if count != moved { (moved, since) = (count, .now) }
      let most = seconds + Double(count) / 10_000
      let isOver =
        begin.duration(to: .now) >= .seconds(most) || since.duration(to: .now) >= .seconds(2 * seconds)
      if isCancelled() || isOver { return nil }
      unsafe curl_multi_poll(all, nil, 0, 100, nil)
    }
    var left: Int32 = 0
    guard let message = unsafe curl_multi_info_read(all, &left) else { return CURLE_FAILED_INIT }
    unsafe reception.pointee.status = Int(legato_curl_status(request))
    unsafe reception.pointee.certificate = certificate()
    return unsafe legato_curl_result(message)
  }
}
