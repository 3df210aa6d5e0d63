// SPDX-License-Identifier: Apache-2.0

internal import LiveHost

/// Everything that the view of a run shows, as values.
struct ViewContents {
  /// One parameter's row.
  struct Row {
    var knob: Knob
    var value: Float
    /// The controller that turns it, such as `CC 21`; empty where none does.
    var controller = ""
  }

  /// One channel's level.
  struct Meter {
    /// Such as `in 1`.
    var name: String
    /// The loudest sample since the last picture; full scale is 1.
    var peak: Float
    /// The loudest for a while.
    var held: Float
    /// Whether it has ever been at full scale.
    var isClipped = false
  }

  /// One period of a sine, and what the program makes of it.
  struct Wave {
    var input: [Float]
    var output: [Float]
    var hertz: Double
    /// Whether what comes out has come to rest, so that the next period is the same.
    var isSettled = true
  }

  /// How the device is doing.
  struct Status {
    var load = 0.0
    var worstLoad = 0.0
    var xruns = 0
    var framesLost = 0
    var fill = 0
    var leastFill: Int?
    /// Nil while it is not known.
    var captureDrift: Double?
    var playbackDrift: Double?
    /// Seconds from input to output.
    var latency = 0.0
  }

  var name: String
  /// The device and rate, such as `hw:0  48000 Hz`.
  var device = ""
  var rows: [Row] = []
  var selected = 0
  /// The text typed so far as a value; nil where none is being typed.
  var entry: String?
  var presets: [String] = []
  /// The preset that was chosen last.
  var preset: Int?
  /// Nil where the model cannot be bypassed.
  var isBypassed: Bool?
  var inputs: [Meter] = []
  var outputs: [Meter] = []
  var status = Status()
  /// Nil where it is not to be seen.
  var wave: Wave?
  var message = ""
  var showsHelp = false
}
