// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

@Suite("Resampling")
struct ResamplerTests {
  static let rates = [
    (44_100, 48_000), (48_000, 44_100), (8000, 192_000), (192_000, 8000), (11_025, 48_000), (48_000, 11_025),
    (48_000, 96_000), (96_000, 48_000), (48_000, 16_000), (44_101, 48_000), (300, 76_800), (76_800, 300),
  ]

  /// The first frames of what a sound becomes, pushed and pulled `block` frames at a time.
  private func resampled(
    _ sound: [[Float]], from: Int, to: Int, _ quality: ResamplingQuality, frames: Int, block: Int = 1000
  ) throws -> [[Float]] {
    let resampler = try Resampler(channels: Array(sound.indices), from: from, to: to, quality: quality)
    let (input, output) = (
      PlanarBuffer(channels: sound.count, capacity: block),
      PlanarBuffer(channels: sound.count, capacity: block)
    )
    var (result, pushed) = (sound.map { _ in [Float]() }, 0)
    while result[0].count < frames {
      let most = min(block, frames - result[0].count)
      let count = unsafe resampler.pull(output.rows, from: 0, frames: most)
      for channel in sound.indices {
        unsafe result[channel].append(
          contentsOf: UnsafeBufferPointer(start: output.rows[channel], count: count))
      }
      if count > 0 { continue }
      let left = min(block, resampler.room, sound[0].count - pushed)
      for channel in sound.indices {
        unsafe sound[channel].withUnsafeBufferPointer { samples in
          unsafe input.rows[channel].update(from: samples.baseAddress! + pushed, count: left)
        }
      }
      pushed += left
      if left > 0 {
        unsafe resampler.push(input.rows, from: 0, frames: left)
      } else {
        resampler.pushSilence()
      }
    }
    return result
  }

  // Bare memory is quick in a debug build, too: some of these sounds have a million frames.

  /// A sine of so many hertz, at a rate.
  private func sine(_ hertz: Double, _ rate: Int, frames: Int, phase: Double = 0) -> [Float] {
    unsafe [Float](unsafeUninitializedCapacity: frames) { samples, count in
      for frame in 0..<frames {
        let turns = hertz * Double(frame) / Double(rate)
        unsafe samples[frame] = Float(sin(2 * Double.pi * turns + phase))
      }
      count = frames
    }
  }

  /// The largest difference of the middle thirds.
  private func difference(_ one: [Float], _ other: [Float]) -> Float {
    guard one.count == other.count, one.count >= 3 else { return .infinity }
    return unsafe one.withUnsafeBufferPointer { one in
      unsafe other.withUnsafeBufferPointer { other in
        var largest: Float = 0
        for frame in one.count / 3..<2 * one.count / 3 {
          let distance = abs(unsafe one[frame] - other[frame])
          // A difference that is not a number is as bad as any.
          if !(distance <= largest) { largest = distance.isNaN ? .infinity : distance }
        }
        return largest
      }
    }
  }

  /// A sine becomes the same sine: a hundredth of a frame would be seen.
  @Test(
    "each frame is the sound at its time, with what is late trimmed", arguments: rates,
    [ResamplingQuality.best, .medium, .fast, .linear])
  func aligned(_ rate: (from: Int, to: Int), _ quality: ResamplingQuality) throws {
    let lower = min(rate.from, rate.to)
    let hertz = Double(lower) / 50
    let frames = 3000 * rate.to / lower
    let source = sine(hertz, rate.from, frames: 4000 * rate.from / lower, phase: 0.5)
    let found = try resampled([source], from: rate.from, to: rate.to, quality, frames: frames)[0]
    // One frame of the lower rate is 2 * pi / 50 = 0.126 of the sine.
    let bound: Float =
      switch quality {
      case .best: 2e-6
      case .medium: 4e-6
      case .fast: 1e-4
      // A line between points of a sine is at most (2 * pi / 50)^2 / 8 off.
      case .linear: 2.1e-3
      case .hold: 0
      }
    let off = difference(found, sine(hertz, rate.to, frames: frames, phase: 0.5))
    #expect(off < bound, "\(off)")
  }

  @Test(
    "hold gives each frame the last one that began",
    arguments: [(48_000, 96_000), (8000, 64_000), (96_000, 48_000), (48_000, 44_100), (44_100, 48_000)])
  func hold(_ rate: (from: Int, to: Int)) throws {
    let sound = Sound.waves(channels: 1, frames: 1000).samples[0]
    let frames = 1000 * rate.to / rate.from
    let found = try resampled([sound], from: rate.from, to: rate.to, .hold, frames: frames)[0]
    for frame in 0..<frames {
      let place = (frame * rate.from).quotientAndRemainder(dividingBy: rate.to)
      // Where two frames meet, rounding may choose the one before; in halves and quarters nothing is rounded.
      let isExact = rate.to % rate.from == 0 || rate.from % rate.to == 0
      let before = place.remainder > 0 || isExact ? place.quotient : place.quotient - 1
      let isGood = found[frame] == sound[place.quotient] || found[frame] == (before < 0 ? 0 : sound[before])
      #expect(isGood, "frame \(frame)")
    }
  }

