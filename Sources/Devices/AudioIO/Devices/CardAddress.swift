// SPDX-License-Identifier: Apache-2.0

/// The card and the device on it that a name means, such as `hw:1,0` or `plughw:CARD=PCH,DEV=3`.
struct CardAddress: Equatable {
  let card: Int
  let device: Int

  /// Nil where the name tells no card that is there.
  init?(_ name: String, proc: String = "/proc") {
    guard let colon = name.firstIndex(of: ":") else { return nil }
    var card: Substring?
    var device = 0
    for (place, word) in name[name.index(after: colon)...].split(separator: ",").enumerated() {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard let first = parts.first else { continue }
      switch (parts.count, first, place) {
      case (2, "CARD", _): card = parts[1]
      case (2, "DEV", _): device = Int(parts[1]) ?? 0
      case (1, _, 0): card = word
      case (1, _, 1): device = Int(word) ?? 0
      case _: break
      }
    }
    guard let card else { return nil }
    let cards = ProcFile.names(in: proc + "/asound", beginning: "card").compactMap { Int($0.dropFirst(4)) }
    let found = cards.first { number in
      "\(number)" == card || ProcFile("\(proc)/asound/card\(number)/id")?.line == String(card)
    }
    guard let found else { return nil }
    self.card = found
    self.device = device
  }

  /// Whether the device has the other direction only.
  func lacks(_ direction: DeviceDirection, proc: String = "/proc") -> Bool {
    let devices = ProcFile.names(in: "\(proc)/asound/card\(card)", beginning: "pcm\(device)")
    let (own, other) = direction == .capture ? ("c", "p") : ("p", "c")
    return !devices.contains("pcm\(device)\(own)") && devices.contains("pcm\(device)\(other)")
  }
}
