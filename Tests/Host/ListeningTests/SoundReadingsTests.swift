// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import Listening
import TestEquipment
import Testing
import VirtualCards

/// Sound as readings, against the sine that it is.
@Suite struct SoundReadingsTests {
  private let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private func sine(_ hertz: Double, rate: Int, seconds: Double) -> [Float] {
    (0..<Int(seconds * Double(rate))).map {
      Float(0.5 * sin(2 * Double.pi * hertz * Double($0) / Double(rate)))
    }
  }

  private func all(_ source: any ReadingSource) throws -> [Float] {
    var numbers: [Float] = []
    while true {
      switch try source.next() {
      case .readings(let more, _): numbers += more
      case .nothing: break
      case .ended: return numbers
      case .gap, .recording: Issue.record("a sound has neither")
      }
    }
  }

  @Test(arguments: [16_000, 48_000, 22_050]) func channelsAreMixedAndTheRateIsChanged(rate: Int) throws {
    let own = sine(440, rate: rate, seconds: 1)
    let path = try place.make("a.wav", WaveBytes(rate: rate, [own, own.map { -0.5 * $0 }]).bytes)
    let heard = try all(SoundFileReadings(path, rate: 16_000))
    #expect(heard.count == 16_000)
    let expected = sine(440, rate: 16_000, seconds: 1).map { $0 / 4 }
    let worst = zip(heard, expected).dropFirst(200).dropLast(200).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 1e-4, "\(worst)")
    #expect(try all(SoundFileReadings(path, rate: 16_000, seconds: 0.25)) == Array(heard[..<4000]))
  }

  @Test func whatIsNoSoundSaysSo() throws {
    func error(_ path: String) -> ListeningError? {
      do throws(ListeningError) {
        _ = try SoundFileReadings(path, rate: 16_000)
        return nil
      } catch { return error }
    }
    guard case .absent? = error(place("none.wav")) else { return #expect(Bool(false), "absent") }
    guard case .data? = error(try place.make("a.wav", Array("no sound".utf8))) else {
      return #expect(Bool(false), "at fault")
    }
    // Whether or not it is resampled, which would make silence of it.
    for (rate, odd) in [(8000, Float.nan), (16_000, .infinity), (48_000, -.infinity)] {
      let calm = [Float](repeating: 0, count: 9000)
      let bad = try place.make(
        "nan.wav", WaveBytes(rate: rate, [calm, calm.enumerated().map { $0.offset == 8500 ? odd : 0 }]).bytes)
      let thrown = #expect(throws: ListeningError.self) { try all(SoundFileReadings(bad, rate: 16_000)) }
      #expect(thrown?.description == "\(bad): damaged: frame 8500 of channel 2 is no finite number")
    }
  }

  @Test(arguments: [Double.nan, .infinity, -1, 1e300]) func secondsAreANumber(seconds: Double) throws {
    let path = try place.make("a.wav", WaveBytes(rate: 8000, [[0, 0, 0, 0]]).bytes)
    let file = #expect(throws: ListeningError.self) {
      _ = try SoundFileReadings(path, rate: 8000, seconds: seconds)
    }
    #expect(file?.description == "\(path): cannot be heard for \(seconds) seconds")
    #expect(throws: ListeningError.self) {
      _ = try SoundDeviceReadings("hw:97", rate: 8000, seconds: seconds)
    }
  }

  @Test(arguments: [0, -5]) func aRateIsOneOrMore(rate: Int) throws {
    let path = try place.make("a.wav", WaveBytes(rate: 8000, [[0, 0, 0, 0]]).bytes)
    for seconds in [nil, 1.0] {
      #expect(throws: ListeningError.self) { _ = try SoundFileReadings(path, rate: rate, seconds: seconds) }
      #expect(throws: ListeningError.self) {
        _ = try SoundDeviceReadings("hw:97", rate: rate, seconds: seconds)
      }
    }
  }

  /// A card that has 48 kHz only.
  private func card(_ samples: [Float], _ script: ScriptedFault...) throws -> VirtualCard {
    var settings = CardSettings {
      $0.rates = 48_000
      $0.formats = [.float]
    }
    settings.script = script
    settings.source = .samples([samples.map(Double.init)])
    return try VirtualCard(settings)
  }

  @Test func aDeviceIsHeardAtTheRateOfTheModel() throws {
    let card = try card(sine(1000, rate: 48_000, seconds: 2))
    let source = try SoundDeviceReadings(card.name, rate: 16_000, seconds: 1)
    let heard = try all(source)
    #expect(heard.count == 16_000 && source.framesLost == 0)
    let share = 1 / Float(heard.map { abs($0) }.max() ?? 1)
    #expect(share < 100, "it hears something")
  }

  @Test func aDeviceThatIsNotThereOrGoesIsAbsent() throws {
    let error = #expect(throws: ListeningError.self) { _ = try SoundDeviceReadings("hw:97", rate: 16_000) }
    guard case .absent(let text)? = error else { return #expect(Bool(false)) }
    #expect(text.contains("hw:97 (capture)") && text.contains("legato devices"))
    let card = try card(sine(1000, rate: 48_000, seconds: 2), .capture(at: 9_600, .unplug(absences: nil)))
    let gone = #expect(throws: ListeningError.self) { try all(SoundDeviceReadings(card.name, rate: 16_000)) }
    #expect(gone?.description.contains("the device is gone") == true)
  }
}
