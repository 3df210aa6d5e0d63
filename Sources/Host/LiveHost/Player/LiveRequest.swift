// SPDX-License-Identifier: Apache-2.0

package import AudioIO
internal import GraphIR
public import Legato

/// A request for live play: the devices, how they are opened, and what goes on beside the sound.
///
///     var request = LiveRequest(device: "hw:0")
///     request.period = 128
///     request.outputs = [2, 3]                       // the third and the fourth channel
///     request.recording = .init(path: "take.wav")
///
/// Nothing is converted on the way, unless a device's name begins with `plug`.
public struct LiveRequest: Sendable {
  /// The device that sound comes from, by ALSA's name.
  public var capture: String
  /// The device that sound goes to, by ALSA's name.
  public var playback: String
  /// Frames per second; nil for what the model states, the input file has, or 48,000.
  public var rate: Int?
  /// Frames between two interrupts of a device, 1 to 65,536: fewer are heard sooner.
  public var period = 256
  /// Periods in a device's buffer, 2 to 1,024: more bear longer delays of the system.
  public var periods = 4
  /// The capturing device's channels that the model reads, counted from 0; nil for the first two, or as many as it
  /// needs.
  public var inputs: [Int]?
  /// The playing device's channels that the model's outputs go to, counted from 0; nil for the first ones.
  public var outputs: [Int]?
  /// Seconds of sound after which it ends by itself; nil for never.
  public var seconds: Double?
  /// Whether devices that are absent, busy or lost are waited for.
  public var waitsForDevices = false
  /// Whether an edited model takes the place of the one that plays.
  public var reloads = true
  /// Whether the whole process is kept in memory, where the system lets it.
  public var locksMemory = true
  /// The settings of parameters at first.
  public var settings: [ParameterSetting] = []
  /// The name of the preset that these settings are of, for who shows it.
  public var preset: String?
  public var compiler = CompilerOptions()
  /// A file that is played in place of a device's sound.
  public var input: InputFile?
  /// A file that takes what plays, too.
  public var recording: RecordingFile?
  /// Controllers that turn parameters.
  public var controllers: Controllers?

  package var format: DeviceFormat?
  package var isMapped = false
  /// Nil for either.
  package var isPlanar: Bool?
  /// The noise of a file, so that live sound has the same bits.
  package var dither = Dither.triangular(seed: 0)
  /// The list in which the unfinished recording is noted, for a process that is ended at once.
  package var pending: PendingFiles?

  /// A request for one device, or for one that captures and another that plays.
  public init(device: String = "default", capture: String? = nil, playback: String? = nil) {
    self.capture = capture ?? device
    self.playback = playback ?? device
  }

  /// A sound file in the place of a capturing device.
  public struct InputFile: Sendable {
    /// Resampled with a notice where it has another rate.
    public var path: String
    /// Whether it begins again at its end, without a seam; otherwise the sound ends with it.
    public var isLooped: Bool

    public init(path: String, isLooped: Bool = false) { (self.path, self.isLooped) = (path, isLooped) }
  }

  /// A sound file that is written while it plays, by another thread.
  public struct RecordingFile: Sendable {
    /// The extension chooses the type.
    public var path: String
    package var options: AudioFileWriter.Options

    /// - Parameters:
    ///   - path: The extension chooses the type.
    ///   - replacesExisting: Whether a file that stands in the place is replaced.
    public init(path: String, replacesExisting: Bool = false) {
      self.path = path
      options = AudioFileWriter.Options()
      options.replaceExisting = replacesExisting
    }

    package init(path: String, _ options: AudioFileWriter.Options) {
      (self.path, self.options) = (path, options)
    }
  }

  /// MIDI controllers, which turn parameters through a port that other programs and devices can send to.
  public struct Controllers: Sendable {
    /// The name under which others see the port.
    public var port = "Legato"
    /// Ports that are connected to it, such as `20:0` or `nanoKONTROL:0`.
    public var sources: [String] = []
    /// Controllers beside those that the model names: `21=drive`, or `1:21=drive` on channel 1 only.
    public var map: [String] = []
    /// Whether a controller that stands elsewhere turns its parameter only once it has passed the value.
    public var waitsForPickup = false

    public init() {}

    /// The parameters that `map` names, as they are addressed.
    package var addresses: [String] {
      map.compactMap { text in text.firstIndex(of: "=").map { String(text[text.index(after: $0)...]) } }
    }
  }

  /// Throws where no device could do what is asked for, nor the model.
  func check(for model: Model) throws {
    guard (1...65_536).contains(period) else { throw RequestError("\(.period) takes 1 to 65536 frames") }
    guard (2...1024).contains(periods) else { throw RequestError("\(.periods) takes 2 to 1024") }
    guard rate.map({ (1...768_000).contains($0) }) ?? true else {
      throw RequestError("\(.rate) takes 1 to 768000 Hz")
    }
    for (name, channels) in [(RequestError.Name.inputs, inputs), (.outputs, outputs)] {
      guard channels != [] else { throw RequestError("\(name) names no channel; nil is for the usual ones") }
      guard let wrong = channels?.first(where: { $0 < 0 }) else { continue }
      throw RequestError("\(name): there is no channel \(wrong); the first one is 0")
    }
    guard seconds.map({ $0 >= 0 }) ?? true else { throw RequestError("\(.seconds) takes 0 or more") }
    if let twice = outputs?.enumerated().first(where: { outputs?[..<$0.offset].contains($0.element) == true })
    {
      throw RequestError("\(.outputs) names channel \(twice.element + 1) twice; each channel plays one")
    }
    guard model.executesStream else { throw LiveError.executesSteps(model) }
    if input != nil, model.inputs.isEmpty {
      throw RequestError("\(quoted(model.name)) has no input; leave \(.input) out")
    }
  }

  /// The request to a direction of a device.
  func request(rate: Int, channels: Int) -> DeviceRequest {
    var request = DeviceRequest(rate: rate, channels: channels)
    (request.format, request.period, request.periods) = (format, period, periods)
    (request.isMapped, request.isPlanar) = (isMapped, isPlanar)
    return request
  }
}

/// The parts of a request for live play, as its messages call them.
extension RequestError.Name {
  public static let period = RequestError.Name(rawValue: "period")
  public static let periods = RequestError.Name(rawValue: "periods")
  /// Seconds of sound after which it ends by itself.
  public static let seconds = RequestError.Name(rawValue: "seconds")
  /// A file in the place of a capturing device.
  public static let input = RequestError.Name(rawValue: "input")
  /// A controller that turns a parameter.
  public static let map = RequestError.Name(rawValue: "map")
}
