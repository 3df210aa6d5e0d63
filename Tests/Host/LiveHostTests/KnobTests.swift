// SPDX-License-Identifier: Apache-2.0

import TestEquipment
import Testing

@testable import LiveHost

@Suite("Parameters as knobs")
struct KnobTests {
  private static let knobs = [
    Knob(name: "a", range: 0...1, initial: 1), Knob(name: "b", range: 0.1...20, initial: 1),
    Knob(name: "c", range: 1...256, initial: 8, isLogarithmic: true),
    Knob(name: "d", range: -60...12, initial: 0),
    Knob(name: "e", range: 20...20000, initial: 440, isLogarithmic: true),
    Knob(name: "f", range: 0...1e-9, initial: 0), Knob(name: "g", range: -1e38...1e38, initial: 0),
    Knob(name: "h", range: 1...Float(1).nextUp, initial: 1),
    Knob(name: "i", range: 1e-37...3e38, initial: 1, isLogarithmic: true),
    Knob(name: "j", range: 16_777_216...16_777_226, initial: 16_777_216),
    Knob(name: "k", range: 1...1.001, initial: 1, isLogarithmic: true),
  ]

  @Test("turning goes on from end to end, and comes back", arguments: Self.knobs.indices)
  func turning(_ index: Int) {
    let knob = Self.knobs[index]
    for step in [Knob.Step.fine, .usual, .coarse] {
      var values = [knob.range.lowerBound]
      while let last = values.last, last < knob.range.upperBound, values.count < 2000 {
        let next = knob.turned(from: last, up: true, step)
        #expect(next > last && knob.range.contains(next), "\(knob.name) \(step) \(last)")
        guard next > last else { break }
        values.append(next)
      }
      #expect(values.last == knob.range.upperBound)
      #expect(values.count <= 2 * step.count + 2)
      #expect(knob.turned(from: knob.range.upperBound, up: true, step) == knob.range.upperBound)
      // Back the same way, apart from the ends, which need not lie on the grid.
      for (value, next) in zip(values.dropFirst(), values.dropFirst(2).dropLast()) {
        #expect(knob.turned(from: next, up: false, step) == value, "\(knob.name) \(step) \(next)")
      }
    }
  }

  @Test("values of few digits")
  func digits() {
    func up(_ index: Int, _ value: Float, _ step: Knob.Step = .usual) -> Float {
      Self.knobs[index].turned(from: value, up: true, step)
    }
    #expect(up(0, 0) == 0.02)
    #expect(up(0, 0.02, .fine) == 0.022)
    #expect(up(1, 0.1) == 0.5)
    #expect(up(3, -6.3) == -6)
    #expect(up(4, 20) == 23)
    #expect(up(2, 8) == 8.2)
  }

  @Test("ways and values are each other's opposite", arguments: Self.knobs.indices)
  func ways(_ index: Int) {
    let knob = Self.knobs[index]
    #expect(knob.value(at: 0) == knob.range.lowerBound && knob.value(at: 1) == knob.range.upperBound)
    #expect(knob.value(at: -1) == knob.range.lowerBound && knob.value(at: 2) == knob.range.upperBound)
    #expect(knob.way(to: knob.range.lowerBound) == 0 && knob.way(to: knob.range.upperBound) == 1)
    for way in [0.25, 0.5, 0.75] where knob.name < "f" {
      #expect(abs(knob.way(to: knob.value(at: way)) - way) < 1e-6)
    }
  }

  @Test("the middle of a logarithmic knob is the middle ratio")
  func middle() {
    #expect(Self.knobs[2].value(at: 0.5) == 16)
    #expect(Self.knobs[0].value(at: 0.5) == 0.5)
  }
}
