// SPDX-License-Identifier: Apache-2.0

package import LiveHost

/// The contents of the view of a run, as values.
package struct ViewContents {
  /// One parameter's row.
  package struct Row {
    package var knob: Knob
    package var value: Float
    /// The controller that turns it, such as `CC 21`; empty where none does.
    package var controller = ""

    package init(knob: Knob, value: Float, controller: String = "") {
      (self.knob, self.value, self.controller) = (knob, value, controller)
    }
  }

  /// One channel's level.
  package struct Meter {
    /// Such as `in 1`.
    package var name: String
    /// The loudest sample since the last picture; full scale is 1.
    package var peak: Float
    /// The loudest for a while.
    package var held: Float
    /// Whether it has ever been at full scale.
    package var isClipped = false
  }

  /// One period of a sine, and what the program makes of it.
  package struct Wave {
    package var input: [Float]
    package var output: [Float]
    package var hertz: Double
    /// Whether what comes out has come to rest, so that the next period is the same.
    package var isSettled = true

    package init(input: [Float], output: [Float], hertz: Double, isSettled: Bool = true) {
      (self.input, self.output, self.hertz, self.isSettled) = (input, output, hertz, isSettled)
    }
  }

  /// The state of the device.
  package struct Status {
    package var load = 0.0
    package var worstLoad = 0.0
    package var xruns = 0
    package var framesLost = 0
    package var fill = 0
    package var leastFill: Int?
    /// Nil while it is not known.
    package var captureDrift: Double?
    package var playbackDrift: Double?
    /// Seconds from input to output.
    package var latency = 0.0
  }

  package var name: String
  /// The device and rate, such as `hw:0  48000 Hz`.
  package var device = ""
  package var rows: [Row] = []
  package var selected = 0
  /// The text typed so far as a value; nil where none is being typed.
  package var entry: String?
  /// The name typed so far for a preset; nil where none is being typed.
  package var nameEntry: String?
  package var presets: [String] = []
  /// The preset that was chosen last.
  package var preset: Int?
  /// Nil where the model cannot be bypassed.
  package var isBypassed: Bool?
  package var inputs: [Meter] = []
  package var outputs: [Meter] = []
  package var status = Status()
  /// Nil where it is not to be seen.
  package var wave: Wave?
  package var message = ""
  package var showsHelp = false

  /// - Parameters:
  ///   - name: of the model.
  ///   - device: what it plays on, such as `hw:0  48000 Hz`.
  package init(name: String, device: String = "") { (self.name, self.device) = (name, device) }
}