  /// Windowed sinc functions are symmetric, and so is what an impulse becomes.
  @Test(
    "an impulse stands where it stood", arguments: rates, [ResamplingQuality.best, .medium, .fast, .linear])
  func impulse(_ rate: (from: Int, to: Int), _ quality: ResamplingQuality) throws {
    // The first place behind 400 frames of the lower rate that both rates have a frame at.
    let lower = min(rate.from, rate.to)
    let second = lower / gcd(rate.from, rate.to)
    let places = (400 / second + 1) * second
    let (place, target) = (places * rate.from / lower, places * rate.to / lower)
    var sound = [Float](repeating: 0, count: 2 * place)
    sound[place] = 1
    let found = try resampled([sound], from: rate.from, to: rate.to, quality, frames: 2 * target)[0]
    let peak = found.indices.max { found[$0] < found[$1] }
    #expect(peak == target)
    let reach = min(target - 1, 100 * rate.to / lower)
    let differences: [Float] = (1...reach).map { abs(found[target - $0] - found[target + $0]) }
    let asymmetry = differences.max() ?? 1
    #expect(asymmetry < 1e-5 * found[target], "\(asymmetry)")
  }

  private func gcd(_ one: Int, _ other: Int) -> Int { other == 0 ? one : gcd(other, one % other) }

  @Test("blocks and neighbouring channels change no bit", arguments: ResamplingQuality.allCases)
  func blocks(_ quality: ResamplingQuality) throws {
    for (from, to) in [(44_100, 48_000), (192_000, 8000), (300, 76_800)] {
      let lower = min(from, to)
      let sound = Sound.waves(channels: 9, frames: 300 * from / lower).samples
      let frames = 300 * to / lower + 1
      let whole = try resampled(sound, from: from, to: to, quality, frames: frames, block: 4096)
      for block in [1, 77, 512] {
        #expect(try resampled(sound, from: from, to: to, quality, frames: frames, block: block) == whole)
      }
      for channels in [1, 2, 5, 8] {
        let part = Array(sound.prefix(channels))
        let found = try resampled(part, from: from, to: to, quality, frames: frames)
        #expect(found == Array(whole.prefix(channels)), "\(channels) of \(from) to \(to)")
      }
    }
  }

  @Test(
    "what is not finite does not reach its neighbours, and is counted", arguments: ResamplingQuality.allCases)
  func nonFinite(_ quality: ResamplingQuality) throws {
    var sound = Sound.waves(channels: 3, frames: 2000).samples
    (sound[0][700], sound[1][700], sound[2][1999]) = (0, 0, 0)
    let clean = try resampled(sound, from: 44_100, to: 48_000, quality, frames: 2000)
    (sound[0][700], sound[1][700], sound[2][1999]) = (.nan, .infinity, -.infinity)
    #expect(try resampled(sound, from: 44_100, to: 48_000, quality, frames: 2000) == clean)
  }

  @Test("rates that are too far apart are refused", arguments: [(187, 48_000), (48_000, 187), (1, 768_000)])
  func tooFar(_ rate: (from: Int, to: Int)) {
    let error = #expect(throws: ResamplerError.self) {
      try Resampler(channels: [0], from: rate.from, to: rate.to, quality: .best)
    }
    #expect(error == .ratio(from: rate.from, to: rate.to))
    #expect(throws: Never.self) { try Resampler(channels: [0], from: 188, to: 48_000, quality: .best) }
  }

  /// A day at 44.1 kHz, a hundredth of it: what rounding adds up to in the whole day stays below a thousandth of a
  /// frame.
  @Test("a long stream does not drift")
  func drift() throws {
    let resampler = try Resampler(channels: [0], from: 44_100, to: 48_000, quality: .linear)
    let block = PlanarBuffer(channels: 1, capacity: 512)
    let last = 24 * 3600 * 44_100 / 100
    // A triangle of 128 frames: lines are exact but for its corners.
    func triangle(_ numerator: Int, _ denominator: Int) -> Double {
      let turn = Double(numerator % (128 * denominator)) / Double(denominator)
      return abs(turn - 64) / 64
    }
    var (pushed, pulled) = (0, 0)
    var worst = 0.0
    while pushed < last {
      let count = min(512, resampler.room)
      for frame in 0..<count { unsafe block.rows[0][frame] = Float(triangle(pushed + frame, 1)) }
      unsafe resampler.push(block.rows, from: 0, frames: count)
      pushed += count
      while true {
        let made = unsafe resampler.pull(block.rows, from: 0, frames: 512)
        if made == 0 { break }
        if pulled > last {  // Well behind the half, each frame is looked at.
          for frame in 0..<made {
            let place = (pulled + frame) * 147
            let turn = place % (64 * 160)
            guard turn > 160, turn < 63 * 160 else { continue }
            worst = max(worst, abs(Double(unsafe block.rows[0][frame]) - triangle(place, 160)) * 64)
          }
        }
        pulled += made
      }
    }
    // In frames. Floats alone are good for 1 / 2^18.
    #expect(pulled > last && worst < 1e-5, "\(worst)")
  }
}
