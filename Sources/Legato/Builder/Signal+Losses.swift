// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// How far a signal is from what is wanted: one number over all fixed axes, smaller where they are nearer.
extension Signal {
  /// The mean of the squares of the differences.
  public func mse(_ target: Signal) -> Signal { call("mse", [("target", target)], [:]) }

  /// The mean of the sizes of the differences.
  public func mae(_ target: Signal) -> Signal { call("mae", [("target", target)], [:]) }

  /// The mean of half the squares of differences up to delta, and of a line beyond.
  public func huber(_ target: Signal, delta: Double = 1) -> Signal {
    call("huber", [("target", target)], ["delta": .number(delta)])
  }

  /// The mean cross entropy of yes and no: the sigmoid of the signal is how likely yes is, the target how likely it should be.
  public func bceWithLogits(_ target: Signal) -> Signal { call("bceWithLogits", [("target", target)], [:]) }

  /// The sum of the squares of the differences over that of the target, along the last axis.
  ///
  /// - Parameters:
  ///   - target: What is wanted, in the shape of the signal.
  ///   - preEmphasis: How much of the number before is taken away from each at first; 0.95 in Wright 2019.
  public func esr(_ target: Signal, preEmphasis: Double = 0) -> Signal {
    call("esr", [("target", target)], ["preEmphasis": .number(preEmphasis)])
  }

  /// 1 less the mean cosine of the angle between both along an axis.
  public func cosineDistance(_ target: Signal, axis: Int = -1) -> Signal {
    call("cosineDistance", [("target", target)], ["axis": .integer(axis)])
  }

  /// The mean of -log softmax over the last axis, at a class or with probabilities.
  ///
  /// - Parameters:
  ///   - target: Classes, without the last axis, or probabilities in the shape of the signal.
  ///   - weight: `[classes]`: how much each class counts.
  ///   - smoothing: How much of each target is spread over all classes.
  public func crossEntropy(_ target: Signal, weight: Signal? = nil, smoothing: Double = 0) -> Signal {
    call(
      "crossEntropy", [("target", target)] + (weight.map { [("weight", $0)] } ?? []),
      ["smoothing": .number(smoothing)])
  }

  /// How far spectra of several sizes along the last axis are from those of the target: spectral convergence plus the mean
  /// distance of logarithms, the mean over sizes (Yamamoto 2020, auraloss).
  ///
  /// - Parameters:
  ///   - target: What is wanted, in the shape of the signal.
  ///   - sizes: The sizes of the spectra; 1024, 2048 and 512 where they are nil, as the paper has them.
  ///   - hops: How far they lie apart, one for each size; a quarter of the size where they are nil.
  ///   - windowSizes: The numbers of their windows; the size where they are nil.
  ///   - window: The form of the windows.
  public func multiSTFT(
    _ target: Signal, sizes: [Int]? = nil, hops: [Int]? = nil, windowSizes: [Int]? = nil,
    window: SpectrumFrames.Window = .hann
  ) -> Signal {
    var attributes: [String: Call.Argument] = ["window": .choice(window.rawValue)]
    for (name, numbers) in [("sizes", sizes), ("hops", hops), ("windowSizes", windowSizes)] {
      if let numbers { attributes[name] = .integers(numbers) }
    }
    return call("multiSTFT", [("target", target)], attributes)
  }

  /// The share of classes that are among the largest numbers along the last axis, to look at: it has no slope.
  ///
  /// - Parameters:
  ///   - target: Classes, without the last axis, or numbers in the shape of the signal, of which the largest counts.
  ///   - top: How many of the largest; 1 is accuracy.
  public func topAccuracy(_ target: Signal, top: Int = 1) -> Signal {
    call("topAccuracy", [("target", target)], ["top": .integer(top)])
  }
}
