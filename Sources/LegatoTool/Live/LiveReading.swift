// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import LiveEngine

/// How it went since the last time that somebody looked, and how it stands.
struct LiveReading {
  let status: LiveStatus
  /// Seconds of sound so far.
  let seconds: Double
  /// The time that periods took, of the time that they last; 1 is all of it.
  let load: Double
  let worstLoad: Double
  /// The loudest sample in each channel of the devices.
  let inputPeaks: [Float]
  let outputPeaks: [Float]
  let rate: Int
  let period: Int

  /// - Parameter last: the account at the last look.
  init(_ board: LiveBoard, since last: StreamAccount, rate: Int, period: Int) {
    status = board.status
    seconds = Double(status.position) / Double(rate)
    let account = status.account
    let length = Double(period) / Double(rate) * 1e9
    let periods = account.periods - last.periods
    load = periods > 0 ? Double(account.busy - last.busy) / (Double(periods) * length) : 0
    worstLoad = Double(board.takeLongestBusy()) / length
    inputPeaks = (0..<board.inputs).map { board.takePeak(ofInput: $0) }
    outputPeaks = (0..<board.outputs).map { board.takePeak(ofOutput: $0) }
    self.rate = rate
    self.period = period
  }
}
