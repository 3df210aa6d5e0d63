// SPDX-License-Identifier: Apache-2.0

extension ONNXOperator {
  /// A remedy where an op is not known, in words that follow the list of them; nil where there is none.
  static func remedy(of name: String) -> String? {
    if name.hasPrefix("com.microsoft.DynamicQuantize") || name.hasPrefix("com.microsoft.Q") {
      return
        "the network before it was quantized is known, or quantized with QuantizeLinear and DequantizeLinear"
    }
    if name.hasPrefix("com.microsoft.") {
      return
        "onnxruntime's optimizer made ops of com.microsoft; the file before it has others, or that of its level 'basic'"
    }
    if name.hasPrefix("ai.onnx.ml.") {
      return
        "of ai.onnx.ml, trees, tables and texts, none is known; onnx.utils.extract_model cuts a network out"
    }
    switch name {
    case "NonMaxSuppression", "Unique", "RoiAlign", "MaxRoiPool", "MaxUnpool":
      return "onnx.utils.extract_model ends the network before what chooses among its results"
    case "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli":
      return "random numbers can be an input: onnx.utils.extract_model begins the network behind them"
    case "SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceAt", "SequenceErase",
      "SequenceLength",
      "SequenceMap", "SplitToSequence", "ConcatFromSequence", "Optional", "OptionalGetElement",
      "OptionalHasElement":
      return "lists of tensors are not known; a simplifier such as onnxsim may take them out"
    case "StringNormalizer", "StringConcat", "StringSplit", "RegexFullMatch", "TfIdfVectorizer":
      return
        "texts are not known; what they become can be an input: onnx.utils.extract_model begins the network behind them"
    case "ImageDecoder":
      return
        "a picture can be an input, as --image says: onnx.utils.extract_model begins the network behind it"
    case "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", "Gradient", "Adam", "Adagrad", "Momentum":
      return "training is not known; export the network for inference"
    default: return nil
    }
  }
}
