// SPDX-License-Identifier: Apache-2.0

internal import CALSA
internal import CALSAMessages
internal import CDeviceCalls
internal import Glibc

/// A port that other programs and devices can send MIDI to, as long as it lives: `aconnect` shows it as `Legato`.
///
///     keyboard ─▶ ALSA's sequencer ─▶ port ─▶ descriptors become readable ─▶ next()
///
/// It belongs to the thread that controls; the one that plays never sees it.
@safe package final class MIDIPort {
  private let sequencer: OpaquePointer
  private let port: Int32
  /// Become readable when something came.
  package let descriptors: [Int32]
  /// The number of times that the system threw events away, because more came than were taken.
  package private(set) var losses = 0

  /// - Parameter name: what others see it as.
  package init(named name: String) throws(MIDIError) {
    CALSAKeepMessages()
    CALSAForgetMessages()
    var opened: OpaquePointer?
    let code = unsafe snd_seq_open(&opened, "default", SND_SEQ_OPEN_DUPLEX, SND_SEQ_NONBLOCK)
    guard code >= 0, let sequencer = unsafe opened else { throw Self.error(opening: code) }
    unsafe snd_seq_set_client_name(sequencer, name)
    let port = unsafe snd_seq_create_simple_port(
      sequencer, name, UInt32(SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE),
      UInt32(SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_APPLICATION))
    guard port >= 0 else {
      unsafe snd_seq_close(sequencer)
      throw MIDIError(place: "midi", problem: .system("no port can be made: \(ALSAText.reason(port))"))
    }
    let count = unsafe snd_seq_poll_descriptors_count(sequencer, Int16(POLLIN))
    var polled = [pollfd](repeating: pollfd(), count: Int(max(0, count)))
    unsafe snd_seq_poll_descriptors(sequencer, &polled, UInt32(polled.count), Int16(POLLIN))
    descriptors = polled.map(\.fd)
    unsafe self.sequencer = unsafe sequencer
    self.port = port
  }

  deinit { unsafe _ = snd_seq_close(sequencer) }

  /// Its address, such as `128:0`.
  package var address: String { "\(unsafe snd_seq_client_id(sequencer)):\(port)" }

  /// Lets a port send to this one.
  ///
  /// - Parameter source: an address, such as `20:0`, or a client's name, or its beginning, and a port: `nanoKONTROL:0`.
  package func connect(from source: String) throws(MIDIError) {
    CALSAForgetMessages()
    var address = snd_seq_addr_t()
    guard unsafe snd_seq_parse_address(sequencer, &address, source) >= 0 else {
      throw MIDIError(place: source, problem: .unknown(known: sources))
    }
    let code = unsafe snd_seq_connect_from(sequencer, port, Int32(address.client), Int32(address.port))
    // It may be connected already.
    guard code < 0, code != -EBUSY else { return }
    let isUnknown = [-ENOENT, -EINVAL, -ENXIO, -ENODEV].contains(code)
    throw MIDIError(
      place: source,
      problem: isUnknown ? .unknown(known: sources) : .system("cannot be connected: \(ALSAText.reason(code))")
    )
  }

  /// The next thing that came; nil where nothing more is there.
  package func next() -> MIDIEvent? {
    while true {
      var event: UnsafeMutablePointer<snd_seq_event_t>?
      let code = unsafe snd_seq_event_input(sequencer, &event)
      // Events were lost; those after them are there.
      if code == -ENOSPC {
        losses += 1
        continue
      }
      guard code >= 0, let event = unsafe event else { return nil }
      if let meant = unsafe MIDIEvent(event.pointee) { return meant }
    }
  }

  /// The ports that send, as `connect` and people call them, such as `20:0 nanoKONTROL2`.
  private var sources: [String] {
    var client: OpaquePointer?
    var info: OpaquePointer?
    guard unsafe snd_seq_client_info_malloc(&client) >= 0, unsafe snd_seq_port_info_malloc(&info) >= 0 else {
      return []
    }
    defer {
      unsafe snd_seq_client_info_free(client)
      unsafe snd_seq_port_info_free(info)
    }
    var found: [String] = []
    unsafe snd_seq_client_info_set_client(client, -1)
    while unsafe snd_seq_query_next_client(sequencer, client) >= 0 {
      let number = unsafe snd_seq_client_info_get_client(client)
      unsafe snd_seq_port_info_set_client(info, number)
      unsafe snd_seq_port_info_set_port(info, -1)
      while unsafe snd_seq_query_next_port(sequencer, info) >= 0 {
        let wanted = UInt32(SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ)
        guard unsafe snd_seq_port_info_get_capability(info) & wanted == wanted else { continue }
        let name = unsafe ALSAText.line(String(cString: snd_seq_port_info_get_name(info)))
        found.append("\(number):\(unsafe snd_seq_port_info_get_port(info)) \(name)")
      }
    }
    return found
  }

  private static func error(opening code: Int32) -> MIDIError {
    switch -code {
    case ENOENT, ENODEV, ENXIO: MIDIError(place: "midi", problem: .noSequencer)
    case EACCES, EPERM: MIDIError(place: "midi", problem: .noPermission)
    case _:
      MIDIError(
        place: "midi", problem: .system("the sequencer cannot be opened: \(ALSAText.reason(code))"))
    }
  }
}
