// SPDX-License-Identifier: Apache-2.0

/// The program that has a card's device open.
package struct DeviceHolder: Hashable, Sendable {
  package let program: String
  package let process: Int

  /// Finds who holds a device of the system's cards; nil where that cannot be known.
  ///
  ///     hw:1,0, playback ─▶ /proc/asound/card1/pcm0p/sub0/status    owner_pid   : 4711
  ///                         /proc/4711/status                       Name: pipewire   Tgid: 4700
  ///
  /// A name that tells no card may stand for any: then one is found where a single program holds devices of this
  /// direction.
  package static func find(
    of device: String, _ direction: DeviceDirection, proc: String = "/proc"
  ) -> DeviceHolder? {
    let letter = direction == .capture ? "c" : "p"
    let address = CardAddress(device, proc: proc)
    let cards = address.map { ["card\($0.card)"] } ?? ProcFile.names(in: proc + "/asound", beginning: "card")
    var found: [DeviceHolder] = []
    for card in cards {
      let folder = "\(proc)/asound/\(card)"
      for pcm in ProcFile.names(in: folder, beginning: "pcm") where pcm.hasSuffix(letter) {
        if let address, pcm != "pcm\(address.device)\(letter)" { continue }
        for part in ProcFile.names(in: "\(folder)/\(pcm)", beginning: "sub") {
          let status = ProcFile("\(folder)/\(pcm)/\(part)/status")
          guard let owner = status?.number("owner_pid") else { continue }
          let holder = DeviceHolder(thread: owner, proc: proc)
          if !found.contains(holder) { found.append(holder) }
        }
      }
    }
    return address != nil || found.count == 1 ? found.first : nil
  }

  package init(program: String, process: Int) {
    self.program = program
    self.process = process
  }

  /// The process that a thread belongs to.
  private init(thread: Int, proc: String) {
    let process = ProcFile("\(proc)/\(thread)/status")?.number("Tgid") ?? thread
    let program = ProcFile("\(proc)/\(process)/status")?["Name"]
    self.init(program: program ?? "a program unknown", process: process)
  }

  /// The message about a busy device.
  static func sentence(_ holder: DeviceHolder?) -> String {
    let others = "close it, or choose another device"
    guard let holder else { return "the device is busy: another program has it open; \(others)" }
    let who = "the device is busy: \(holder.program) (process \(holder.process)) has it open; "
    switch holder.program {
    case "pipewire", "wireplumber":
      return who
        + "play through it with the device pipewire, or set the card's profile to off (pactl, pavucontrol)"
    case "pulseaudio":
      return who + "play through it with the device pulse, or begin the command with: pasuspender --"
    case "jackd", "jackdbus":
      return who + "play through it with the device jack, or end it"
    case _:
      return who + others
    }
  }
}
