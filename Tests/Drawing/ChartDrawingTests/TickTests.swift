// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ChartDrawing

@Suite("Ticks and scales")
struct TickTests {
  @Test(
    "ticks are values that people know",
    arguments: [
      (Axis.Quantity.number, 0.0...1, 5, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
      (.number, -1...1, 5, ["−1.0", "−0.5", "0", "0.5", "1.0"]),
      (.number, 0...70, 7, ["0", "10", "20", "30", "40", "50", "60", "70"]),
      (.decibels, -120...0, 5, ["−120", "−96", "−72", "−48", "−24", "0"]),
      (.decibels, -30...6, 6, ["−30", "−24", "−18", "−12", "−6", "0", "6"]),
      (.decibels, -1...0, 5, ["−1.0", "−0.8", "−0.6", "−0.4", "−0.2", "0"]),
      (.frequency, 20...20_000, 7, ["100 Hz", "1 kHz", "10 kHz"]),
      (
        .frequency, 20...20_000, 10,
        ["20 Hz", "50 Hz", "100 Hz", "200 Hz", "500 Hz", "1 kHz", "2 kHz", "5 kHz", "10 kHz", "20 kHz"]
      ),
      (.powerOfTwo, 16...4096, 10, ["16", "32", "64", "128", "256", "512", "1024", "2048", "4096"]),
      (.powerOfTwo, 16...4096, 5, ["16", "64", "256", "1024", "4096"]),
      (.ratio, 0.1...50, 10, ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50"]),
      (.ratio, 1e-9...1e9, 7, ["1.0e−9", "0.000001", "0.001", "1", "1000", "1000000", "1000000000"]),
      (.time, 0...0.02, 5, ["0", "5 ms", "10 ms", "15 ms", "20 ms"]),
      (.time, 0...4, 5, ["0", "1 s", "2 s", "3 s", "4 s"]),
      (.time, 0...100, 5, ["0", "0:30", "1:00", "1:30"]),
      (.time, 0...86_400, 6, ["0", "6:00:00", "12:00:00", "18:00:00", "24:00:00"]),
    ])
  func labels(
    _ quantity: Axis.Quantity, _ domain: ClosedRange<Double>, _ most: Int, _ expected: [String]
  ) {
    let ticks = Axis(quantity).ticks(over: domain, most: most)
    #expect(ticks.map(\.label) == expected)
  }

  @Test(
    "whatever is drawn, there are some ticks, not too many, inside the domain, and no two alike",
    arguments: Axis.Quantity.allCases, [2, 5, 11])
  func anything(_ quantity: Axis.Quantity, _ most: Int) {
    let numbers: [Double] = [
      0, 1, -1, 0.1, 3.7, 1e-300, 1e300, -1e300, .infinity, -.infinity, .nan, 12345.678,
      .leastNonzeroMagnitude, 1e15, -2e-9,
      20, 20_000,
    ]
    for low in numbers {
      for high in numbers {
        let axis = Axis(quantity)
        let domain = axis.domain(of: [low, high], ticks: most)
        let inputs = "\(quantity) \(low) \(high) \(domain)"
        #expect(domain.lowerBound < domain.upperBound && domain.upperBound.isFinite, "\(inputs)")
        let ticks = axis.ticks(over: domain, most: most)
        #expect(
          ticks.count <= most + 3 && Set(ticks.map(\.label)).count == ticks.count, "\(inputs): \(ticks)")
        let scale = Scale(domain, isRatio: quantity.isRatio, from: 0, to: 100)
        #expect(ticks.allSatisfy { scale.shows($0.value) }, "\(inputs): \(ticks)")
        #expect(ticks.map(\.value) == ticks.map(\.value).sorted())
        if !quantity.isRatio { #expect(ticks.count >= 2, "\(inputs): \(ticks)") }
      }
    }
  }

  @Test("a range that is given may be odd as well")
  func ranges() {
    let ranges: [ClosedRange<Double>] = [0...0, -.infinity ... .infinity, 1e300...1e300, -5 ... -5]
    for range in ranges {
      for quantity in Axis.Quantity.allCases {
        let domain = Axis(quantity, range: range).domain(of: [1, 2], ticks: 5)
        #expect(domain.lowerBound < domain.upperBound && domain.upperBound.isFinite)
        #expect(!quantity.isRatio || domain.lowerBound > 0)
      }
    }
    #expect(Axis(.number, range: 2...3).domain(of: [0, 9], ticks: 5) == 2...3)
  }

  @Test("a domain without a range holds all values, and ends at ticks")
  func domains() {
    #expect(Axis(.number).domain(of: [0.13, 0.87], ticks: 5) == 0...1)
    #expect(Axis(.decibels).domain(of: [-47, -1], ticks: 5) == -48...0)
    #expect(Axis(.ratio).domain(of: [0.3, 40, -1], ticks: 5) == 0.2...50)
    #expect(Axis(.powerOfTwo).domain(of: [16, 4096], ticks: 5) == 16...4096)
    #expect(Axis(.number).domain(of: [.nan, .infinity], ticks: 5) == 0...1)
  }

  @Test("a place is where its value stands", arguments: [(false, -3.0...5), (true, 20...20_000)])
  func inverse(_ isRatio: Bool, _ domain: ClosedRange<Double>) throws {
    let scale = Scale(domain, isRatio: isRatio, from: 300, to: 20)
    for step in 0...20 {
      let pixel = 300 - 14 * Double(step)
      let place = try #require(scale.position(of: scale.value(at: pixel)))
      #expect(abs(place - pixel) < 1e-9)
    }
    #expect(scale.position(of: domain.lowerBound) == 300 && scale.position(of: domain.upperBound) == 20)
    #expect(scale.position(of: -.infinity) == 300 && scale.position(of: .infinity) == 20)
    #expect(scale.position(of: .nan) == nil)
  }

  @Test("an octave is as wide wherever it stands")
  func octaves() throws {
    let scale = Scale(20...20_480, isRatio: true, from: 0, to: 1000)
    let places = try [20.0, 40, 80, 5120, 10_240, 20_480].map { try #require(scale.position(of: $0)) }
    #expect(abs(places[1] - 100) < 1e-9 && abs(places[2] - 200) < 1e-9 && abs(places[4] - 900) < 1e-9)
  }
}
