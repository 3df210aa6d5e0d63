// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// The ops without their attributes, so that a test can ask whether it has met them all.
enum OpKind: Hashable {
  case input, parameter, literal, weights
  case unary(UnaryOp)
  case binary(BinaryOp)
  case select, fma
  case slice, concatenate, reshape, transpose, pad, broadcast
  case sum, maximum, dense
  case convolutionAlongFrames, convolutionAlongAxis
  case delay, tap, lookahead, control, phasor, noise

  init(_ op: Op) {
    switch op {
    case .input: self = .input
    case .parameter: self = .parameter
    case .literal: self = .literal
    case .weights: self = .weights
    case .unary(let op): self = .unary(op)
    case .binary(let op): self = .binary(op)
    case .select: self = .select
    case .fma: self = .fma
    case .slice: self = .slice
    case .concatenate: self = .concatenate
    case .reshape: self = .reshape
    case .transpose: self = .transpose
    case .pad: self = .pad
    case .broadcast: self = .broadcast
    case .sum: self = .sum
    case .maximum: self = .maximum
    case .dense: self = .dense
    case .convolution(let convolution):
      self = convolution.axis == .frames ? .convolutionAlongFrames : .convolutionAlongAxis
    case .delay: self = .delay
    case .lookahead: self = .lookahead
    case .control: self = .control
    case .tap: self = .tap
    case .phasor: self = .phasor
    case .noise: self = .noise
    }
  }

  static let all: Set<OpKind> = Set(
    [
      .input, .parameter, .literal, .weights, .select, .fma, .slice, .concatenate, .reshape, .transpose, .pad,
      .broadcast, .sum, .maximum, .dense, .convolutionAlongFrames, .convolutionAlongAxis, .delay, .tap,
      .lookahead,
      .control, .phasor, .noise,
    ] + UnaryOp.allCases.map { .unary($0) } + BinaryOp.allCases.map { .binary($0) })
}
