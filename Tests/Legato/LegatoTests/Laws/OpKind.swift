// SPDX-License-Identifier: Apache-2.0

import GraphIR

/// The ops without their attributes, so that a test can ask whether it has met them all.
enum OpKind: Hashable {
  case unary(UnaryOp)
  case binary(BinaryOp)
  case other(Other)

  enum Other: CaseIterable {
    case input, parameter, literal, weights
    case select, fma
    case slice, concatenate, reshape, transpose, pad, broadcast, gather, window, shift
    case sum, maximum, dense, contraction
    case convolutionAlongFrames, convolutionAlongAxis, convolutionAlongAxes
    case delay, tap, lookahead, control, phasor, noise
  }

  init(_ op: Op) {
    switch op {
    case .unary(let op): self = .unary(op)
    case .binary(let op): self = .binary(op)
    case .input: self = .other(.input)
    case .parameter: self = .other(.parameter)
    case .literal: self = .other(.literal)
    case .weights: self = .other(.weights)
    case .select: self = .other(.select)
    case .fma: self = .other(.fma)
    case .slice: self = .other(.slice)
    case .concatenate: self = .other(.concatenate)
    case .reshape: self = .other(.reshape)
    case .transpose: self = .other(.transpose)
    case .pad: self = .other(.pad)
    case .broadcast: self = .other(.broadcast)
    case .gather: self = .other(.gather)
    case .window: self = .other(.window)
    case .shift: self = .other(.shift)
    case .sum: self = .other(.sum)
    case .maximum: self = .other(.maximum)
    case .dense: self = .other(.dense)
    case .convolution(let convolution):
      let alongFixed: Other = convolution.walks.count > 1 ? .convolutionAlongAxes : .convolutionAlongAxis
      self = .other(convolution.axis == .frames ? .convolutionAlongFrames : alongFixed)
    case .contraction: self = .other(.contraction)
    case .delay: self = .other(.delay)
    case .tap: self = .other(.tap)
    case .lookahead: self = .other(.lookahead)
    case .control: self = .other(.control)
    case .phasor: self = .other(.phasor)
    case .noise: self = .other(.noise)
    }
  }

  static let all = Set(
    Other.allCases.map { OpKind.other($0) } + UnaryOp.allCases.map { .unary($0) }
      + BinaryOp.allCases.map { .binary($0) })

  /// Those that graphs of steps cannot have.
  static let ofStreams: Set<OpKind> = [
    .other(.tap), .other(.lookahead), .other(.control), .other(.phasor), .other(.noise),
    .other(.convolutionAlongFrames),
  ]
}
