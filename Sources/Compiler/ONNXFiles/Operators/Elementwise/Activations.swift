// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphIR

extension ONNXOperator {
  /// Activations with attributes.
  static let activations: [String: ONNXOperator] = [
    "LeakyRelu": activation { attributes throws(ONNXError) in
      let alpha = try attributes.float("alpha", 0.01)
      return .init(
        1, { "leakyRelu(\($0[0]), slope: \(ONNXCall.text(alpha)))" }, { $0[0] > 0 ? $0[0] : alpha * $0[0] })
    },
    "Elu": activation { attributes throws(ONNXError) in
      let alpha = try attributes.float("alpha", 1)
      return .init(
        1, { "elu(\($0[0]), alpha: \(ONNXCall.text(alpha)))" },
        { $0[0] > 0 ? $0[0] : alpha * (exp($0[0]) - 1) })
    },
    "Celu": activation { attributes throws(ONNXError) in
      let alpha = try attributes.float("alpha", 1)
      return .init(
        1, { "celu(\($0[0]), alpha: \(ONNXCall.text(alpha)))" },
        { $0[0] > 0 ? $0[0] : alpha * (exp($0[0] / alpha) - 1) })
    },
    "Selu": activation { attributes throws(ONNXError) in
      let alpha = try attributes.float("alpha", 1.67326319217681884765625)
      let gamma = try attributes.float("gamma", 1.05070102214813232421875)
      return .init(
        1, { "\(ONNXCall.text(gamma)) * elu(\($0[0]), alpha: \(ONNXCall.text(alpha)))" },
        { gamma * ($0[0] > 0 ? $0[0] : alpha * (exp($0[0]) - 1)) })
    },
    "HardSigmoid": activation { attributes throws(ONNXError) in
      let (alpha, beta) = (try attributes.float("alpha", 0.2), try attributes.float("beta", 0.5))
      return .init(
        1, { "clamp(\(ONNXCall.text(alpha)) * \($0[0]) + \(ONNXCall.text(beta)), 0, 1)" },
        { min(max(alpha * $0[0] + beta, 0), 1) })
    },
    "ThresholdedRelu": activation { attributes throws(ONNXError) in
      let alpha = try attributes.float("alpha", 1)
      return .init(
        1, { "select(\($0[0]) > \(ONNXCall.text(alpha)), \($0[0]), 0)" }, { $0[0] > alpha ? $0[0] : 0 })
    },
    "Shrink": activation { attributes throws(ONNXError) in
      let (bias, limit) = (try attributes.float("bias", 0), try attributes.float("lambd", 0.5))
      let (b, l) = (ONNXCall.text(bias), ONNXCall.text(limit))
      return .init(
        1, { "select(\($0[0]) < -(\(l)), \($0[0]) + \(b), select(\($0[0]) > \(l), \($0[0]) - \(b), 0))" },
        { $0[0] < -limit ? $0[0] + bias : $0[0] > limit ? $0[0] - bias : 0 })
    },
    "Swish": activation { attributes throws(ONNXError) in
      let alpha = try attributes.float("alpha", 1)
      return .init(
        1, { alpha == 1 ? "silu(\($0[0]))" : "\($0[0]) * sigmoid(\(ONNXCall.text(alpha)) * \($0[0]))" },
        { $0[0] / (1 + exp(-alpha * $0[0])) })
    },
    "SwiGLU": activation { attributes throws(ONNXError) in
      let alpha = try attributes.float("alpha", 1)
      return .init(
        2, { "\($0[0]) * sigmoid(\(ONNXCall.text(alpha)) * \($0[0])) * \($0[1])" },
        { $0[0] / (1 + exp(-alpha * $0[0])) * $0[1] })
    },
    "Gelu": activation { attributes throws(ONNXError) in
      let formula = try attributes.text("approximate", "none")
      guard ["none", "tanh"].contains(formula) else {
        throw ONNXError("the attribute 'approximate' is \(quoted(formula)); none and tanh are known")
      }
      guard formula == "tanh" else {
        return .init(1, { "gelu(\($0[0]))" }, { $0[0] / 2 * (1 + erf($0[0] / 2.squareRoot())) })
      }
      return .init(
        1,
        { "0.5 * \($0[0]) * (1 + tanh(0.7978846 * (\($0[0]) + 0.044715 * \($0[0]) * \($0[0]) * \($0[0]))))" },
        { numbers in
          let x = numbers[0]
          let inner: Double = 0.7978845608028654 * (x + 0.044715 * x * x * x)
          return 0.5 * x * (1 + tanh(inner))
        })
    },
    "PRelu": .init(
      single: { call throws(ONNXError) in
        let (x, slope) = (try call.operand(0), try call.operand(1))
        let op = ONNXElementwise(
          2, { "select(\($0[0]) > 0, \($0[0]), \($0[1]) * \($0[0]))" }, { $0[0] > 0 ? $0[0] : $0[1] * $0[0] })
        let result = try op.apply([x, slope], call)
        guard result.shape == x.shape else {
          throw ONNXError("slopes of the shape \(slope.shape) do not stretch to \(x.shape)")
        }
        return result
      }),
  ]

  private static func activation(
    _ row: @escaping @Sendable (ONNXAttributes) throws(ONNXError) -> ONNXElementwise
  ) -> ONNXOperator {
    .init(single: { call throws(ONNXError) in try row(call.attributes).translate(call) })
  }
}
