// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Testing
import VirtualCards

/// Requests to a device against its setup, on cards with few capabilities.
@Suite("Devices: negotiation")
struct DeviceNegotiationTests {
  private func card(_ change: (inout CardSettings.Stream) -> Void = { _ in }) throws -> VirtualCard {
    try VirtualCard(CardSettings(change: change))
  }

  private func request(
    rate: Int = 48000, channels: Int = 2, format: DeviceFormat? = nil, period: Int = 4096,
    isMapped: Bool = false, isPlanar: Bool? = nil
  ) -> DeviceRequest {
    var request = DeviceRequest(rate: rate, channels: channels)
    (request.format, request.period, request.isMapped, request.isPlanar) = (
      format, period, isMapped, isPlanar
    )
    return request
  }

  private func setUp(
    _ card: VirtualCard, _ request: DeviceRequest, _ direction: DeviceDirection = .playback
  ) throws -> DeviceSetup {
    var handle = try DeviceHandle(opening: card.name, direction)
    return try handle.setUp(request)
  }

  /// The message of a refusal, after the device's name and direction.
  private func refusal(_ card: VirtualCard, _ request: DeviceRequest) throws -> String {
    do {
      let setup = try setUp(card, request)
      return "\(setup)"
    } catch let error as DeviceError {
      let place = "\(card.name) (playback): "
      #expect(error.description.hasPrefix(place) && !error.description.contains("\n"))
      return String(error.description.dropFirst(place.count))
    }
  }

  @Test("a card of very many channels only, and numbers that no device has")
  func extremes() throws {
    let card = try card { $0.channels = .range(200...200) }
    #expect(try DeviceCapabilities(of: card.name, .playback).channels == [200...200])
    #expect(try setUp(card, request(channels: 2)).channels == 200)
    for (rate, channels, period) in [
      (1 << 40, 2, 4096), (48000, 1 << 40, 4096), (48000, 2, -1), (48000, 2, 1 << 60),
    ] {
      let line = try refusal(card, request(rate: rate, channels: channels, period: period))
      #expect(line == "no device has \(rate) Hz, \(channels) channels and 4 periods of \(period) frames")
    }
  }

