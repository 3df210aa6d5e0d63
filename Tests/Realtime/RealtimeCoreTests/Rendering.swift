// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// A request for a parameter at an absolute frame.
struct Change: Sendable {
  let frame: Int
  let name: String
  let value: Float
}

extension Context {
  /// Renders planar rows in blocks of one size, cut short where a change falls into a block.
  mutating func render(_ input: [[Float]], block: Int, changes: [Change] = []) -> [[Float]] {
    let frames = input[0].count
    var output = input.map { _ in [Float](repeating: .nan, count: frames) }
    var frame = 0
    while frame < frames {
      for change in changes where change.frame == frame {
        parameter(named: change.name)!.set(change.value)
      }
      let next = changes.map(\.frame).filter { $0 > frame }.min() ?? frames
      let count = min(block, frames - frame, next - frame)
      let produced = execute(input.map { Array($0[frame..<frame + count]) })
      for row in output.indices { output[row].replaceSubrange(frame..<frame + count, with: produced[row]) }
      frame += count
    }
    return output
  }

  /// Executes one block through the table of rows.
  mutating func execute(_ input: [[Float]]) -> [[Float]] {
    let frames = input[0].count
    let samples = Array(input.joined())
    var produced = [Float](repeating: .nan, count: frames * input.count)
    unsafe samples.withUnsafeBufferPointer { samples in
      unsafe produced.withUnsafeMutableBufferPointer { produced in
        var sources: [UnsafePointer<Float>?] = unsafe []
        var destinations: [UnsafeMutablePointer<Float>?] = unsafe []
        for row in input.indices {
          unsafe sources.append(samples.baseAddress! + row * frames)
          unsafe destinations.append(produced.baseAddress! + row * frames)
        }
        unsafe execute(frames: frames, inputs: sources, outputs: destinations)
      }
    }
    return input.indices.map { Array(produced[$0 * frames..<($0 + 1) * frames]) }
  }
}

/// A signal in which no two samples are alike.
func signal(channels: Int = GainProgram.channels, frames: Int) -> [[Float]] {
  (0..<channels).map { channel in
    (0..<frames).map { frame in
      let turn = (frame * 37 + channel * 101) % 251
      return Float(turn) / 125 - 1 + Float(frame) * 1e-4
    }
  }
}

/// The samples' bits, so that comparisons see the sign of a zero and equal NaNs.
func bits(_ rows: [[Float]]) -> [[UInt32]] { rows.map { $0.map(\.bitPattern) } }
