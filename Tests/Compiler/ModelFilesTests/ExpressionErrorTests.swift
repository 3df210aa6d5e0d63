// SPDX-License-Identifier: Apache-2.0

import Testing

/// Each case is an expression that stands as `y` in a model of a stream, and what is said about it: the column counts
/// from the expression's first character.
@Suite struct ExpressionErrorTests {
  private static let expressions: [(String, String)] = [
    ("x * gian", "5: no value is called 'gian'; did you mean 'gain'?"),
    ("x * sampelRate", "5: no value is called 'sampelRate'; did you mean 'sampleRate'?"),
    ("tnah(x)", "1: no function is called 'tnah'; did you mean 'tanh'?"),
    ("gain(x)", "1: 'gain' is a value, not a function; write '*' to multiply"),
    ("x * tanh", "5: 'tanh' is a function; write tanh(…)"),
    ("x + frames", "5: 'frames' is the axis of time, not a value"),
    ("x + matrix", "5: no value is called 'matrix'; weights stand in quotation marks: \\\"matrix\\\""),
    ("x + 'gain'", "3: there are no weights called 'gain'; the value gain takes no quotation marks"),
    ("x + 'matix'", "3: there are no weights called 'matix'; did you mean 'matrix'?"),
    ("dense(x, 'matrx')", "10: there are no weights called 'matrx'; did you mean 'matrix'?"),
    ("'text'", "1: there are no weights called 'text'"),
    ("[x, mono]", "1: a list is not a value; concatenate([…]) makes one of it"),
    ("x + [1]", "3: a list is not a value; concatenate([…]) makes one of it"),
    ("tanh([x])", "6: a list is not a value; concatenate([…]) makes one of it"),
    ("concatenate(x)", "13: 'parts' must be a list of values, such as [a, b]"),
    ("concatenate([])", "1: concatenate needs at least one part"),
    ("concatenate([[x]])", "13: a list is not a value; concatenate([…]) makes one of it"),
    ("", "1: an expression is missing"),
    ("   ", "4: an expression is missing"),
    ("x +", "4: expected a number, a name or '(', found the end"),
    ("(x", "3: expected an operator or ')', found the end"),
    ("x)", "2: expected an operator or the end, found ')'"),
    ("x x", "3: expected an operator or the end, found 'x'"),
    ("x = 1", "3: '=' has no meaning here"),
    ("2 ^ x", "3: '^' has no meaning here; powers are written pow(x, y)"),
    ("2 ** x", "3: '**' has no meaning here; powers are written pow(x, y)"),
    ("x > 0 ? x : 0", "7: '?' has no meaning here; a choice is written select(condition, a, b)"),
    (
      "x > 0 && x < 1",
      "7: '&&' has no meaning here; of comparisons, which are 1 or 0, a * b is 1 where both are"
    ),
    (
      "x > 0 || x < 1",
      "7: '||' has no meaning here; of comparisons, which are 1 or 0, max(a, b) is 1 where one is"
    ),
    ("!(x > 0)", "1: '!' has no meaning here; of a comparison, which is 1 or 0, 1 - x is the contrary"),
    ("x & 1", "3: '&' has no meaning here"), ("x | 1", "3: '|' has no meaning here"),
    ("if(x > 0, x, 0)", "1: no function is called 'if'; a choice is written select(condition, a, b)"),
    ("l1(x, 0)", "1: no function is called 'l1'; the mean size of a difference is mae(x, target)"),
    ("cosine(x, 0)", "1: no function is called 'cosine'; as a loss it is cosineDistance(x, target)"),
    (
      "envelope(x, 5 ms, 1)",
      "15: expected ',' or ')', found 'ms'; a product is written 2 * x, and numbers have no units"
    ),
    ("x ² 1", "3: '²' has no meaning here"),
    ("x\\u0000", "2: U+0000 has no meaning here"),
    ("2x", "2: 'x' directly after a number; write '*' to multiply"),
    ("1.2.3 * x", "4: '.' directly after a number; write '*' to multiply"),
    ("x * 1e39", "5: the number 1e39 is too large for a 32-bit float"),
    ("x * (1e38 * 100)", "3: the constant here is 1e+40, which no float holds"),
    ("x * (1 / 0)", "3: the constant here is inf, which no float holds"),
    ("x * (0 % 0)", "3: the constant here is nan, which no float holds"),
    ("x < gain < 2", "10: comparisons do not chain; put one of them in brackets"),
    ("tanh(x,)", "8: expected an expression after ',', found ')'"),
    ("tanh()", "1: 'x' is missing; the function is tanh(x)"),
    ("tanh(x, 1)", "9: one argument too many; the function is tanh(x)"),
    ("tanh(y: x)", "6: tanh takes no 'y'; the function is tanh(x)"),
    ("tanh(x, x: x)", "9: 'x' is given twice"),
    ("pad(x, axis: 0, befor: 1)", "17: pad takes no 'befor'; did you mean 'before'?"),
    ("delay(x, by: x, max: 9)", "17: delay takes no 'max'; did you mean 'maximum'?"),
    ("clamp(x, Min: 0, maximum: 1)", "10: clamp takes no 'Min'; did you mean 'minimum'?"),
    (
      "clamp(x, m: 0, maximum: 1)", "10: clamp takes no 'm'; the function is clamp(x, minimum, maximum)"
    ),
    ("delay(x, 0)", "1: a delay must be at least 1 frame; it is 0"),
    ("delay(x, -1)", "1: a delay must be at least 1 frame; it is -1"),
    ("delay(x, 1e12)", "1: a delay must be at most 268435328 frames; it is 1000000000000"),
    ("delay(x, 1e30)", "10: 'frames' must be a whole number; it is 1e+30"),
    ("delay(x, 1 / 0)", "10: 'frames' must be a whole number; it is inf"),
    (
      "delay(x, sampleRate / 7)",
      "10: 'frames' must be a whole number; it is 6857.142857142857; round(…) makes it whole"
    ),
    (
      "delay(x, by: x, maximum: 9, interpolation: cubic)",
      "44: no value is called 'cubic'; this word stands in quotation marks: 'cubic'"
    ),
    (
      "delay(x, gain)",
      "10: 'frames' must be a whole number that is known when the model is compiled; "
        + "what moves goes by name, with its most frames: delay(x, by: time, maximum: 4800)"
    ),
    (
      "delay(x, 'one')",
      "10: 'frames' must be a whole number that is known when the model is compiled; "
        + "what moves goes by name, with its most frames: delay(x, by: time, maximum: 4800)"
    ),
    (
      "delay(x, 268435328)",
      "1: delays and histories keep 4294965248 bytes, 4294965248 of them here; 1073741824 are the most"
    ),
    ("leakyRelu(x, gain)", "14: 'slope' must be a number that is known when the model is compiled"),
    ("leakyRelu(x, 1e20 * 1e20)", "14: 'slope' is 1e+40, which no float holds"),
    ("reshape(x, gain)", "12: 'shape' must be a whole number that is known when the model is compiled"),
    ("reshape(x, [2, 3])", "1: [4, frames] has 4 numbers and cannot become [2, 3]"),
    ("reshape(x, [-2, -2])", "1: [4, frames] has 4 numbers and cannot become [-2, -2]"),
    (
      "reshape(x, [9007199254740992, 9007199254740992])",
      "1: [4, frames] has 4 numbers and cannot become [9007199254740992, 9007199254740992]"
    ),
    ("reshape(x, [1,1,1,1,1,1,1,1,4])", "1: the result would have 9 axes; 8 are the most"),
    ("broadcast(x, [1,1,1,1,1,1,1,4])", "1: the result would have 9 axes; 8 are the most"),
    (
      "broadcast(mono, [100000, 100000])",
      "1: the result would have the shape [100000, 100000, frames]; 268435456 numbers are the most"
    ),
    (
      "broadcast(mono, [0])",
      "1: the result would have the shape [0, frames]; every extent must be at least 1"
    ),
    ("broadcast(x, [3])", "1: [4, frames] does not stretch to [3, frames]"),
    ("pad(x, 0, 9007199254740992, 1)", "1: padding of 9007199254740992 and 1 must lie in 0…16777216"),
    (
      "pad(x, 0, 16777216)",
      "1: the result would have the shape [16777220, frames]; 16777216 positions along one axis are the most"
    ),
    ("pad(x, 0, -1)", "1: padding of -1 and 0 must lie in 0…16777216"),
    ("pad(x, axis: 1)", "1: axis 1 of [4, frames] is the frames; this works along fixed axes only"),
    ("slice(x, 0, 3, 2)", "1: a slice of 2 from 3 does not fit axis 0 of [4, frames], which has 4"),
    ("slice(x, 0, -1)", "1: a slice of 1 from -1 does not fit axis 0 of [4, frames], which has 4"),
    (
      "slice(x, 0, 9007199254740992, 9007199254740992)",
      "1: a slice of 9007199254740992 from 9007199254740992 does not fit axis 0 of [4, frames], which has 4"
    ),
    (
      "slice(x, 9007199254740992, 0)",
      "1: [4, frames] has 1 fixed axis; there is no fixed axis 9007199254740992"
    ),
    ("slice(x, -2, 0)", "1: [4, frames] has 1 fixed axis; there is no fixed axis -2"),
    ("sum(x, [0, 0])", "1: axis 0 is named twice"),
    (
      "sum(mono, 0)",
      "1: axis 0 of [frames] is the frames; this works along fixed axes only; reshape(…, [1]) gives it one"
    ),
    (
      "layerNorm(mono)",
      "1: axis -1 of [frames] is the frames; this works along fixed axes only; reshape(…, [1]) gives it one"
    ),
    ("layerNorm(x, axis: 1)", "1: axis 1 of [4, frames] is the frames; this works along fixed axes only"),
    (
      "layerNorm(x, 'conv.weight')",
      "1: what goes with axis 0 of [4, frames] is one number for each position, [4]; this is [1, 1, 3]"
    ),
    (
      "rmsNorm(x, reshape(x, [2, 2]))",
      "1: what goes with axis 0 of [4, frames] is one number for each position, [4]; this is [2, 2, frames]"
    ),
    (
      "batchNorm(x, 0, broadcast(1, [3]))",
      "1: what goes with axis 0 of [4, frames] is one number for each position, [4]; this is [3]"
    ),
    (
      "prelu(x, broadcast(1, [4, 1]))",
      "1: what goes with axis 0 of [4, frames] is one number for each position, [4]; this is [4, 1]"
    ),
    (
      "transpose(x, [1, 0])",
      "1: the order must name each of the 1 fixed axes of [4, frames] once; it is [1, 0]"
    ),
    ("control(x)", "1: control takes a value without channels; this one is [4, frames]"),
    (
      "x + concatenate([mono, mono])",
      "3: the shapes [4, frames] and [2, frames] do not broadcast"
    ),
    (
      "x * concatenate([reshape(mono, [1]), reshape(mono, [1])])",
      "3: the shapes [4, frames] and [2, frames] do not broadcast"
    ),
    (
      "dense(x, 'conv.weight')",
      "1: dense over axis 0 of [4, frames] needs a weight [out, 4]; this one is [1, 1, 3]"
    ),
    (
      "dense(mono, 'matrix')",
      "1: dense needs a fixed axis, and [frames] has none; broadcast(…, [4]) gives it one of 4"
    ),
    ("dense(x, 'matrix', 'matrix')", "1: the bias must be [1]; it is [1, 4]"),
    (
      "conv1d(x, 'conv.weight')",
      "1: conv1d of [4, frames] in 1 group needs a weight [out, 4, kernel]; this one is [1, 1, 3]"
    ),
    ("conv1d(x, 'conv.weight', groups: 3)", "1: 4 channels do not divide into 3 groups"),
    ("conv1d(x, 'conv.weight', groups: 0)", "1: dilation, stride and groups must be at least 1"),
    ("conv1d(x, 'conv.weight', dilation: 0)", "1: the dilation must lie in 1…16777216; it is 0"),
    (
      "conv1d(x, 'conv.weight', padding: 'none')",
      "26: 'padding' must be one of \\\"causal\\\", \\\"same\\\", \\\"valid\\\""
    ),
    ("dense(x, 'matrix', axis: 0, ways: 3)", "1: ways must be a power of two from 1 to 16; they are 3"),
    ("conv1d(x, 'matrix')", "1: conv1d needs a weight [out, in / groups, kernel]; this one is [1, 4]"),
    (
      "conv1d(mono, 'conv.weight')",
      "1: conv1d needs an axis of channels before the one it walks along; [frames] has none"
    ),
    (
      "conv1d(reshape(mono, [1]), 'conv.weight', stride: 2)",
      "1: conv1d along frames has no stride; it is 2"
    ),
    (
      "conv1d(reshape(mono, [1]), 'conv.weight', padding: 'valid')",
      "1: conv1d along frames is causal or same; padding \\\"valid\\\" needs a fixed axis"
    ),
    (
      "film(x, mono, 'matrix')",
      "1: [frames] has 0 fixed axes; there is no fixed axis 0"
    ),
    (
      "film(x, x, 'matrix')",
      "1: film of [4, frames] needs a weight of its channels, or of twice as many for the shift, too; this one has 1 rows"
    ),
    (
      "film(x, x, 'one')",
      "1: dense over axis 0 of [4, frames] needs a weight [out, 4]; this one is []"
    ),
    (
      "film(x, x, 'matrix', axis: 1)",
      "1: axis 1 of [4, frames] is the frames; this works along fixed axes only"
    ),
    (
      "film(mono, x, 'matrix')",
      "1: axis 0 of [frames] is the frames; this works along fixed axes only; reshape(…, [1]) gives it one"
    ),
    (
      "film(x, x)",
      "1: 'weight' is missing; the function is film(x, condition, weight, bias?, axis: 0)"
    ),
    (
      "convTranspose(x, 'matrix')",
      "1: convTranspose in 1 group needs a weight [in, out / groups, kernel…]; this one is [1, 4]"
    ),
    (
      "convTranspose(x, 'conv.weight', groups: 0)",
      "1: convTranspose in 0 groups needs a weight [in, out / groups, kernel…]; this one is [1, 1, 3]"
    ),
    (
      "convTranspose(x, 'conv.weight', groups: 2)",
      "1: convTranspose in 2 groups needs a weight [in, out / groups, kernel…]; this one is [1, 1, 3]"
    ),
    (
      "convTranspose(x, 'conv.weight')",
      "1: convTranspose of [4, frames] needs a weight [4, out / groups, kernel…]; this one is [1, 1, 3]"
    ),
    (
      "convTranspose(mono, 'conv.weight')",
      "1: convTranspose needs an axis of channels before the one it walks along; [frames] has none"
    ),
    (
      "convTranspose(reshape(mono, [1]), 'conv.weight', dilation: 0)",
      "1: the dilation must lie in 1…16777216; it is 0"
    ),
    (
      "convTranspose(reshape(mono, [1]), 'conv.weight', padding: 'full')",
      "1: convTranspose along frames is causal or same; padding \\\"full\\\" needs a fixed axis"
    ),
    (
      "convTranspose(reshape(mono, [1]), 'conv.weight', axis: 0)",
      "1: convTranspose needs an axis of channels before the one it walks along; [1, frames] has none"
    ),
    (
      "convTranspose(reshape(mono, [1]), 'conv.weight', axis: 3)",
      "1: [1, frames] has 1 fixed axis; there is no fixed axis 3"
    ),
    (
      "convTranspose(reshape(mono, [1]), pad('conv.weight', 2, 0, 1048574))",
      "1: convTranspose has 1048577 taps; 1048576 are the most"
    ),
    (
      "convTranspose(reshape(mono, [1]), 'conv.weight', stride: 2)",
      "1: convTranspose along frames has no stride; it is 2"
    ),
    (
      "convTranspose(reshape(mono, [1, 1]), 'conv.weight', stride: 0, axis: 1)",
      "1: the stride must lie in 1…16777216; it is 0"
    ),
    (
      "convTranspose(reshape(mono, [1, 1]), 'conv.weight', stride: [1, 2], axis: 1)",
      "1: stride takes one number, or 1; these are [1, 2]"
    ),
    (
      "convTranspose(reshape(x, [1, 4]), 'conv.weight', stride: 16777216, axis: 1)",
      "1: convTranspose makes 67108864 positions of axis 1; 16777216 are the most"
    ),
    (
      "convTranspose(reshape(x, [1, 4]), reshape('conv.weight', [1, 1, 1, 3]))",
      "1: convTranspose needs an axis of channels before those it walks along; [1, 4, frames] has none"
    ),
    (
      "convTranspose(reshape(x, [1, 4]), reshape('conv.weight', [1, 1, 1, 3]), axis: 1)",
      "1: convTranspose from axis 1 of [1, 4, frames] needs 2 axes from it on"
    ),
    (
      "convTranspose(reshape(x, [1, 2, 2]), pad(reshape('conv.weight', [1, 1, 3, 1]), 3, 0, 255), stride: [2, 256], dilation: 257)",
      "1: convTranspose of dilation [257, 257] and stride [2, 256] comes apart into 512 convolutions; 256 are the most"
    ),
    (
      "delay(x, 2, initial: x)",
      "1: a delay begins with what has no frames; this is [4, frames]"
    ),
    (
      "delay(x, 2, initial: 'matrix')",
      "1: a delay of [4, frames] by 2 begins with [4], or with [4, 2], whose last axis goes frame by frame; this is [1, 4]"
    ),
    (
      "delay(x, by: gain, maximum: 4, initial: 'one')",
      "1: initial goes with a delay by a number of frames"
    ),
    (
      "delay(x, 0, initial: 'one')",
      "1: a delay must be at least 1 frame; it is 0"
    ),
    (
      "rnn(x, 'matrix', 'bias', axis: 0)",
      "1: rnn needs a weight [units, in] and a recurrent one [units, units]; these are [1, 4] and [1]"
    ),
    (
      "rnn(x, 'matrix', slice('matrix', 1, 0, 1), initial: 'matrix', axis: 0)",
      "1: rnn has initial [1]; this is [1, 4]"
    ),
    (
      "rnn(x, 'matrix', slice('matrix', 1, 0, 1), initial: x, axis: 0)",
      "1: rnn has initial [1]; this is [4, frames]"
    ),
    (
      "lstm(x, broadcast('matrix', [4, 4]), broadcast('bias', [4, 1]), initialCell: 'matrix', axis: 0)",
      "1: lstm has initialCell [1]; this is [1, 4]"
    ),
  ]

  @Test(arguments: expressions)
  func expression(text: String, expected: String) {
    let column = Int(expected.prefix(while: { $0 != ":" }))!
    let message = expected.drop(while: { $0 != ":" }).replacing("\\\"", with: "\"")
    // An escape is one character, and six columns.
    let shift = text.contains("\\u0000") && column > 2 ? 5 : 0
    let found = messages(aboutGraph: ["y=\(text)"])
    #expect(found == ["m:7:\(5 + column + shift)\(message)"], "\(text)")
  }

  @Test func numbersWithManyDigitsAreRefused() {
    let digits = String(repeating: "1", count: 1_000_000)
    #expect(
      messages(aboutGraph: ["y=x * \(digits)"])
        == ["m:7:10: a number may have at most 1024 characters, this one has 1000000"])
  }
}
