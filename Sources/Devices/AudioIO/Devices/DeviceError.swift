// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// A fault of a device, and which device it is.
///
/// Its description is one line that begins with the device's name and says what to do where that is not plain.
public struct DeviceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The device's name.
  public let device: String
  /// Nil where it is not about one of them.
  package let direction: DeviceDirection?
  package let problem: Problem

  package enum Problem: Equatable, Sendable {
    /// Nothing has this name, or the card is not there; in alsa-lib's words, where it had some.
    case unknown(String)
    /// The device goes the other way only.
    case oneWay
    case busy(DeviceHolder?)
    case noPermission
    /// The sound server of which the device is a part does not answer.
    case noServer
    /// The device was there, and is no more.
    case lost
    /// Nothing came or went any more, though it was begun again.
    case silent
    /// The device cannot do what it is asked for; says what it can do, and what to do.
    case cannot(String)
    /// Anything else that the system refuses, in its words.
    case system(String)
  }

  package init(_ device: String, _ direction: DeviceDirection?, _ problem: Problem) {
    self.device = device
    self.direction = direction
    self.problem = problem
  }

  /// The error where there is no memory for the periods of a device.
  init(_ device: String, _ direction: DeviceDirection?, _ setup: DeviceSetup, _ error: ContextError) {
    let periods = "periods of \(setup.period) frames in \(setup.channels) channels"
    self.init(device, direction, .cannot("\(periods) take too much memory, ask for shorter ones: \(error)"))
  }

  public var description: String {
    device + (direction.map { " (\($0.rawValue))" } ?? "") + ": " + problem.sentence
  }
}

extension DeviceError.Problem {
  package var sentence: String {
    switch self {
    case .unknown(let what): "no such device" + (what.isEmpty ? "" : ": \(what)")
    case .oneWay: "the device does not go this way"
    case .busy(let holder): DeviceHolder.sentence(holder)
    case .noPermission: "permission denied; sound devices are often for members of the group audio"
    case .noServer: "the sound server does not answer"
    case .lost: "the device is gone"
    case .silent:
      "nothing came or went any more, though it was begun again: the sound server has ended, or the device never started"
    case .cannot(let what): what
    case .system(let what): what
    }
  }
}
