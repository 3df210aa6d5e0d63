// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// Requests to a server, each waited for, with answers of a bounded size in a bounded time.
final class HTTPConnection: Sendable {
  /// An answer: its status, and its bytes.
  struct Answer: Sendable {
    let status: Int
    let bytes: [UInt8]
    /// How far the server's clock is ahead of ours, in seconds; nil where it does not say.
    let clockLead: Double?
  }

  private let base: URL
  private let session: URLSession
  private let receiver = Receiver()

  /// - Parameter address: `http://host:port`, or https.
  /// - Throws: `FederatedError.unsupported` where it is no such address.
  init(_ address: String) throws(FederatedError) {
    base = try Self.url(of: address)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 4
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
  }

  /// The address of a server.
  ///
  /// - Throws: `FederatedError.unsupported` where it is none.
  static func url(of address: String) throws(FederatedError) -> URL {
    guard let url = URL(string: address), let scheme = url.scheme, ["http", "https"].contains(scheme),
      url.host?.isEmpty == false, url.path.isEmpty || url.path == "/", url.query == nil
    else {
      throw .unsupported("a server is called as http://host:8000 or https://host:8000, not '\(address)'")
    }
    return url
  }

  deinit { session.invalidateAndCancel() }

  /// Posts bytes, and waits for the answer.
  ///
  /// - Parameters:
  ///   - most: the most bytes of an answer.
  ///   - seconds: the longest time that it may take.
  ///   - isCancelled: is asked now and then; true ends the wait.
  func post(
    _ path: String, _ body: [UInt8], headers: [String: String], most: Int, seconds: Double,
    isCancelled: () -> Bool
  ) throws(FederatedError) -> Answer {
    var request = URLRequest(url: base.appendingPathComponent(path))
    request.httpMethod = "POST"
    request.httpBody = Data(body)
    // The wait below ends it before, to the moment; Foundation counts whole seconds.
    request.timeoutInterval = seconds.rounded(.up) + 1
    request.setValue("application/protobuf", forHTTPHeaderField: "Content-Type")
    request.setValue("application/protobuf", forHTTPHeaderField: "Accept")
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    // Foundation on Linux waits for ever where a connection that it uses again has been closed, as after a sleep: libcurl
    // sends the request once more, and cannot have its body twice.
    request.setValue("close", forHTTPHeaderField: "Connection")
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let task = session.dataTask(with: request)
    let wait = receiver.expect(task, most: most)
    task.resume()
    let end = DispatchTime.now() + seconds
    while wait.wait(timeout: min(end, .now() + 0.1)) == .timedOut {
      guard isCancelled() || .now() >= end else { continue }
      let isCancelled = isCancelled()
      task.cancel()
      _ = receiver.take(task)
      if isCancelled { throw .cancelled }
      throw .unreachable("\(base.absoluteString): no answer within \(Int(seconds.rounded(.up))) s")
    }
    let result = receiver.take(task)
    if result.isTooLarge {
      task.cancel()
      throw .answer("\(base.absoluteString): an answer has more than \(most) bytes, which are the most here")
    }
    if let failure = result.failure { throw .unreachable("\(base.absoluteString): \(failure)") }
    return Answer(status: result.status, bytes: [UInt8](result.bytes), clockLead: result.clockLead)
  }
}

/// The answers that are on their way.
private final class Receiver: NSObject, URLSessionDataDelegate, Sendable {
  struct Reception {
    var status = 0
    var bytes = Data()
    var most: Int
    var isTooLarge = false
    var failure: String?
    var clockLead: Double?
    let end = DispatchSemaphore(value: 0)
  }

  private let receptions = Mutex<[Int: Reception]>([:])

  func expect(_ task: URLSessionTask, most: Int) -> DispatchSemaphore {
    let reception = Reception(most: most)
    receptions.withLock { $0[task.taskIdentifier] = reception }
    return reception.end
  }

  func take(_ task: URLSessionTask) -> Reception {
    receptions.withLock { $0.removeValue(forKey: task.taskIdentifier) } ?? Reception(most: 0)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let isTooLarge = receptions.withLock { all in
      guard var reception = all[dataTask.taskIdentifier] else { return true }
      if let response = response as? HTTPURLResponse {
        reception.status = response.statusCode
        reception.clockLead = response.value(forHTTPHeaderField: "Date")
          .flatMap { Self.dates().date(from: $0)?.timeIntervalSinceNow }
      }
      reception.isTooLarge = response.expectedContentLength > Int64(reception.most)
      all[dataTask.taskIdentifier] = reception
      // Foundation on Linux does not tell the end of what is cancelled here.
      if reception.isTooLarge { reception.end.signal() }
      return reception.isTooLarge
    }
    completionHandler(isTooLarge ? .cancel : .allow)
  }

  /// What has happened, for a reader.
  private static func words(_ error: any Error) -> String {
    switch (error as? URLError)?.code {
    case .cannotConnectToHost?: "nobody answers there"
    case .cannotFindHost?, .dnsLookupFailed?: "no host has this name"
    case .networkConnectionLost?: "the connection has broken off"
    case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasUnknownRoot?:
      "its certificate is not trusted"
    case _: "no connection (\((error as NSError).localizedDescription))"
    }
  }

  private static func dates() -> DateFormatter {
    let dates = DateFormatter()
    dates.locale = Locale(identifier: "en_US_POSIX")
    dates.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return dates
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    receptions.withLock { all in
      guard let room = all[dataTask.taskIdentifier].map({ $0.most - $0.bytes.count }) else { return }
      if data.count > room {
        all[dataTask.taskIdentifier]?.isTooLarge = true
        all[dataTask.taskIdentifier]?.end.signal()
      } else {
        all[dataTask.taskIdentifier]?.bytes.append(data)
      }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    receptions.withLock { all in
      all[task.taskIdentifier]?.failure = error.map(Self.words)
      all[task.taskIdentifier]?.end.signal()
    }
  }

  /// What is signed for one server does not go to another one.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
