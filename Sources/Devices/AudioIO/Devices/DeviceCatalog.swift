// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CALSAMessages
internal import Glibc

/// The devices that there are.
package enum DeviceCatalog {
  /// A device, and the directions that it is said to have.
  package struct Entry: Equatable, Sendable {
    package let name: String
    /// One line; empty where nothing is said.
    package let description: String
    package let directions: [DeviceDirection]

    package init(name: String, description: String, directions: [DeviceDirection]) {
      self.name = name
      self.description = description
      self.directions = directions
    }
  }

  /// The devices that the system's configuration names, `default` first, then those of each card as
  /// `hw:CARD=PCH,DEV=0`.
  ///
  /// Left out is what is no device of its own: the many other names that the configuration has for each card, and
  /// converters, which are used by name. What cannot be opened stands in the list all the same.
  package static func entries() throws(DeviceError) -> [Entry] {
    CALSAKeepMessages()
    CALSAForgetMessages()
    let named = try hints()
    return named.filter { $0.name == "default" } + named.filter { $0.name != "default" } + cards()
  }

  private static let converters: Set = [
    "null", "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix", "oss",
  ]

  private static func hints() throws(DeviceError) -> [Entry] {
    var table: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    let code = unsafe snd_device_name_hint(-1, "pcm", &table)
    guard code >= 0, let table = unsafe table else {
      // The configuration itself is broken: no device has a name.
      throw DeviceError(
        "ALSA", nil, .system("the configuration cannot be read: \(ALSAText.reasonInFile(code))"))
    }
    defer { unsafe _ = snd_device_name_free_hint(table) }
    var entries: [Entry] = []
    var row = unsafe table
    while let hint = unsafe row.pointee {
      unsafe row += 1
      guard let name = unsafe text(hint, "NAME"), !converters.contains(name), !name.contains(":CARD=") else {
        continue
      }
      let directions: [DeviceDirection] =
        switch unsafe text(hint, "IOID") {
        case "Input": [.capture]
        case "Output": [.playback]
        case _: [.capture, .playback]
        }
      let description = unsafe ALSAText.line(text(hint, "DESC") ?? "")
      entries.append(Entry(name: name, description: description, directions: directions))
    }
    return entries
  }

  private static func text(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
    guard let value = unsafe snd_device_name_get_hint(hint, key) else { return nil }
    defer { unsafe free(value) }
    return unsafe String(cString: value)
  }

  private static func cards() -> [Entry] {
    var entries: [Entry] = []
    var card: Int32 = -1
    while unsafe snd_card_next(&card) >= 0, card >= 0 { entries += devices(ofCard: card) }
    return entries
  }

  /// A card whose controls cannot be opened has no devices for us either.
  private static func devices(ofCard card: Int32) -> [Entry] {
    var opened: OpaquePointer?
    guard unsafe snd_ctl_open(&opened, "hw:\(card)", 0) >= 0, let control = unsafe opened else { return [] }
    defer { unsafe _ = snd_ctl_close(control) }
    var cardInfo: OpaquePointer?
    var info: OpaquePointer?
    guard unsafe snd_ctl_card_info_malloc(&cardInfo) >= 0, let cardInfo = unsafe cardInfo else { return [] }
    defer { unsafe snd_ctl_card_info_free(cardInfo) }
    guard unsafe snd_ctl_card_info(control, cardInfo) >= 0 else { return [] }
    guard unsafe snd_pcm_info_malloc(&info) >= 0, let info = unsafe info else { return [] }
    defer { unsafe snd_pcm_info_free(info) }

    let id = unsafe String(cString: snd_ctl_card_info_get_id(cardInfo))
    let cardName = unsafe String(cString: snd_ctl_card_info_get_name(cardInfo))
    var entries: [Entry] = []
    var device: Int32 = -1
    while unsafe snd_ctl_pcm_next_device(control, &device) >= 0, device >= 0 {
      var directions: [DeviceDirection] = []
      var name = ""
      for direction in DeviceDirection.allCases {
        unsafe snd_pcm_info_set_device(info, UInt32(device))
        unsafe snd_pcm_info_set_subdevice(info, 0)
        unsafe snd_pcm_info_set_stream(info, direction.stream)
        guard unsafe snd_ctl_pcm_info(control, info) >= 0 else { continue }
        directions.append(direction)
        name = unsafe String(cString: snd_pcm_info_get_name(info))
      }
      let description = ALSAText.line(name.isEmpty ? cardName : "\(cardName), \(name)")
      entries.append(
        Entry(name: "hw:CARD=\(id),DEV=\(device)", description: description, directions: directions))
    }
    return entries
  }
}
