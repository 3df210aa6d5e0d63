// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Legato
internal import LiveHost

/// A device as `legato devices` shows it.
struct DeviceRow: Encodable {
  let name: String
  let description: String?
  /// Nil where the device does not go that way.
  let capture: Direction?
  let playback: Direction?

  /// Opens the device for a moment in each of its directions.
  init(_ entry: DeviceCatalog.Entry) {
    func direction(_ direction: DeviceDirection) -> Direction? {
      entry.directions.contains(direction) ? Direction(entry.name, direction) : nil
    }
    name = entry.name
    description = entry.description.isEmpty ? nil : entry.description
    capture = direction(.capture)
    playback = direction(.playback)
  }

  var directions: [(name: String, direction: Direction)] {
    [("capture", capture), ("playback", playback)].compactMap { name, direction in
      direction.map { (name, $0) }
    }
  }

  /// Whether it can be opened at all.
  var isUsable: Bool { directions.contains { $0.direction.problem == nil } }

  /// The reason why the device cannot be opened, in one line.
  func refusal(among names: [String]) -> String {
    let errors = directions.compactMap(\.direction.error)
    // Both directions mostly fail for one reason.
    let problems = errors.map(\.problem)
    let first = errors.first.map { error in
      problems.allSatisfy { $0 == problems[0] } ? "\(name): \(error.problem.sentence)" : error.description
    }
    let line = first ?? "\(name): the device goes no way"
    guard let hint = errors.first?.hint(among: names) else { return line }
    return RequestError("\(line)\(hint)").text(calling: Failure.name)
  }

  /// One direction: what it can do, or why that is not known.
  struct Direction: Encodable {
    let capabilities: DeviceCapabilities?
    let error: DeviceError?
    var problem: String? { error?.problem.sentence }

    init(_ device: String, _ direction: DeviceDirection) {
      do throws(DeviceError) {
        capabilities = try DeviceCapabilities(of: device, direction)
        error = nil
      } catch {
        capabilities = nil
        self.error = error
      }
    }

    private enum Key: CodingKey {
      case formats, access, rates, minimumRate, maximumRate, channels, periods, buffers, problem
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(problem, forKey: .problem)
      guard let capabilities else { return }
      try container.encode(capabilities.formats.map(\.name), forKey: .formats)
      try container.encode(capabilities.accesses.map(\.name), forKey: .access)
      try container.encode(capabilities.commonRates, forKey: .rates)
      try container.encode(capabilities.rateRange.lowerBound, forKey: .minimumRate)
      try container.encode(capabilities.rateRange.upperBound, forKey: .maximumRate)
      try container.encode(capabilities.channels.map { [$0.lowerBound, $0.upperBound] }, forKey: .channels)
      let (periods, buffers) = (capabilities.periods, capabilities.buffers)
      try container.encode([periods.lowerBound, periods.upperBound], forKey: .periods)
      try container.encode([buffers.lowerBound, buffers.upperBound], forKey: .buffers)
    }
  }
}

extension Console {
  /// A heading for each device, and the columns of all of them in line.
  func text(_ rows: [DeviceRow]) -> String {
    let cells = rows.flatMap(\.directions).map { name, direction -> [String] in
      guard let able = direction.capabilities else { return [name] }
      let formats = able.formats.isEmpty ? "no known format" : able.formats.map(\.name).joined(separator: " ")
      return [name, formats, able.ratesText, able.channelsText, "periods of \(able.periodsText)"]
    }
    var lines = Self.table(cells).split(separator: "\n").map(String.init)[...]
    var text = ""
    for row in rows {
      text += heading(row.name) + (row.description.map { "  " + $0 } ?? "") + "\n"
      for (_, direction) in row.directions {
        let line = lines.removeFirst()
        text += direction.problem.map { problem in line + "  " + problem } ?? line
        text += "\n"
      }
    }
    return text
  }
}
