// SPDX-License-Identifier: Apache-2.0

extension Verification {
  /// One line of the certificate: what is promised or stated, and what was seen.
  package struct Finding: Hashable, Sendable {
    /// How it is known.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      /// Read from the code and the plan: it holds for any input.
      case proved
      /// Tried on signals: it held for them.
      case tried
      /// Timed on one machine, once. It promises nothing, and so it never fails.
      case measured
    }

    package enum Outcome: String, Hashable, Sendable {
      case holds
      case broken
      /// The model has nothing that the promise is about.
      case idle
      /// A figure, which is no promise.
      case stated
    }

    package var kind: Kind
    package var name: String
    package var outcome: Outcome
    /// The finding in words, for people.
    package var sentence: String
    /// The same for programs: numbers by names that end in their unit, where they have one.
    package var figures: [String: Figure]

    init(
      _ kind: Kind, _ name: String, _ outcome: Outcome, _ sentence: String, _ figures: [String: Figure] = [:]
    ) {
      self.kind = kind
      self.name = name
      self.outcome = outcome
      self.sentence = sentence
      self.figures = figures
    }
  }

  /// A number of a finding, or names.
  package enum Figure: Hashable, Sendable {
    case count(Int)
    case number(Double)
    case names([String])
  }
}

extension Verification.Figure: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .count(let count): try container.encode(count)
    // JSON has no word for what is not finite.
    case .number(let number):
      if number.isFinite { try container.encode(number) } else { try container.encodeNil() }
    case .names(let names): try container.encode(names)
    }
  }
}
