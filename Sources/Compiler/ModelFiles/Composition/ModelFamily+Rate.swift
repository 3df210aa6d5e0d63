// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The one rate that models which belong together are for.
///
///     amplifier.json  "sampleRate": 48000 ─▶ cabinet.json  states none       48000, which amplifier.json states
///     amplifier.json  "sampleRate": 48000 ─▶ cabinet.json  states 44100      refused
extension ModelFamily {
  /// A rate, and who states it.
  package struct RateStatement: Sendable {
    package let hertz: Int
    package let file: String
    package let place: Place
    let member: Int
  }

  /// Everybody who states a rate: the models that follow one another, then those that they use.
  private var rateStatements: [RateStatement] {
    let order = stages + members.indices.filter { !stages.contains($0) }
    return order.compactMap { member in
      let document = members[member].document
      return document.sampleRate.map {
        RateStatement(hertz: $0.hertz, file: document.file, place: $0.place, member: member)
      }
    }
  }

  /// The rate that the models are for, as the first of them states it; nil where they are for any.
  package var rateStatement: RateStatement? { rateStatements.first }

  /// Statements that are not those of the first one, and what is wrong with them.
  func rateMistakes(users: [Int: String]) -> [Mistake] {
    guard let first = rateStatement else { return [] }
    return rateStatements.filter { $0.hertz != first.hertz }.map { other in
      let (own, its) = (members[other.member].document.name, members[first.member].document.name)
      return Mistake(
        message: "\(quoted(own)) is for \(other.hertz) Hz, and \(quoted(its)) for \(first.hertz) Hz "
          + "(\(printable(first.file)):\(first.place.line):\(first.place.column)); models of one rate go together, "
          + "and one that states none works at any",
        place: other.place.inFile(file(of: other.member)), user: users[other.member])
    }
  }

  /// The rate to compile for, where one is asked for or none.
  func sampleRate(asked rate: Double?) throws(Diagnostics) -> Double {
    guard let stated = rateStatement else { return rate ?? 48_000 }
    guard rate ?? Double(stated.hertz) == Double(stated.hertz) else {
      throw Diagnostics([
        Diagnostic(
          file: stated.file, place: stated.place,
          message:
            "the model is for \(stated.hertz) Hz, and \(written(rate ?? 0)) Hz are asked for; ask for none, "
            + "and resample the sound")
      ])
    }
    return Double(stated.hertz)
  }
}
