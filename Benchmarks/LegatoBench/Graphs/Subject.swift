// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import NativeCode

/// A graph whose executes are timed one by one, in blocks of some sizes.
struct Subject {
  /// Every size of block that hosts use.
  static let everySize = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
  /// The size that stands for all.
  static let usualSize = 128

  let name: String
  /// Frames of a block; 1 where an execute is a step.
  let sizes: [Int]
  let graph: () throws -> Graph
  /// Whether a quick run does without it.
  let isSlowToCompile: Bool
  /// Whether it is a model that people get with Legato.
  let isShipped: Bool

  init(_ name: String, sizes: [Int] = [Self.usualSize], isSlowToCompile: Bool = false, _ text: String) {
    self.name = name
    self.sizes = sizes
    graph = { try Graph(parsing: text) }
    isShipped = false
    self.isSlowToCompile = isSlowToCompile
  }

  init(shipped name: String, _ graph: Graph) {
    let isStream = graph.clock == .stream
    self.name = isStream ? name : "\(name), a step"
    sizes = isStream ? Self.everySize : [1]
    self.graph = { graph }
    isShipped = true
    isSlowToCompile = false
  }

  func rowName(_ frames: Int) -> String { frames == 1 ? name : "\(name) \(frames)" }

  /// Small graphs of each kind. Of single ops, tanh stands for the others in blocks of every size.
  static var micro: [Subject] {
    [
      Subject("copy", sizes: everySize, Models.copy),
      Subject("tanh", sizes: everySize, Models.stream(1, "dst = tanh(src)")),
      Subject("add", Models.stream(1, "dst = src + 0.5")),
      Subject("exp", Models.stream(1, "dst = exp(src)")),
      Subject("sin", Models.stream(1, "dst = sin(src)")),
      Subject("log", Models.stream(1, "dst = log(src)")),
      Subject("pow", Models.stream(1, "dst = pow(src, 2.5)")),
      Subject("delay of 100 frames", Models.stream(1, "dst = delay(src, frames: 100)")),
      Subject(
        "one-pole filter",
        Models.stream(1, "last = delay(dst, frames: 1)", "dst = src * 0.1 + last * 0.9")),
    ]
      + [1, 2, 4, 8, 16, 32, 64].map { count in
        Subject(
          "chain of \(count) bitcrusher\(count == 1 ? "" : "s")", sizes: everySize,
          isSlowToCompile: [16, 32].contains(count), Models.chain(count))
      }
      + [2, 8, 64].map { Subject("mix of \($0) inputs", sizes: everySize, Models.mix($0)) }
      + [16, 64].map { Subject("dense \($0) to \($0)", sizes: everySize, Models.dense($0)) }
      + [
        Subject("conv1d 16 to 16, k 3", Models.convolution(16)),
        Subject("conv stack", sizes: everySize, Models.stack),
      ]
  }
}
