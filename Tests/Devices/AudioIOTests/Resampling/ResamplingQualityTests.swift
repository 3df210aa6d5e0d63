// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Foundation
import TestEquipment
import Testing

/// The figures of the article on files: what is left of a sine that went from 44.1 to 48 kHz and back, in decibels below it.
@Suite struct ResamplingQualityTests {
  @Test(arguments: [
    (ResamplingQuality.best, 1000.0, 143.0), (.best, 15_000, 136), (.medium, 1000, 132),
    (.medium, 15_000, 108),
    (.fast, 1000, 99), (.fast, 15_000, 61), (.linear, 1000, 49), (.linear, 15_000, 5.5), (.hold, 1000, 16.5),
    (.hold, 15_000, -5),
  ])
  func thereAndBack(quality: ResamplingQuality, hertz: Double, decibels: Double) throws {
    let there = try Resampler(channels: [0], from: 44_100, to: 48_000, quality: quality)
    let back = try Resampler(channels: [0], from: 48_000, to: 44_100, quality: quality)
    let block = PlanarBuffer(channels: 1, capacity: 1024)
    func sine(_ frame: Int) -> Double { 0.5 * sin(2 * Double.pi * hertz * Double(frame) / 44_100) }
    var (pushed, pulled) = (0, 0)
    var (signal, rest) = (0.0, 0.0)
    while pulled < 30_000 {
      let count = there.room
      for frame in 0..<count { block[0, frame] = Float(sine(pushed + frame)) }
      unsafe there.push(block.rows, from: 0, frames: count)
      pushed += count
      while true {
        let between = unsafe there.pull(block.rows, from: 0, frames: min(1024, back.room))
        if between == 0 { break }
        unsafe back.push(block.rows, from: 0, frames: between)
        while true {
          let found = unsafe back.pull(block.rows, from: 0, frames: 1024)
          if found == 0 { break }
          for frame in 0..<found where pulled + frame > 10_000 {
            signal += sine(pulled + frame) * sine(pulled + frame)
            rest +=
              (Double(block[0, frame]) - sine(pulled + frame))
              * (Double(block[0, frame]) - sine(pulled + frame))
          }
          pulled += found
        }
      }
    }
    let measured = 10 * log10(signal / rest)
    #expect(measured > decibels, "\(measured) dB")
  }
}
