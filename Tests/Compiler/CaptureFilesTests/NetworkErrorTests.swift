// SPDX-License-Identifier: Apache-2.0

import Testing

/// Faults of a network of RTNeural, Keras or GuitarML are said by the name of the field, and where it stands.
@Suite struct NetworkErrorTests {
  @Test(
    arguments: [
      ("keras-gru", #""in_shape": [null, null, 1]"#, #""in_shap": [1]"#, "a capture has the field 'in_shap'"),
      (
        "keras-gru", #"[null, null, 1]"#, "[null, null, null]",
        "in_shape must be a shape such as [null, null, 16]"
      ),
      (
        "keras-gru", #"[null, null, 1]"#, "[null, null, 2, 1]",
        "in_shape has 4 axes; networks with more than one axis"
      ),
      (
        "keras-gru", #"[null, null, 1]"#, "[null, null, 2]", "layers[0].weights[0] has 1 row, and must have 2"
      ),
      (
        "keras-gru", #"[null, null, 1]"#, "[null, null, 1e9]",
        "in_shape must be a whole number from 1 to 4096, this is 1000000000"
      ),
      (
        "keras-gru", #""shape": [null, null, 4]"#, #""shape": [null, null, 1000000000]"#,
        "layers[0].shape must be a whole number from 1 to 16777216, this is 1000000000"
      ),
      (
        "keras-gru", #""shape": [null, null, 4]"#, #""shape": [null, null, 16777216]"#,
        "layers[0].weights[0][0] has 12 numbers, and must have 50331648"
      ),
      (
        "keras-gru", #""gru""#, #""lstn""#,
        "layers[0].type is 'lstn', a layer that is not known; did you mean 'lstm'?"
      ),
      ("keras-gru", #""gru""#, #""conv2d""#, "layers[0].type is 'conv2d', a layer that is not known"),
      ("keras-gru", #""gru""#, "3", "layers[0].type must be a string, this is a number"),
      ("keras-gru", #""weights": [[["#, #""weights": [3, [["#, "layers[0].weights has 4 arrays"),
      ("keras-gru", #""weights": [[["#, #""weights": [[[true, "#, "layers[0].weights[0][0] has 13 numbers"),
      ("keras-gru", #""weights": [[["#, #""weights": [[[1e300, "#, "layers[0].weights[0][0] has 13 numbers"),
      ("keras-gru", #""activation": "tanh""#, #""activation": "relu""#, "known are tanh"),
      ("keras-gru", #""activation": "tanh""#, #""units": 4"#, "layers[0] has the field 'units'"),
      (
        "keras-conv", #""kernel_size": [3]"#, #""kernel_size": [4]"#,
        "layers[0].weights[0] has 3 rows, and must have 4"
      ),
      (
        "keras-conv", #""kernel_size": [3]"#, #""kernel_size": [3, 3]"#, "layers[0].kernel_size has 2 numbers"
      ),
      (
        "keras-conv", #""dilation": [5]"#, #""dilation": [0]"#,
        "layers[1].dilation must be a whole number from 1 to 16777216, this is 0"
      ),
      (
        "keras-conv", #""groups": 2"#, #""groups": 4"#,
        "layers[3].groups is 4, which does not divide 6 channels in"
      ),
      ("keras-conv", #""epsilon": 0.001"#, #""epsilon": -2"#, "their sum must be above 0"),
      ("keras-conv", #""epsilon": 0.001, "#, "", "layers[4].epsilon is missing"),
      (
        "keras-dense", #""type": "activation", "activation": "sigmoid""#,
        #""type": "activation", "activation": """#,
        "layers[3] is an activation, and does not say which"
      ),
      (
        "keras-dense", #""elu""#, #""swish""#,
        "layers[1].activation is 'swish', which is not known of the type"
      ),
      (
        "keras-dense", #""activation", "activation": "sigmoid", "shape": [null, null, 3]"#,
        #""activation", "activation": "sigmoid", "shape": [null, null, 2]"#,
        "layers[3].shape ends in 2, and 3 channels go in"
      ),
      ("aida", #""in_skip": 1"#, #""in_skip": 2"#, "in_skip must be a whole number from 0 to 1, this is 2"),
      ("aida", #""in_gain": 3.0"#, #""in_gain": 1e9"#, "in_gain is 1000000000 dB; 200 are the most"),
      ("aida", #""out_gain": -1.5"#, #""out_gain": "loud""#, "out_gain must be a number, this is a string"),
      ("aida", #""44100""#, #""fast""#, "metadata.samplerate is 'fast'; a rate is a whole number"),
      ("aida", #""44100""#, "44100.5", "metadata.samplerate must be a whole number from 1 to 768000"),
      (
        "aida", #""in_skip": 1"#, #""in_skip": 1, "samplerate": 48000"#,
        "metadata.samplerate is 44100 Hz, and samplerate 48000 Hz; a capture has one rate"
      ),
      ("guitarml-lstm", #""LSTM""#, #""QRNN""#, "model_data.unit_type is 'QRNN', which is not known"),
      ("guitarml-lstm", #""SimpleRNN""#, #""RecNet""#, "model_data.model is 'RecNet', which is not known"),
      ("guitarml-lstm", #""LSTM""#, #""GRU""#, "state_dict.rec.weight_ih_l0 has 16 rows, and must have 12"),
      ("guitarml-lstm", #""hidden_size": 4"#, #""hidden_size": 16777216"#, "must have 67108864"),
      (
        "guitarml-lstm", #""num_layers": 1"#, #""num_layers": 60000"#,
        "state_dict.rec.weight_ih_l1 is missing"
      ),
      (
        "guitarml-lstm", #""num_layers": 1"#, #""num_layers": 1e9"#,
        "model_data.num_layers must be a whole number from 1 to 65536, this is 1000000000"
      ),
      (
        "guitarml-gru", #""num_layers": 2"#, #""num_layers": 1"#,
        "state_dict has the field 'rec.weight_ih_l1', whose meaning is not known"
      ),
      (
        "guitarml-lstm", #""input_size": 1"#, #""input_size": 2"#,
        "weight_ih_l0[0] has 1 number, and must have 2"
      ),
      ("guitarml-lstm", #""skip": 1"#, #""skip": 2"#, "model_data.skip must be a whole number from 0 to 1"),
      ("guitarml-lstm", #""skip": 1"#, #""skipp": 1"#, "did you mean 'skip'?"),
      (
        "guitarml-lstm", #""output_size": 1"#, #""output_size": 2"#, "model_data.skip is 1, and output_size 2"
      ),
      ("guitarml-lstm", #""state_dict""#, #""state_dic""#, "did you mean 'state_dict'?"),
      (
        "keras-architecture", #""keras""#, #""keras""#,
        "this is the architecture of a Keras model, without weights"
      ),
    ])
  func oneLineSaysWhereAndWhat(name: String, old: String, new: String, expected: String) throws {
    let message = try #require(try Captures.message(name, replacing: old, with: new))
    #expect(message.contains(expected), "\(message)")
    #expect(message.wholeMatch(of: /a\.nam:[1-9][0-9]*:[1-9][0-9]*: .+/) != nil, "\(message)")
  }

  @Test func numbersOfArraysHavePlaces() throws {
    func message(_ weights: String) throws -> String {
      let text = """
        { "in_shape": [null, null, 2], "layers": [
          { "type": "dense", "activation": "", "shape": [null, null, 1], "weights": \(weights) }] }
        """
      return try #require(Captures.message(Array(text.utf8)))
    }
    #expect(try message("[[[1], [1e39]], [0]]").hasPrefix("a.nam:2:85: layers[0].weights[0][1][0] is 1e+39"))
    #expect(try message("[[[1], [true]], [0]]").contains("weights[0][1][0] must be a number, this is 'true'"))
    #expect(try message("[[1, 1], [0]]").contains("weights[0][0] must be an array, this is a number"))
    #expect(
      try message("[[[[1]], [[1]]], [0]]").contains("weights[0][0][0] must be a number, this is an array"))
    #expect(try message("[[[1], []], [0]]").contains("weights[0][1] has 0 numbers, and must have 1"))
    #expect(try message("[1, 2]").contains("weights must be a list of arrays, this is a list of numbers"))
    #expect(try message("{}").contains("weights must be a list of arrays, this is an object"))
    #expect(try message("[{}]").contains("weights[0] must be an array, this is an object"))
    #expect(try message(String(repeating: "[", count: 5000)).contains("nested deeper"))
  }

  @Test(
    arguments: [
      #"{"in_shape": [1]}"#, #"{"layers": []}"#, #"{"model_data": {}}"#, #"{"state_dict": 3}"#,
      #"{"in_shape": [1], "layers": []}"#, #"{"in_shape": [1], "layers": [3]}"#, #"{"class_name": 1}"#,
      #"{"model_data": [], "state_dict": {}}"#,
    ])
  func whatIsNoNetworkIsRefused(text: String) throws {
    #expect(try #require(Captures.message(Array(text.utf8))).hasPrefix("a.nam:1:"))
  }

  /// Kinds of networks that people have and that are not read.
  @Test(arguments: [
    (
      #"{"activation": "gated", "residual_channels": 12, "dilations": [1], "variables": []}"#,
      "a.nam:1:46: this is a network of GuitarML's SmartAmp (a GatedConvNet of PedalNetRT), which is not read"
    ),
    (
      #"{"conv1d": {}, "conv1d_1": {}, "dense": {}, "lstm": {}, "input_size": 120, "conv1d_stride": 12}"#,
      "a.nam:1:93: this is a network of GuitarML's SmartAmpPro, which is not read"
    ),
  ])
  func otherKindsAreNamed(text: String, message: String) {
    let remedy = "a capture that Neural Amp Modeler or Proteus makes of the same amplifier is"
    #expect(Captures.message(Array(text.utf8)) == "\(message); \(remedy)")
  }

  /// A model of ours may be called anything, and have parts of any name.
  @Test func aModelIsNoNetwork() {
    let text = """
      { "legato": 1, "inputs": { "x": { "shape": ["frames"] } }, "graph": { "layers": "x" },
        "outputs": ["layers"], "layers": [] }
      """
    #expect(Captures.message(Array(text.utf8))?.contains("'layers'") == true)
  }
}
