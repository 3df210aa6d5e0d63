// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation

/// A sound and what an amplifier made of it, checked and aligned: what a capture learns from.
public struct CapturePair: Sendable {
  /// The sound that went into the amplifier.
  public let dry: [Float]
  /// The sound that came out, shifted onto it: as many frames.
  public let wet: [Float]
  /// Their frames per second.
  public let sampleRate: Int
  /// How far it was shifted, and whether it is upside down.
  public let alignment: SignalAlignment
  /// Their names in messages.
  public let names: (dry: String, wet: String)
  /// Notices about them, a line each, beginning with a name.
  public let notices: [String]

  /// The shortest sound in seconds, and those from which on nothing is said.
  static let (leastSeconds, plentySeconds) = (2.0, 20.0)

  /// - Parameters:
  ///   - dry: what went into the amplifier.
  ///   - wet: what came out, recorded from the same moment on, or up to a second earlier or later.
  ///   - sampleRate: their frames per second.
  ///   - names: what messages call them.
  /// - Throws: `TrainingError.data`, with what to do, where nothing can be learned from them.
  public init(
    dry: [Float], wet: [Float], sampleRate: Int,
    names: (dry: String, wet: String) = ("the input", "the target")
  ) throws(TrainingError) {
    var notices: [String] = []
    for (sound, name) in [(dry, names.dry), (wet, names.wet)] {
      if let frame = sound.firstIndex(where: { !$0.isFinite }) {
        throw .data("\(name): frame \(frame) is no finite number; record it again")
      }
      let seconds = Double(sound.count) / Double(sampleRate)
      guard seconds >= Self.leastSeconds else {
        throw .data(
          "\(name) has \(Self.written(seconds)) s of sound; \(Self.written(Self.leastSeconds)) s are the least, "
            + "and a minute is good")
      }
      if seconds < Self.plentySeconds {
        notices.append("\(name): only \(Self.written(seconds)) s of sound; a minute is good")
      }
      let peak = Self.decibels(sound)
      guard peak > -60 else {
        let level = peak < -120 ? "silent" : "at \(Self.written(peak)) dB at most, nearly silent"
        throw .data("\(name) is \(level); look at cables, channels and levels, and record it again")
      }
      if peak > 0.01 {
        notices.append(
          "\(name): the level is up to \(Self.written(peak)) dB over full scale, which a device would clip")
      }
      if peak < -30 {
        notices.append("\(name): the level is low, \(Self.written(peak)) dB at most; -12 to -1 dB are good")
      }
    }
    if let clip = Self.clip(in: wet) {
      throw .data(
        "\(names.wet) is clipped \(clip.count) \(clip.count == 1 ? "time" : "times"), first at "
          + "\(Self.written(Double(clip.first) / Double(sampleRate))) s; turn the input of the interface down, "
          + "and record it again"
      )
    }
    guard let alignment = SignalAlignment(of: dry, in: wet, most: sampleRate) else {
      throw .data(
        "\(names.wet) does not follow from \(names.dry) within a second; give the recording of this very sound"
      )
    }
    let frames = abs(alignment.latency)
    let milliseconds = String(format: "%.2f", 1000 * frames / Double(sampleRate))
    notices.append(
      "\(names.wet): \(alignment.latency < 0 ? "early" : "late") by \(String(format: "%.1f", frames)) frames "
        + "(\(milliseconds) ms), aligned")
    if let rival = alignment.rival {
      notices.append(
        "\(names.wet): follows about as clearly \(abs(rival)) frames \(rival < 0 ? "early" : "late"): an echo or a sound "
          + "that repeats itself; listen to what was learned, or record again with more sound")
    }
    if alignment.isReversed {
      notices.append("\(names.wet): the polarity is reversed, and the capture keeps it so")
    }
    (self.dry, self.wet) = alignment.applied(to: dry, wet)
    let seconds = Double(self.dry.count) / Double(sampleRate)
    guard seconds >= Self.leastSeconds else {
      throw .data("\(names.dry) and \(names.wet) have only \(Self.written(seconds)) s in common")
    }
    let whole = Double(dry.count) / Double(sampleRate)
    if whole - seconds > 1 {
      notices.append(
        "\(names.wet): only \(Self.written(seconds)) of the \(Self.written(whole)) s of \(names.dry) came back; "
          + "the rest is not learned from")
    }
    // Of a latency that is whole but for its estimate the parts of frames are not looked at.
    let late = Int(alignment.latency.rounded())
    if Self.distance(self.wet.dropFirst(), from: self.dry[...]) < 1e-6
      || Self.distance(wet.dropFirst(max(0, late)), from: dry.dropFirst(max(0, -late))) < 1e-6
    {
      notices.append(
        "\(names.wet): what went in itself came back, nothing but louder or softer; is it the right recording?"
      )
    }
    (self.sampleRate, self.alignment, self.names, self.notices) = (sampleRate, alignment, names, notices)
  }

  /// Reads both from files of one channel and one rate.
  public init(input: String, target: String) throws(TrainingError) {
    let (first, second): (AudioFileDescription, AudioFileDescription)
    do throws(AudioFileError) {
      first = try AudioFileReader(path: input).description
      second = try AudioFileReader(path: target).description
    } catch {
      throw .data(error.description)
    }
    for file in [first, second] where file.channels != 1 {
      throw .data(
        "\(file.path) has \(file.channels) channels, and a capture is of one; export a single channel")
    }
    guard first.sampleRate == second.sampleRate else {
      throw .data(
        "\(input) is at \(first.sampleRate) Hz, and \(target) at \(second.sampleRate) Hz; "
          + "resample one of them")
    }
    try self.init(
      dry: SoundReading.channels(of: input, sampleRate: first.sampleRate)[0],
      wet: SoundReading.channels(of: target, sampleRate: first.sampleRate)[0],
      sampleRate: first.sampleRate, names: (input, target))
  }

  /// The peak in decibels.
  private static func decibels(_ sound: [Float]) -> Double {
    20 * log10(Double(max(1e-9, sound.reduce(0) { max($0, abs($1)) })))
  }

  /// The part of a return's power that the sound, louder or softer, does not explain.
  private static func distance(_ wet: ArraySlice<Float>, from dry: ArraySlice<Float>) -> Double {
    var (own, other, both) = (0.0, 0.0, 0.0)
    for (y, x) in zip(wet, dry) {
      own += Double(y) * Double(y)
      other += Double(x) * Double(x)
      both += Double(x) * Double(y)
    }
    return own * other > 0 ? 1 - both * both / (own * other) : 1
  }

  /// Where three samples in a row or more stand at full scale, and how often.
  private static func clip(in sound: [Float]) -> (first: Int, count: Int)? {
    var (first, count, run) = (0, 0, 0)
    for (frame, sample) in sound.enumerated() {
      let follows = run > 0 && sample == sound[frame - 1]
      run = abs(sample) < 0.9999 ? 0 : follows ? run + 1 : 1
      guard run == 3 else { continue }
      if count == 0 { first = frame - 2 }
      count += 1
    }
    return count > 0 ? (first, count) : nil
  }

  private static func written(_ number: Double) -> String { figure(number, digits: 4) }
}
