// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Recurrent modules as PyTorch saves them, all their layers one on top of the other.
///
///     source.lstm("amp.rec", from: file)      amp.rec.weight_ih_l0, amp.rec.weight_hh_l0, …, amp.rec.weight_ih_l1, …
///
/// It is `lstm(source, 'amp.rec')` of model files whose weights are in the file.
extension Signal {
  /// All layers of an `nn.RNN`.
  public func rnn(
    _ module: String, from file: WeightsFile, activation: RecurrentActivation = .tanh, axis: Int = -1
  ) -> Signal {
    stacked(module, file) { x, array in
      x.rnn(
        weight: array("weight_ih")!, recurrent: array("weight_hh")!, bias: array("bias_ih"),
        recurrentBias: array("bias_hh"), activation: activation, axis: axis)
    }
  }

  /// All layers of an `nn.GRU`.
  public func gru(
    _ module: String, from file: WeightsFile, reset: Reset = .after, axis: Int = -1
  ) -> Signal {
    stacked(module, file) { x, array in
      x.gru(
        weight: array("weight_ih")!, recurrent: array("weight_hh")!, bias: array("bias_ih"),
        recurrentBias: array("bias_hh"), reset: reset, axis: axis)
    }
  }

  /// All layers of an `nn.LSTM`, with its projection where it has one.
  public func lstm(_ module: String, from file: WeightsFile, axis: Int = -1) -> Signal {
    stacked(module, file) { x, array in
      x.lstm(
        weight: array("weight_ih")!, recurrent: array("weight_hh")!, bias: array("bias_ih"),
        recurrentBias: array("bias_hh"), projection: array("weight_hr"), axis: axis)
    }
  }

  /// - Parameter layer: one layer over a signal; of the arrays that it asks for, those of the two weights are always
  ///   there.
  private func stacked(
    _ module: String, _ file: WeightsFile, _ layer: (Signal, (String) -> Signal?) -> Signal
  ) -> Signal {
    let known = Set(file.tensors.map(\.name))
    if known.contains("\(module).weight_ih_l0_reverse") {
      builder.report("\(quoted(module)) goes in both directions; a stream goes in one")
    }
    let count: Int
    switch RecurrentModule.layers(of: module, among: known) {
    case .success(let layers): count = layers
    case .failure(let gap):
      builder.report(gap.message(module))
      return Signal(builder, builder.assembler.forward(nil), module)
    }
    var result = self
    // Without any, the first layer says what is missing.
    for number in 0..<max(1, count) {
      result = layer(result) { array in
        let name = "\(module).\(array)_l\(number)"
        let isNeeded = array == "weight_ih" || array == "weight_hh"
        return isNeeded || known.contains(name) ? builder.weights(name, from: file) : nil
      }
    }
    return result
  }
}
