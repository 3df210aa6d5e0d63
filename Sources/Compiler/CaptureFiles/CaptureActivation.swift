// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The functions between the layers of a capture, by the names that PyTorch and NeuralAmpModelerCore have for them.
enum CaptureActivation {
  /// A function of the catalogue, with further arguments.
  case function(String, String)
  /// A slope for each channel below 0, in a field.
  case slopes([Float], field: String)
  case clamp(minimum: Double, maximum: Double)
  case leakyHardTanh(minimum: Double, maximum: Double, below: Double, above: Double)
  case softSigmoid
  case fastTanh
  case identity

  init(_ choice: CaptureFields.Choice, _ name: String, at place: Place) throws(CaptureError) {
    switch choice {
    case .text(let type): self = try Self(type, nil, name, at: place)
    case .fields(let fields):
      self = try Self(try fields.text("type"), fields, fields.name("type"), at: fields.place)
    case .none: throw CaptureError(place: place, message: "\(name) is missing")
    }
  }

  private init(
    _ type: String, _ fields: CaptureFields?, _ name: String, at place: Place
  ) throws(CaptureError) {
    func check(_ known: String...) throws(CaptureError) { try fields?.check(["type"] + known) }
    func number(_ key: String, _ standard: Double) throws(CaptureError) -> Double {
      try fields?.optionalNumber(key) ?? standard
    }
    switch type {
    case "Hardtanh":
      try check("min_val", "max_val")
      self = .clamp(minimum: try number("min_val", -1), maximum: try number("max_val", 1))
    case "LeakyReLU":
      try check("negative_slope")
      self = .function("leakyRelu", ", slope: \(written(try number("negative_slope", 0.01)))")
    case "PReLU":
      try check("negative_slope", "negative_slopes")
      if let fields, fields.has("negative_slopes") {
        self = .slopes(
          try fields.numbers("negative_slopes").map(Float.init), field: fields.name("negative_slopes"))
      } else {
        self = .function("leakyRelu", ", slope: \(written(try number("negative_slope", 0.01)))")
      }
    case "LeakyHardtanh", "LeakyHardTanh":
      try check("min_val", "max_val", "min_slope", "max_slope")
      self = .leakyHardTanh(
        minimum: try number("min_val", -1), maximum: try number("max_val", 1),
        below: try number("min_slope", 0.01), above: try number("max_slope", 0.01))
    default:
      guard let plain = Self.plain[type] else {
        let hint = nearestName(to: type, among: Self.names).map { "; did you mean \(quoted($0))?" }
        throw CaptureError(
          place: place, message: "\(name) is \(quoted(type)), an activation that is not known\(hint ?? "")")
      }
      try check()
      self = plain
    }
  }

  private static let plain: [String: CaptureActivation] = [
    "Tanh": .function("tanh", ""), "Fasttanh": .fastTanh, "ReLU": .function("relu", ""),
    "Sigmoid": .function("sigmoid", ""), "SiLU": .function("silu", ""),
    "Hardswish": .function("hardSwish", ""),
    "Hardsigmoid": .function("hardSigmoid", ""), "Softsign": .function("softsign", ""),
    "Softsigmoid": .softSigmoid, "ELU": .function("elu", ""), "SELU": .function("selu", ""),
    "CELU": .function("celu", ""), "GELU": .function("gelu", ""), "Mish": .function("mish", ""),
    "Softplus": .function("softplus", ""), "Identity": .identity,
  ]

  private static var names: [String] {
    plain.keys.sorted() + ["Hardtanh", "LeakyReLU", "PReLU", "LeakyHardtanh"]
  }

  /// The function of a value; one that reads it several times gives it a name first.
  ///
  /// - Parameters:
  ///   - x: an expression.
  ///   - channels: of the network.
  ///   - kept: the first of them, which x has where the network is made smaller; nil for all.
  ///   - name: a name that is free, and no other's beginning.
  func expression(
    _ x: String, channels: Int, kept: Int? = nil, name: String, at place: Place, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    switch self {
    case .function(let function, let arguments): return "\(function)(\(x)\(arguments))"
    case .identity: return x
    case .clamp(let minimum, let maximum):
      return minimum == -1 && maximum == 1
        ? "hardTanh(\(x))" : "min(max(\(x), \(written(minimum))), \(written(maximum)))"
    case .softSigmoid: return "0.5 * (1 + softsign(\(x)))"
    case .slopes(let slopes, let field):
      guard slopes.count == channels else {
        throw CaptureError(
          place: place,
          message: "\(field) has \(counted(slopes.count, "number")) for \(counted(channels, "channel"))")
      }
      guard slopes.allSatisfy(\.isFinite) else {
        throw CaptureError(place: place, message: "\(field) has a number too large for a 32-bit float")
      }
      let count = kept ?? channels
      let weights = text.keep(
        "\(name).slope".replacing("_", with: "."), [count], Array(slopes[..<count]), at: place)
      return "prelu(\(x), \(weights))"
    case .leakyHardTanh(let minimum, let maximum, let below, let above):
      let z = try text.define("\(name)_in", x, at: place)
      let (low, high) = ("(\(written(minimum)))", "(\(written(maximum)))")
      let under = "(\(z) - \(low)) * (\(written(below))) + \(low)"
      let over = "(\(z) - \(high)) * (\(written(above))) + \(high)"
      return "select(\(z) < \(low), \(under), select(\(z) > \(high), \(over), \(z)))"
    case .fastTanh:
      let z = try text.define("\(name)_in", x, at: place)
      let above =
        "2.45550750702956 + 2.45550750702956 * abs(\(z)) + (0.893229853513558 + 0.821226666969744 * abs(\(z))) * \(z) * \(z)"
      let below =
        "2.44506634652299 + (2.44506634652299 + \(z) * \(z)) * abs(\(z) + 0.814642734961073 * \(z) * abs(\(z)))"
      return "\(z) * (\(above)) / (\(below))"
    }
  }
}
