// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment

/// A sound card without hardware: what it captures and how it fails is set, what was played to it is read back.
///
///     let card = try VirtualCard(CardSettings(.capture(at: 48000, .xrun)) { $0.rates = 48000 })
///     snd_pcm_open(…, card.name, …)            in this process
///     run("legato live …", card.environment)   in another: devices `cap`, `play`, `duplex`
///     card.log, card.played
///
/// A folder holds it, which is deleted with it. `Card/Card.h` says how it behaves; it is no daemon and needs no rights.
package final class VirtualCard {
  private let folder: TemporaryFolder
  private let library: CardLibrary

  package init(_ settings: CardSettings = CardSettings()) throws {
    library = try CardLibrary.here.get()
    folder = try TemporaryFolder()
    try folder.make("card", settings.text(source: folder("source")))
    try folder.make("source", settings.sourceBytes)
    try folder.make("asound.conf", library.configuration + definitions)
  }

  /// Replaces the text of the settings; only a card that was not opened yet reads it.
  package func describe(_ text: String) throws { try folder.make("card", text) }

  /// The device's name in every process that finds virtual cards.
  package var name: String { "legato:\(folder.path)" }

  /// Lets a program that is started find the card, by its name or as `cap`, `play` and `duplex`, and no other.
  package var environment: [String: String] { ["ALSA_CONFIG_PATH": folder("asound.conf")] }

  private var definitions: String {
    func device(_ name: String, _ description: String, only: CardStream?) -> String {
      """
      pcm.\(name) {
        type legatocard
        folder "\(folder.path)"
        \(only.map { "only \($0.rawValue)" } ?? "")
        hint { show on description "\(description)" }
      }

      """
    }
    return device("cap", "Legato's virtual microphone", only: .capture)
      + device("play", "Legato's virtual speaker", only: .playback)
      + device("duplex", "Legato's virtual card", only: nil)
  }

  /// The program's actions and the faults so far, in order.
  package var log: [CardEvent] {
    get throws {
      let text = String(decoding: try bytes("log"), as: UTF8.self)
      return text.split(separator: "\n").compactMap { CardEvent($0) }
    }
  }

  /// The positions at which it played, without the sound.
  package var playedRuns: [Range<Int>] { get throws { PlayedSound([], log: try log).runs } }

  /// The sound that was played so far.
  package var played: PlayedSound { get throws { PlayedSound(try bytes("played"), log: try log) } }

  /// A file that is not there is empty: the program did not come so far.
  private func bytes(_ name: String) throws -> [UInt8] {
    FileManager.default.fileExists(atPath: folder(name)) ? try folder.bytes(name) : []
  }
}
