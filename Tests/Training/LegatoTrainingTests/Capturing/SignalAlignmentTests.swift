// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

@testable import LegatoTraining

/// Sounds that come back late: a chirp in a bell is known between frames, too.
@Suite struct SignalAlignmentTests {
  private func sound(_ frames: Int, lateBy latency: Double, gain: Double = 1) -> [Float] {
    (0..<frames).map { frame in
      let time = Double(frame) - latency - 3000
      let bell = exp(-time * time / 810_000)
      return Float(gain * bell * sin(2 * .pi * (0.18 * time + 0.00007 * time * time)))
    }
  }

  @Test(arguments: [0, 37.3, -12.75, 199.5, 7.04])
  func findsPartsOfAFrame(_ latency: Double) throws {
    let (dry, wet) = (sound(6000, lateBy: 0), sound(6000, lateBy: latency, gain: -0.4))
    let found = try #require(SignalAlignment(of: dry, in: wet, most: 300))
    #expect(abs(found.latency - latency) < 0.02 && found.isReversed)
    let aligned = found.applied(to: dry, wet)
    #expect(aligned.dry.count == aligned.wet.count && aligned.dry.count >= 5700)
    for frame in 300..<5400 { #expect(abs(aligned.wet[frame + 1] + 0.4 * aligned.dry[frame]) < 0.006) }
  }

  @Test func whatDoesNotFollowIsSaid() {
    var random = SplitMix(seed: 5)
    let noise = (0..<6000).map { _ in random.float(-0.5, 0.5) }
    #expect(SignalAlignment(of: sound(6000, lateBy: 0), in: noise, most: 300) == nil)
    #expect(SignalAlignment(of: [Float](repeating: 0, count: 6000), in: noise, most: 300) == nil)
    #expect(SignalAlignment(of: [], in: noise, most: 300) == nil)
    #expect(SignalAlignment(of: noise, in: [], most: 300) == nil)
  }

  /// A sound that comes back later, or earlier, than is looked for is never taken for one within.
  @Test(arguments: [299, 300, 301, 302, 303, 304, 310, 360, 363, 364, 365, 366, 400], [1, -1])
  func theLargestDelayIsOne(frames: Int, sign: Int) throws {
    var random = SplitMix(seed: 8)
    let noise = (0..<9000).map { _ in random.float(-0.5, 0.5) }
    let (dry, wet) = (Array(noise[1000..<8000]), Array(noise[1000 - sign * frames..<8000 - sign * frames]))
    let found = SignalAlignment(of: dry, in: wet, most: 300)
    guard frames <= 300 else {
      #expect(found == nil)
      return
    }
    #expect(abs(try #require(found).latency - Double(sign * frames)) < 0.02)
  }

  /// Of a loudspeaker whose response grows, nothing comes back before it went out.
  @Test func theFirstPeakCounts() throws {
    var random = SplitMix(seed: 6)
    let dry = (0..<8000).map { _ in random.float(-0.5, 0.5) }
    let response: [(delay: Int, gain: Float)] = [(20, 0.6), (24, -0.3), (29, 1), (40, 0.5)]
    let wet = dry.indices.map { frame in
      response.reduce(Float(0)) { $0 + ($1.delay <= frame ? $1.gain * dry[frame - $1.delay] : 0) }
    }
    let found = try #require(SignalAlignment(of: dry, in: wet, most: 100))
    #expect(abs(found.latency - 20) < 0.2 && !found.isReversed)
  }

  /// A recording that ends early says as much of the delay as it has: what was never recorded is not looked at. Each second
  /// sounds otherwise, as a guitar does.
  @Test(arguments: [24, 10, 8, 5, 3])
  func aRecordingMayEndEarly(seconds: Int) throws {
    var random = SplitMix(seed: 9)
    let rate = 8000
    var (held, dry) = (Float(0), [Float]())
    for second in 0..<24 {
      let (pole, level) = (Float(0.5) + 0.49 * random.float(0, 1), second % 3 == 0 ? Float(0.05) : 0.5)
      for _ in 0..<rate {
        held = pole * held + (1 - pole) * random.float(-1, 1)
        dry.append(level * held)
      }
    }
    let wet = ([0, 0, 0] + dry).prefix(seconds * rate).map { 0.6 * tanh(4 * $0) }
    let found = try #require(SignalAlignment(of: dry, in: wet, most: rate))
    #expect(abs(found.latency - 3) < 0.1 && !found.isReversed && found.rival == nil, "\(found)")
  }

  /// A second delay, far from the first, is said: both may be meant.
  @Test func anotherDelayIsKnown() throws {
    var random = SplitMix(seed: 10)
    let dry = (0..<20_000).map { _ in random.float(-0.5, 0.5) }
    let wet = dry.indices.map { 0.5 * ($0 < 20 ? 0 : dry[$0 - 20]) + 0.45 * ($0 < 200 ? 0 : dry[$0 - 200]) }
    let found = try #require(SignalAlignment(of: dry, in: wet, most: 300))
    #expect(abs(found.latency - 20) < 0.1 && found.rival == 200)
  }
}