  @Test(
    "each format and access, both directions: exactly what was asked for, and the card says the same",
    arguments: DeviceFormat.allCases)
  func exact(_ format: DeviceFormat) throws {
    for direction in DeviceDirection.allCases {
      for (isMapped, isPlanar) in [(false, false), (false, true), (true, false), (true, true)] {
        let card = try card()
        let setup = try setUp(
          card, request(format: format, isMapped: isMapped, isPlanar: isPlanar), direction)
        let access = DeviceAccess(isMapped: isMapped, isPlanar: isPlanar)
        #expect(
          setup.rate == 48000 && setup.channels == 2 && setup.format == format && setup.access == access)
        #expect(setup.period == 4096 && setup.buffer == 16384 && setup.notices.isEmpty)
        let event = try #require(try card.log.last { $0.action == "set" })
        #expect(event.stream.rawValue == direction.rawValue)
        #expect(event.details.hasPrefix("\(format.name)"), "\(event)")
        #expect(event.details.split(separator: " ").dropFirst().first == "2", "\(event)")
      }
    }
  }

  @Test("without a format: the best that the device has")
  func bestFormat() throws {
    let cases: [([CardFormat], DeviceFormat)] = [
      ([.integer16, .float], .float), ([.integer16, .integer24, .integer32], .int32),
      ([.integer16, .integer24, .packed24], .int24Packed), ([.integer16, .integer24], .int24),
      ([.unsigned8, .integer16], .int16),
    ]
    for (formats, best) in cases {
      #expect(try setUp(card { $0.formats = formats }, request()).format == best)
    }
  }

  @Test("a format that the device has not: the line says which it has")
  func formats() throws {
    let card = try card { $0.formats = [.integer16, .integer32] }
    #expect(
      try refusal(card, request(format: .float)) == "no FLOAT is possible; the device has S32 and S16")
    let other = try self.card { $0.formats = [.unsigned8] }
    #expect(
      try refusal(other, request())
        == "the device has no format of FLOAT, S32, S24_3, S24 or S16, little endian")
  }

  @Test("alsa-lib converts only where the name asks for it")
  func plug() throws {
    let card = try card { $0.formats = [.integer16] }
    #expect(try refusal(card, request(format: .float)) == "no FLOAT is possible; the device has S16")
    var handle = try DeviceHandle(opening: "plug:'\(card.name)'", .playback)
    #expect(try handle.setUp(request(format: .float)).format == .float)
    #expect(try card.log.last { $0.action == "set" }?.details.hasPrefix("S16_LE") == true)
  }

  @Test("a rate that the device has not: none that is near, but a line with those that it has")
  func rates() throws {
    let two = try card { $0.rates = [48000, 96000] }
    #expect(
      try refusal(two, request(rate: 44100)) == "44100 Hz is not possible; the device has 48000 and 96000 Hz")
    #expect(try setUp(two, request(rate: 96000)).rate == 96000)
    let one = try card { $0.rates = 47999 }
    #expect(try refusal(one, request()) == "48000 Hz is not possible; the device has 47999 Hz")
    let range = try card { $0.rates = .range(8000...48000) }
    #expect(
      try refusal(range, request(rate: 192_000))
        == "192000 Hz is not possible; the device has any rate from 8000 to 48000 Hz")
    #expect(try setUp(range, request(rate: 12345)).rate == 12345)
  }

  @Test("channels: as many as asked for, or as few more as there are; never fewer")
  func channels() throws {
    let some = try card { $0.channels = [2, 4, 8] }
    for (wanted, expected) in [(1, 2), (2, 2), (3, 4), (4, 4), (5, 8), (8, 8)] {
      #expect(try setUp(some, request(channels: wanted)).channels == expected)
    }
    #expect(
      try refusal(some, request(channels: 9)) == "9 channels are too many; the device has 2, 4 or 8 channels")
    let mono = try card { $0.channels = 1 }
    #expect(try refusal(mono, request()) == "2 channels are too many; the device has 1 channel")
  }

  @Test("a period or a buffer that the device has not: the nearest, and a line")
  func periods() throws {
    // S16, 2 channels: 4 bytes a frame.
    let card = try card {
      $0.formats = [.integer16]
      $0.periodBytes = .range(1024...8192)
      $0.bufferBytes = .range(2048...16384)
    }
    let large = try setUp(card, request(period: 4096))
    #expect(large.period == 2048 && large.buffer == 4096)
    #expect(
      large.notices.map { $0.dropFirst(card.name.count) } == [
        " (playback): periods of 2048 frames, not 4096: the device has 256 to 2048",
        " (playback): a buffer of 4096 frames, not 8192: with this period the device has 4096",
      ])
    let exact = try setUp(card, request(period: 512))
    #expect(exact.period == 512 && exact.buffer == 2048 && exact.notices.isEmpty)
    #expect(try setUp(card, request(period: 16)).period == 256)
  }

  @Test("access: planar where the device has nothing else, unless it is asked for otherwise")
  func access() throws {
    let card = try card { $0.access = [.planar, .mappedPlanar] }
    #expect(try setUp(card, request()).access == DeviceAccess(isMapped: false, isPlanar: true))
    #expect(try setUp(card, request(isMapped: true)).access == DeviceAccess(isMapped: true, isPlanar: true))
    #expect(
      try refusal(card, request(isPlanar: false))
        == "no interleaved access is possible; the device has planar, mapped planar")
  }

  @Test("a busy device, and one that is not there, are errors when they are opened")
  func opening() throws {
    let busy = try card { $0.busy = 1 }
    #expect(try refusal(busy, request()).hasPrefix("the device is busy: another program has it open; "))
    #expect(try setUp(busy, request()).rate == 48000)
    let gone = try VirtualCard(CardSettings(.both(at: 0, .unplug(absences: nil))))
    let handle = try? DeviceHandle(opening: gone.name + "x", .capture)
    let isOpen = handle != nil
    #expect(!isOpen)
  }

  @Test("what a device can do is what its card knows")
  func capabilities() throws {
    let card = try card {
      $0.rates = [44100, 48000]
      $0.formats = [.integer16, .packed24]
      $0.channels = [1, 2, 6]
      $0.access = [.interleaved, .mappedPlanar]
      $0.periodBytes = .range(256...4096)
    }
    let able = try DeviceCapabilities(of: card.name, .capture)
    #expect(able.commonRates == [44100, 48000] && able.rateRange == 44100...48000 && !able.hasAnyRate)
    #expect(able.formats == [.int24Packed, .int16] && able.channels == [1...2, 6...6])
    #expect(
      able.accesses == [
        DeviceAccess(isMapped: false, isPlanar: false), DeviceAccess(isMapped: true, isPlanar: true),
      ])
    #expect(able.ratesText == "44100 and 48000 Hz" && able.channelsText == "1 to 2 or 6 channels")
  }
}
