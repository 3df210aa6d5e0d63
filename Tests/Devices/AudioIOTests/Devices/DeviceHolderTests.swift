// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Devices: who holds a busy one")
struct DeviceHolderTests {
  /// A folder like the kernel's `/proc`: cards PCH (0) and USB (2), devices 0 and 3.
  private struct Proc {
    let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      try write("asound/card0/id", "PCH\n")
      try write("asound/card2/id", "USB\n")
      for card in [0, 2] {
        for pcm in ["pcm0p", "pcm0c", "pcm3p"] {
          try write("asound/card\(card)/\(pcm)/sub0/status", "closed\n")
        }
      }
    }

    func write(_ path: String, _ text: String) throws {
      let url = URL(fileURLWithPath: folder(path))
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }

    func hold(_ pcm: String, by thread: Int) throws {
      try write(
        "asound/\(pcm)/status",
        "state: RUNNING\nowner_pid   : \(thread)\ntrigger_time: 12.5\ntstamp      : 0.000000000\n")
    }

    func run(_ program: String, process: Int, thread: Int? = nil) throws {
      for each in [process, thread ?? process] {
        try write("\(each)/status", "Name:\t\(program)\nUmask:\t0022\nTgid:\t\(process)\nPid:\t\(each)\n")
      }
    }

    func holder(of device: String, _ direction: DeviceDirection = .playback) -> DeviceHolder? {
      DeviceHolder.find(of: device, direction, proc: folder.path)
    }
  }

  @Test("by the card's number or name, by device and direction; a thread stands for its process")
  func found() throws {
    let proc = try Proc()
    try proc.hold("card2/pcm0p/sub0", by: 4711)
    try proc.run("pipewire", process: 4700, thread: 4711)
    try proc.hold("card2/pcm3p/sub0", by: 50)
    try proc.run("sox", process: 50)
    let pipewire = DeviceHolder(program: "pipewire", process: 4700)
    for name in ["hw:2", "hw:2,0", "plughw:USB", "hw:CARD=USB,DEV=0", "hw:USB,0,0", "front:CARD=USB"] {
      #expect(proc.holder(of: name) == pipewire, "\(name)")
    }
    #expect(proc.holder(of: "hw:USB,3") == DeviceHolder(program: "sox", process: 50))
    for name in ["hw:0", "hw:PCH,3", "hw:2,1"] { #expect(proc.holder(of: name) == nil, "\(name)") }
    #expect(proc.holder(of: "hw:2", .capture) == nil)
  }

  @Test("a name without a card: only where one program holds all that is held")
  func unnamed() throws {
    let proc = try Proc()
    #expect(proc.holder(of: "default") == nil)
    try proc.hold("card2/pcm0p/sub0", by: 50)
    try proc.hold("card0/pcm3p/sub0", by: 50)
    try proc.run("sox", process: 50)
    #expect(proc.holder(of: "default") == DeviceHolder(program: "sox", process: 50))
    try proc.hold("card0/pcm0p/sub0", by: 51)
    try proc.run("mpv", process: 51)
    #expect(proc.holder(of: "default") == nil)
  }

  @Test("a program that has ended, and no kernel sound at all")
  func gone() throws {
    let proc = try Proc()
    try proc.hold("card0/pcm0p/sub0", by: 99)
    #expect(proc.holder(of: "hw:0")?.process == 99)
    #expect(DeviceHolder.find(of: "hw:0", .playback, proc: proc.folder("nowhere")) == nil)
  }

  @Test(
    "the line names the program and what to do",
    arguments: [
      ("pipewire", "play through it with the device pipewire"), ("pulseaudio", "pasuspender --"),
      ("jackd", "device jack"), ("sox", "close it, or choose another device"),
    ])
  func sentence(_ program: String, _ remedy: String) {
    let holder = DeviceHolder(program: program, process: 7)
    let line = DeviceError("hw:0", .playback, .busy(holder)).description
    #expect(line.hasPrefix("hw:0 (playback): the device is busy: \(program) (process 7) has it open; "))
    #expect(line.contains(remedy) && !line.contains("\n"))
    let unknown = DeviceError("hw:0", .capture, .busy(nil)).description
    #expect(
      unknown
        == "hw:0 (capture): the device is busy: another program has it open; close it, or choose another device"
    )
  }
}
