// SPDX-License-Identifier: Apache-2.0

package import AudioIO
internal import GraphIR
package import Legato

/// A sound device of the system, by the name with which it is asked for.
public struct LiveDevice: Hashable, Sendable {
  public let name: String
  /// The description in the configuration; may be empty.
  public let summary: String
  /// Whether sound comes from it, and whether sound goes to it.
  public let captures, plays: Bool

  /// The devices that ALSA's configuration names, and those of each card; none is opened.
  ///
  /// - Throws: `LiveError.device` where the configuration cannot be read.
  public static func all() throws(LiveError) -> [LiveDevice] {
    try LiveError.wrapping {
      try DeviceCatalog.entries().map { entry in
        LiveDevice(
          name: entry.name, summary: entry.description, captures: entry.directions.contains(.capture),
          plays: entry.directions.contains(.playback))
      }
    }
  }
}

extension RequestError.Name {
  /// The list of devices.
  public static let devices = RequestError.Name(rawValue: "LiveDevice.all")
}

extension DeviceError {
  /// The error, and which device was meant where none has its name. A name that is listed is right, though its card is
  /// not there.
  func hinting(among names: [String]) -> LiveError {
    hint(among: names).map { .absent(RequestError("\(description)\($0)")) } ?? .device(self)
  }

  /// The hint behind the line of the error; nil where there is none.
  package func hint(among names: [String]) -> RequestError.Message? {
    guard case .unknown = problem, !names.contains(device) else { return nil }
    if let nearest = nearestName(to: device, among: names) { return "; did you mean \(nearest)?" }
    return "; \(.devices) lists those that there are"
  }
}
