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
  func open(_ devices: LiveDevices, _ console: Console) throws -> DeviceStream? {
    var said: String?
    while true {
      do {
        return try devices.open(console.notice)
      } catch let error as DeviceError {
        guard waits, error.mayPass else {
          let names = (try? DeviceCatalog.entries().map(\.name)) ?? []
          let hint = error.hint(among: names)
          throw hint.isEmpty ? error : Failure.absent([error.description + hint])
        }
        if said != error.description { console.error("\(error); waiting for it") }
        said = error.description
      }
      var request = pollfd(fd: requests, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&request, 1, 1000) > 0 { return nil }
    }
  }
}

extension DeviceError {
  /// Whether it may be otherwise later, without anybody asking for something else.
  fileprivate var mayPass: Bool {
    switch problem {
    case .unknown, .busy, .noServer, .lost: true
    case .system: direction != nil
    case .oneWay, .noPermission, .cannot: false
    }
  }
}
