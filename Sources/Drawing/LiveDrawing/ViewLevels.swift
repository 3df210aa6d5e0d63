// SPDX-License-Identifier: Apache-2.0

internal import LiveEngine
package import LiveHost
internal import RealtimeCore

/// The statistics of readings: peaks that are held, the recent load, and the worst load.
package struct ViewLevels {
  package private(set) var inputs: [ViewContents.Meter] = []
  package private(set) var outputs: [ViewContents.Meter] = []
  private var holds: [PeakHold] = []
  private var load = 0.0
  private var worstLoad = 0.0

  /// Seconds over which the load is averaged.
  private static let memory = 1.0

  package init() {}

  /// - Parameter elapsed: seconds since the last reading.
  package mutating func note(_ reading: LiveReading, after elapsed: Double) {
    let peaks = reading.inputPeaks + reading.outputPeaks
    if holds.count != peaks.count { holds = Array(repeating: PeakHold(), count: peaks.count) }
    for (index, peak) in peaks.enumerated() { holds[index].note(peak, after: elapsed) }
    let meters = peaks.enumerated().map { index, peak in
      let isInput = index < reading.inputPeaks.count
      let channel = isInput ? index + 1 : index - reading.inputPeaks.count + 1
      return ViewContents.Meter(
        name: "\(isInput ? "in" : "out") \(channel)", peak: peak, held: holds[index].held,
        isClipped: holds[index].isClipped)
    }
    inputs = Array(meters.prefix(reading.inputPeaks.count))
    outputs = Array(meters.dropFirst(reading.inputPeaks.count))
    load += (reading.load - load) * min(1, elapsed / Self.memory)
    worstLoad = max(worstLoad, reading.worstLoad)
  }

  /// Forgets peaks and worst values.
  package mutating func reset() {
    holds = []
    worstLoad = 0
  }

  /// - Parameter latency: seconds from input to output.
  package func status(_ reading: LiveReading, latency: Double) -> ViewContents.Status {
    let (status, account) = (reading.status, reading.status.account)
    return ViewContents.Status(
      load: load, worstLoad: worstLoad, xruns: account.overruns + account.underruns,
      framesLost: account.framesLost, fill: account.fill,
      leastFill: account.leastFill == .max ? nil : account.leastFill,
      captureDrift: status.captureDrift.isNaN ? nil : status.captureDrift,
      playbackDrift: status.playbackDrift.isNaN ? nil : status.playbackDrift, latency: latency)
  }
}
