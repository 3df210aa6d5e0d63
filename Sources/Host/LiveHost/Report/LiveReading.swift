// SPDX-License-Identifier: Apache-2.0

public import LiveEngine
internal import RealtimeCore

/// A look at live play: how it went since the look before, and how it stands.
public struct LiveReading: Sendable {
  /// The state at the end of the last period.
  public let status: LiveStatus
  /// Seconds of sound so far.
  public let seconds: Double
  /// The time that periods took, of the time that they last; 1 is all of it.
  public let load: Double
  /// The same of the period that took longest.
  public let worstLoad: Double
  /// The loudest sample in each channel that came in; full scale is 1.
  public let inputPeaks: [Float]
  /// The loudest sample in each channel that went out; full scale is 1.
  public let outputPeaks: [Float]
  /// Frames per second.
  public let rate: Int
  /// Frames of a period.
  public let period: Int

  /// - Parameter last: the reading before, of the same board. Where no period has come since, loads and levels are as
  ///   they were.
  init(_ board: LiveBoard, after last: LiveReading?, rate: Int, period: Int) {
    let status = board.status
    self.status = status
    seconds = Double(status.position) / Double(rate)
    self.rate = rate
    self.period = period
    let periods = status.account.periods - (last?.status.account.periods ?? 0)
    if let last, periods == 0 {
      (load, worstLoad) = (last.load, last.worstLoad)
      (inputPeaks, outputPeaks) = (last.inputPeaks, last.outputPeaks)
      return
    }
    let length = Double(period) / Double(rate) * 1e9
    let busy = status.account.busy - (last?.status.account.busy ?? 0)
    load = periods > 0 ? Double(busy) / (Double(periods) * length) : 0
    worstLoad = Double(board.takeLongestBusy()) / length
    inputPeaks = (0..<board.inputs).map { board.takePeak(ofInput: $0) }
    outputPeaks = (0..<board.outputs).map { board.takePeak(ofOutput: $0) }
  }
}
