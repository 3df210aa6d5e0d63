// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc

/// Opens devices, and waits for those that are not there.
struct DeviceWaiting {
  private let waits: Bool
  /// Becomes readable when somebody asks for the end.
  private let requests: Int32

  init(_ waits: Bool, requests: Int32) {
    (self.waits, self.requests) = (waits, requests)
  }

  /// Opens the devices, with a look once a second where one is absent; nil where somebody asked for the end meanwhile.
  ///
  /// - Parameters:
  ///   - inputs: may ask for the end, too.
  ///   - isAgain: whether the devices were lost; one that opens and fails at once would otherwise be opened without
  ///     pause.
  func open(
    _ devices: LiveDevices, _ inputs: [any LiveInput], isAgain: Bool, _ console: Console
  ) throws -> DeviceStream? {
    if isAgain && isAskedForEnd(inputs) { return nil }
    var said: String?
    while true {
      do {
        return try devices.open(console.notice)
      } catch let error as DeviceError {
        guard waits, error.mayPass else {
          guard error.mayHaveHint else { throw error }
          // Where the configuration cannot be read, that is why.
          let hint = error.hint(among: try DeviceCatalog.entries().map(\.name))
          throw hint.isEmpty ? error : Failure.absent([error.description + hint])
        }
        if said != error.description { console.error("\(error); waiting for it") }
        said = error.description
      }
      if isAskedForEnd(inputs) { return nil }
    }
  }

  /// Waits for a second, unless somebody asks for the end.
  private func isAskedForEnd(_ inputs: [any LiveInput]) -> Bool {
    let end = ContinuousClock.now + .seconds(1)
    let sources = inputs.flatMap { input in input.descriptors.map { (input, $0) } }
    while ContinuousClock.now < end {
      var descriptors = ([requests] + sources.map(\.1)).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      guard unsafe poll(&descriptors, nfds_t(descriptors.count), 1000) > 0 else { break }
      if descriptors[0].revents != 0 { return true }
      for ((input, _), ready) in zip(sources, descriptors.dropFirst()) where ready.revents != 0 {
        if !input.take() { return true }
      }
    }
    return false
  }
}

extension DeviceError {
  /// Whether what devices there are says more about it.
  fileprivate var mayHaveHint: Bool {
    switch problem {
    case .unknown, .system: true
    case .busy, .noServer, .lost, .oneWay, .noPermission, .cannot: false
    }
  }

  /// Whether it may be otherwise later, without anybody asking for something else.
  fileprivate var mayPass: Bool {
    switch problem {
    case .unknown, .busy, .noServer, .lost: true
    case .system: direction != nil
    case .oneWay, .noPermission, .cannot: false
    }
  }
}
