// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR

extension Subcommand {
  static let devices = Subcommand(
    name: "devices", operands: "[DEVICE…]",
    summary: "lists the sound devices, and what they can do",
    explanation: """
      A line for each direction: the formats of samples, the rates, the numbers of channels, and the frames of a period,
      as the device itself has them, without conversion. A device that cannot be opened is listed with the reason.

      Without operands: the devices that ALSA's configuration names, and those of each card. Any other name that ALSA
      knows can be asked for, such as plughw:0, which converts. Devices are opened for a moment, and play nothing.
      """,
    example: "legato devices default hw:0", options: [.json]
  ) { arguments, console in
    if arguments.operands.isEmpty {
      let rows = try DeviceCatalog.entries().map(DeviceRow.init)
      try console.print(arguments.has(.json) ? json(rows) : console.text(rows))
      if rows.isEmpty {
        console.notice(
          "devices: there are none: ALSA finds no card, and its configuration names no other device")
      }
      return
    }
    guard !arguments.operands.contains("") else { throw Failure.usage("DEVICE is empty; see --help") }
    let known = (try? DeviceCatalog.entries()) ?? []
    let rows = arguments.operands.map { name in
      DeviceRow(
        known.first { $0.name == name }
          ?? DeviceCatalog.Entry(name: name, description: "", directions: DeviceDirection.allCases))
    }
    let usable = rows.filter(\.isUsable)
    if !usable.isEmpty { try console.print(arguments.has(.json) ? json(usable) : console.text(usable)) }
    let lines = rows.filter { !$0.isUsable }.map { $0.refusal(among: known.map(\.name)) }
    if !lines.isEmpty { throw Failure.absent(lines) }
  }
}
