// SPDX-License-Identifier: Apache-2.0

/// News of live play, told as it happens on the thread that controls.
public enum LiveEvent: Sendable {
  /// A line that is good to know; it begins with what it is about.
  case notice(String)
  /// Devices that are absent or busy are waited for; told once for each reason.
  case waiting(LiveError)
  /// The devices are gone, and are waited for.
  case lost(LiveError)
  /// Something befell the sound.
  case trouble(LiveTrouble)
  /// The recording cannot be written on; the sound goes on without it.
  case recordingFailed(LiveError)
  /// An edited model plays.
  case reloaded(Reload)
  /// An edited model is wrong, or does not fit the devices; the model before it plays on.
  case broken(LiveError)
  /// The model's file is gone; what was read before plays on.
  case missing
  /// The model's files say again what plays.
  case restored
  /// A controller was learnt for a parameter.
  case learnt(controller: String, parameter: String)

  /// An edited model that has taken the place of the one before.
  public struct Reload: Sendable {
    /// Frames by which the model before was late.
    public let latencyBefore: Int
    /// The model's latency, in frames.
    public let latency: Int
    /// The compiler's warnings on the model, one line each.
    public let warnings: [String]
  }
}
