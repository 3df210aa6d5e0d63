// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles
import Testing

/// Faults of a capture are said by the name of the field, and where it stands.
@Suite struct CaptureErrorTests {
  @Test(
    arguments: [
      ("lstm", #""LSTM""#, #""GRU""#, "architecture is 'GRU', which is not known"),
      ("lstm", #""LSTM""#, "3", "architecture must be a string, this is a number"),
      ("lstm", #""0.7.0""#, #""0.8.0""#, "version is '0.8.0'; captures are read up to 0.7"),
      ("lstm", #""0.7.0""#, #""new""#, "version is 'new'; a version is written as 0.7.0"),
      (
        "lstm", #""hidden_size": 5"#, #""hidden_size": 0"#,
        "config.hidden_size must be a whole number from 1 to 16777216, this is 0"
      ),
      (
        "lstm", #""hidden_size": 5"#, #""hidden_size": 6"#,
        "weights has too few numbers: the weight of lstm1 needs 24 × 7 from number 1 on, and there are 156"
      ),
      (
        "lstm", #""num_layers": 1"#, #""num_layers": 60000"#,
        "weights has too few numbers: the weight of lstm2 needs 20 × 10 from number 151 on, and there are 156"
      ),
      (
        "lstm", #""num_layers": 1"#, #""num_layers": 1000000000"#,
        "config.num_layers must be a whole number from 1 to 65536, this is 1000000000"
      ),
      (
        "lstm", #""num_layers": 1"#, #""num_layer": 1"#,
        "config has the field 'num_layer', whose meaning is not known; did you mean 'num_layers'?"
      ),
      ("lstm", #""weights": ["#, #""weights": [0, "#, "weights has 157 numbers, and the network takes 156"),
      (
        "lstm", #""weights": ["#, #""weights": [1e300, "#,
        "weights[0], of the weight of lstm1, is 1e+300, which is too large for a 32-bit float"
      ),
      ("lstm", #""weights": ["#, #""weights": [true, "#, "weights[0] must be a number, this is 'true'"),
      (
        "lstm", #""weights": ["#, #""weights": [NaN, "#,
        "'NaN' is not a number of JSON; write a finite number"
      ),
      (
        "lstm", #""sample_rate": 48000"#, #""sample_rate": 44100.5"#,
        "sample_rate must be a whole number from 1 to 768000, this is 44100.5"
      ),
      (
        "lstm", #""loudness": -20.5"#, #""loudness": "loud""#,
        "metadata.loudness must be a number, this is a string"
      ),
      (
        "linear", #""receptive_field": 8"#, #""receptive_field": 7"#,
        "weights has 9 numbers, and the network takes 8"
      ),
      ("linear", #""bias": true"#, #""bias": 1"#, "config.bias must be true or false, this is a number"),
      (
        "convnet", #""Tanh""#, #""Tahn""#,
        "config.activation is 'Tahn', an activation that is not known; did you mean 'Tanh'?"
      ),
      ("convnet", #""dilations": [1, 2, 4]"#, #""dilations": []"#, "config.dilations is empty"),
      (
        "convnet", #""dilations": [1, 2, 4]"#, #""dilations": [1, -2, 4]"#,
        "config.dilations[1] must be a whole number from 1 to 16777216, this is -2"
      ),
      ("convnet", #""batchnorm": false"#, #""batchnorm": null"#, "config.batchnorm is missing"),
      (
        "wavenet-without-1x1", #""channels": 4"#, #""channels": 5"#,
        "config.layers[0].bottleneck is 4 without a layer1x1; it must be the 5 channels"
      ),
      (
        "wavenet", #""input_size": 4"#, #""input_size": 5"#,
        "config.layers[1].input_size is 5, and 4 channels go in"
      ),
      (
        "wavenet", #""head": null"#, #""head": {"channels": 2}"#, "config.head.out_channels is missing"
      ),
      (
        "wavenet", #""dilations": [8, 4]"#, #""dilations": [8, 4, 1]"#,
        "config.layers[1].kernel_sizes has 2 numbers, and dilations 3"
      ),
      (
        "wavenet", #""slimmable": null"#, #""slimmable": {"method": "magic"}"#,
        "config.layers[0].slimmable.method is 'magic', which is not known"
      ),
      (
        "wavenet-gated", #""gated": true"#, #""gating_mode": "often""#,
        "config.layers[0].gating_mode must be none, gated or blended, this is 'often'"
      ),
      (
        "wavenet-bottleneck", #""groups_input": 2"#, #""groups_input": 3"#,
        "conv of config.layers[0], layer 1 has 4 channels in and 6 out, which 3 groups do not divide"
      ),
      (
        "wavenet-film", #""shift": true"#, #""shfit": true"#,
        "config.layers[0].conv_pre_film has the field 'shfit', whose meaning is not known; did you mean 'shift'?"
      ),
      (
        "wavenet-condition", #""condition_size": 2"#, #""condition_size": 1"#,
        "config.layers[0].condition_size is 1, and the condition has 2 channels"
      ),
      (
        "container", #""max_value": 1.0"#, #""max_value": 0.25"#,
        "config.submodels[1].max_value is 0.25; the values have to grow"
      ),
      (
        "sequential", #""Linear""#, #""Hyper""#,
        "config.models[1].architecture is 'Hyper', which is not known"
      ),
      (
        "concat-lstm", #""default": 0.3"#, #""default": 11"#,
        "config.params[0] goes from 0 to 10 and stands at 11; it must stand between two values"
      ),
      ("concat-lstm", #""ConcatLSTM""#, #""LSTM""#, "architecture is LSTM, and config has params"),
      (
        "concat-lstm", #""name": "mode""#, #""name": "Gain 1""#, "two knobs are called 'Gain 1'"
      ),
      (
        "concat-lstm", #""crunch", "#, "", "config.params[1].enum_names has 2 entries, and positions are 3"
      ),
      ("concat-lstm", #""1.0.0""#, #""1.1.0""#, "version is '1.1.0'; captures are read up to 0.7"),
      ("lstm", #""0.7.0""#, #""1.0.0""#, "version is '1.0.0'; captures are read up to 0.7"),
      ("lstm", #""0.7.0""#, #""0.7.0.1""#, "version is '0.7.0.1'; a version is written as 0.7.0"),
      (
        "lstm", #""sample_rate": 48000"#, #""sample_rate": 48000, "\u001b[1m": 1"#,
        "a capture has the field 'U+001B[1m', whose meaning is not known"
      ),
      (
        "lstm", #""num_layers": 1"#, #""num_layers": 1, "in_channels": 2"#,
        "config.in_channels is 2, and 1 go into the network"
      ),
      (
        "sequential", #""sample_rate": 48000, "weights""#, #""sample_rate": 44100, "weights""#,
        "config.models[0].sample_rate is 48000 Hz, and sample_rate 44100 Hz; all parts have one"
      ),
      (
        "wavenet-condition", #""head_scale": 1.0"#, #""head_scale": 1.0, "params": [{}]"#,
        "config.condition_dsp.architecture is WaveNet with knobs, which only a whole capture has"
      ),
      (
        "sequential", #""Linear""#, #""ConcatLSTM""#,
        "config.models[1].architecture is ConcatLSTM with knobs, which only a whole capture has"
      ),
      (
        "container", #""max_value": 0.5, "model": {"version": "0.7.0""#,
        #""max_value": 0.5, "model": {"version": "0.8.0""#,
        "config.submodels[0].model.version is '0.8.0'; captures are read up to 0.7"
      ),
      (
        "wavenet-activations", #""negative_slopes": ["#, #""negative_slopes": [0.5, "#,
        "negative_slopes has 3 numbers for 2 channels"
      ),
      (
        "convnet", #""dilations": [1, 2, 4]"#, #""dilations": [1, 2, 1048574]"#,
        "config looks back 1048577 frames; 1048576 are the most"
      ),
    ])
  func oneLineSaysWhereAndWhat(name: String, old: String, new: String, expected: String) throws {
    let message = try #require(try Captures.message(name, replacing: old, with: new))
    #expect(message.contains(expected), "\(message)")
    #expect(message.wholeMatch(of: /a\.nam:[1-9][0-9]*:[1-9][0-9]*: .+/) != nil, "\(message)")
  }

  /// A file that is nearly a capture is said to be one that lacks its kind, and no model that lacks all else.
  @Test(arguments: [
    ("a.nam", "{}"), ("a.nam", #"{"version": "0.5.4", "config": {}}"#),
    ("a.json", #"{"version": "0.5.4", "config": {}, "weights": []}"#),
  ])
  func aCaptureSaysItsKind(file: String, text: String) {
    let error = #expect(throws: Diagnostics.self) {
      try ModelDocument.decode(Array(text.utf8), file: file)
    }
    let message = "\(file):1:1: a capture says of what kind its network is, \"architecture\": "
    #expect(error?.all.count == 1 && error?.description.hasPrefix(message) == true, "\(text)")
  }

  @Test func whatIsNoPartOfASequenceIsRefused() throws {
    func message(_ parts: String, weights: String = "[]") throws -> String {
      let text =
        #"{ "architecture": "Sequential", "config": { "models": [\#(parts)] }, "weights": \#(weights) }"#
      return try #require(Captures.message(Array(text.utf8)))
    }
    #expect(try message(#"{"depth": 3}"#).contains("models[0] has the field 'depth'"))
    #expect(try message("{}").contains("models[0].architecture is missing"))
    let tap = #"{"receptive_field": 2}"#
    #expect(try message(tap, weights: "[1]").contains("weights has too few numbers"))
    #expect(try message(tap, weights: "[1, 2, 3]").contains("weights has 3 numbers, and the network takes 2"))
    let wide = #"{"receptive_field": 2, "in_channels": 2}"#
    #expect(
      try message("\(tap), \(wide)", weights: "[1, 2, 3, 4, 5, 6]").contains(
        "config.models[1] takes 2 channels, and 1 come out of the one before"))
  }

  @Test(arguments: ["[]", "{}", #"{"architecture": 1}"#, #"{"architecture": "LSTM", "config": 3}"#])
  func whatIsNoCaptureIsRefused(text: String) throws {
    let message = try #require(Captures.message(Array(text.utf8)))
    #expect(message.hasPrefix("a.nam:"))
  }

  /// Where a capture is imported, its names have to be those of a model file.
  @Test func namesHaveAnEnd() throws {
    var text = #"{"architecture": "Linear", "config": {"receptive_field": 1}, "weights": [1]}"#
    for _ in 0..<20 { text = #"{"architecture": "Sequential", "config": {"models": [\#(text)]}}"# }
    #expect(Captures.message(Array(text.utf8)) == nil)
    for _ in 0..<60 { text = #"{"architecture": "Sequential", "config": {"models": [\#(text)]}}"# }
    let message = try #require(Captures.message(Array(text.utf8)))
    #expect(message.contains("parts stand within parts so deep"), "\(message)")
  }

  @Test func networksInARowHaveAnEnd() throws {
    let one = #"{"architecture": "Linear", "config": {"receptive_field": 1}, "weights": [1]}"#
    let all = [String](repeating: one, count: 12_000).joined(separator: ", ")
    let message = Captures.message(
      Array(#"{"architecture": "Sequential", "config": {"models": [\#(all)]}}"#.utf8))
    #expect(message?.hasSuffix("config.models has 12000 networks; 4096 are the most") == true)
  }

  /// Each would fit: all of them are more than anybody has room for.
  @Test func layersOfAllArraysHaveAnEnd() throws {
    let one = """
      {"input_size": 1, "condition_size": 1, "channels": 1, "head_size": 1, "head_bias": false, "kernel_size": 1,
      "dilations": [\([String](repeating: "1", count: 100).joined(separator: ","))], "activation": "Tanh"}
      """
    func message(_ count: Int) -> String? {
      let all = [String](repeating: one, count: count).joined(separator: ", ")
      return Captures.message(
        Array(
          #"{"architecture": "WaveNet", "config": {"head_scale": 1, "layers": [\#(all)]}, "weights": [1]}"#
            .utf8))
    }
    #expect(
      message(50)?.hasSuffix("config.layers[40].dilations makes it 4100 layers in all; 4096 are the most")
        == true)
    #expect(message(4097)?.hasSuffix("config.layers has 4097 arrays; 4096 are the most") == true)
  }

  @Test func nestingHasAnEnd() throws {
    let inner = #"{"architecture": "Sequential", "config": {"models": ["#
    let text = String(repeating: inner, count: 5000)
    #expect(try #require(Captures.message(Array(text.utf8))).contains("nested deeper"))
  }
}
