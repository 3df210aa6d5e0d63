// SPDX-License-Identifier: Apache-2.0

/// The sound that a virtual card played: every frame at its position, silence where it did not run.
package struct PlayedSound {
  /// Full scale at 1, exact: `samples[channel][position]`.
  package var samples: [[Double]]
  /// The positions at which it ran, from each start to what stopped it.
  package var runs: [Range<Int>]

  /// - Parameter bytes: frames in the format of the log's last `set`.
  init(_ bytes: [UInt8], log: [CardEvent]) {
    let log = log.filter { $0.stream == .playback }
    let setup = log.last { $0.action == "set" }?.details.split(separator: " ") ?? []
    let channels = setup.count > 1 ? Int(setup[1]) ?? 0 : 0
    guard let format = setup.first.flatMap({ CardFormat(rawValue: String($0)) }), channels > 0 else {
      (samples, runs) = ([], [])
      return
    }
    let frames = bytes.count / (format.width * channels)
    samples = (0..<channels).map { channel in
      (0..<frames).map { frame in
        format.sample(bytes, at: (frame * channels + channel) * format.width)
      }
    }
    runs = []
    var start: Int?
    for event in log {
      if event.action == "start" {
        start = event.position
      } else if let first = start, let end = event.position, Self.ends.contains(event.action) {
        runs.append(first..<end)
        start = nil
      }
    }
  }

  private static let ends = ["stop", "xrun", "refuse", "underrun", "unplug", "suspend", "freeze"]
}
