// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// A sound file as readings of one column: the mean of its channels, at the rate of the model.
public final class SoundFileReadings: ReadingSource {
  private var reader: MonoReader
  private var frames = 0
  private let ends: Int

  /// - Parameters:
  ///   - path: The file; - is the standard input.
  ///   - rate: Readings per second; the file is resampled where it has another rate.
  ///   - seconds: After which it is left; nil for its end.
  /// - Throws: `ListeningError.absent` where there is no such file, `ListeningError.data` where it is no sound.
  public init(_ path: String, rate: Int, seconds: Double? = nil) throws(ListeningError) {
    ends = try ListeningError.readings(in: seconds, rate, of: path == "-" ? "standard input" : path)
    do throws(AudioFileError) { reader = try MonoReader(path: path, rate: rate) } catch {
      throw ListeningError(error)
    }
  }

  /// - Throws: `ListeningError.data` where the file is damaged, or holds what is no finite number.
  public func next() throws -> ReadingEvent {
    guard frames < ends else { return .ended }
    let part: [Float]?
    do throws(AudioFileError) { part = try reader.next() } catch { throw ListeningError(error) }
    guard let part else { return .ended }
    defer { frames += part.count }
    return .readings(Array(part.prefix(ends - frames)))
  }
}

/// The sound of a device as readings of one column: the mean of its channels, at the rate of the model.
public final class SoundDeviceReadings: ReadingSource {
  private let device: String
  private var capture: MonoCapture
  private var left: Int

  /// - Parameters:
  ///   - device: Its name in ALSA.
  ///   - rate: Readings per second; the sound is resampled where the device has another rate.
  ///   - seconds: After which it is left; nil for no end.
  /// - Throws: `ListeningError.absent` where the device cannot be had, `ListeningError.data` where it cannot do what it is
  ///   asked for.
  public init(_ device: String = "default", rate: Int, seconds: Double? = nil) throws(ListeningError) {
    self.device = device
    left = try ListeningError.readings(in: seconds, rate, of: device)
    do throws(DeviceError) { capture = try MonoCapture(device, rate: rate) } catch {
      throw ListeningError(error)
    }
  }

  /// - Throws: `ListeningError.absent` where the device is gone.
  public func next() throws -> ReadingEvent {
    guard left > 0 else { return .ended }
    do throws(DeviceError) {
      let part = try capture.next().prefix(left)
      left -= part.count
      return part.isEmpty ? .nothing : .readings(Array(part))
    } catch {
      throw ListeningError(error)
    }
  }

  /// Frames of the device that were lost, as nobody took them in time.
  public var framesLost: Int { capture.framesLost }
}

extension ListeningError {
  /// The readings in some seconds of a sound; as many as there are in nil.
  fileprivate static func readings(
    in seconds: Double?, _ rate: Int, of name: String
  ) throws(ListeningError) -> Int {
    guard rate > 0 else { throw .data("\(name): has \(rate) readings in a second; there is one at least") }
    guard let seconds else { return .max }
    guard seconds >= 0, let readings = Int(exactly: (seconds * Double(rate)).rounded()) else {
      throw .data("\(name): cannot be heard for \(seconds) seconds")
    }
    return readings
  }

  init(_ error: DeviceError) {
    switch error.problem {
    case .cannot: self = .data(error.description)
    case .unknown, .oneWay, .busy, .noPermission, .noServer, .lost, .silent, .system:
      self = .absent("\(error); legato devices lists what there is")
    }
  }

  init(_ error: AudioFileError) {
    switch error.problem {
    case .missing, .noFolder: self = .absent(error.description)
    case .isFolder, .notFolder, .empty, .noPermission, .readOnlyFileSystem, .notAudio, .unknownEncoding,
      .damaged, .exists, .unknownType, .cannotHold, .cannotResample, .noSpace, .quotaExceeded, .brokenPipe,
      .interrupted, .system:
      self = .data(error.description)
    }
  }
}
