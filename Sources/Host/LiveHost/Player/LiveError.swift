// SPDX-License-Identifier: Apache-2.0

public import AudioIO
internal import Glibc
internal import GraphIR
public import Legato
internal import LiveEngine
internal import RealtimeCore

/// The reason why sound cannot be played live, or not any more; each line begins with what is at fault, and says what
/// to do where that is not plain.
public enum LiveError: Error, Sendable, CustomStringConvertible {
  /// A request that cannot be met, where another one can.
  case request(RequestError)
  /// A model that cannot be read, or compiled.
  case model(ModelError)
  /// A device that is not there, is gone, or cannot do what it is asked for.
  case device(DeviceError)
  /// A device that no name stands for; says which there are.
  case absent(RequestError)
  /// Devices that had to begin again too often within a second: they need longer periods, or more of them.
  case unstable(RequestError)
  /// A file that cannot be read, or written.
  case file(AudioFileError)
  /// Controllers that cannot be had.
  case controllers(MIDIError)
  /// A model, or a device that is back, that does not fit what is open.
  case misfit(String)
  /// Anything else that the system refuses, in its words.
  case system(String)

  package init(_ error: any Error) {
    switch error {
    case let error as LiveError: self = error
    case let error as RequestError: self = .request(error)
    case let error as ModelError: self = .model(error)
    case let error as DeviceError: self = .device(error)
    case let error as AudioFileError: self = .file(error)
    case let error as MIDIError: self = .controllers(error)
    case _: self = .system("\(error)")
    }
  }

  /// Runs something, and converts its errors to those of live play.
  static func wrapping<Result>(_ body: () throws -> Result) throws(LiveError) -> Result {
    do { return try body() } catch { throw LiveError(error) }
  }

  /// One line for each problem, with Legato's own names for the parts of a request.
  public var description: String { lines { $0.rawValue }.joined(separator: "\n") }

  /// One line for each problem, with a program's own names for the parts of a request.
  public func lines(calling name: (RequestError.Name) -> String) -> [String] {
    switch self {
    case .request(let error), .absent(let error), .unstable(let error): [error.text(calling: name)]
    case .model(.invalid(let problems)): problems.map(\.description)
    case .model(let error): [error.description]
    case .device(let error): [error.description]
    case .file(let error): [error.description]
    case .controllers(let error): [error.description]
    case .misfit(let line), .system(let line): [line]
    }
  }

  package static func executesSteps(_ model: Model) -> LiveError {
    .misfit(
      "\(quoted(model.name)) executes steps (\(model.placeOfInputs)); only models of streams, with frames, play"
    )
  }

  /// The reason why a stream could not go on.
  init(_ end: StreamEnd, of devices: LiveDevices) {
    self.init(end, capture: devices.captureName, playback: devices.playbackName, place: devices.place)
  }

  /// - Parameters:
  ///   - capture, playback: the devices' names.
  ///   - place: what messages call both.
  init(_ end: StreamEnd, capture: String, playback: String, place: String) {
    func name(_ direction: DeviceDirection) -> String {
      switch direction {
      case .capture: capture
      case .playback: playback
      }
    }
    switch end {
    case .lost(let direction): self = .device(DeviceError(name(direction), direction, .lost))
    case .silent: self = .device(DeviceError(place, nil, .silent))
    case .unstable:
      self = .unstable(
        RequestError(
          "\(place): the sound had to begin again too often; ask for a longer \(.period), or more \(.periods)"
        ))
    case .failed(let direction, let code):
      let reason = "the device failed: \(unsafe String(cString: strerror(-code)))"
      self = .device(DeviceError(name(direction), direction, .system(reason)))
    }
  }

  /// Whether it may be otherwise later, without anybody asking for something else.
  var mayPass: Bool {
    switch self {
    case .device(let error): error.mayPass
    case .request, .model, .absent, .unstable, .file, .controllers, .misfit, .system: false
    }
  }
}

extension DeviceError {
  /// Whether what devices there are says more about it.
  var mayHaveHint: Bool {
    switch problem {
    case .unknown, .system: true
    case .busy, .noServer, .lost, .silent, .oneWay, .noPermission, .cannot: false
    }
  }

  /// Whether it may be otherwise later, without anybody asking for something else.
  var mayPass: Bool {
    switch problem {
    case .unknown, .busy, .noServer, .lost, .silent: true
    case .system: direction != nil
    case .oneWay, .noPermission, .cannot: false
    }
  }
}
