// SPDX-License-Identifier: Apache-2.0

import LiveEngine
import LiveEquipment
import RealtimeCore
import RealtimeWatch
import Testing

/// A program takes another one's place while it plays, with the past that both have.
struct SwapTests {
  /// An echo with a filter in its loop, and parameters of every kind.
  private static let echo = [
    "loop": "x + feedback * worn", "worn": "0.7 * delay(loop, 3000) + 0.3 * delay(worn, 1)",
    "held": "control(feedback)", "y": "x + worn * level * step + 0.01 * held",
  ]
  private static let knobs = [
    "feedback": "{ \"default\": 0.5, \"minimum\": 0, \"maximum\": 0.9 }",
    "level": "{ \"default\": 1, \"minimum\": 0, \"maximum\": 1, \"ramp\": 0.5 }",
    "step": "{ \"default\": 1, \"minimum\": 0, \"maximum\": 1, \"ramp\": 0 }",
  ]

  /// A swap to the same program changes no bit, though a parameter is on its way.
  @Test(arguments: Playing.blockSizes) func theSameProgramChangesNothing(blocks: [Int]) throws {
    let program = try LiveModels.program(Self.echo, parameters: Self.knobs)
    let input = LiveModels.noise(40_000)
    let (still, swapped) = (
      try Playing(program, input, blocks: blocks), try Playing(program, input, blocks: blocks)
    )
    for playing in [still, swapped] {
      playing.play(to: 5_000)
      playing.live.parameters[0].set(0.8)
      playing.live.parameters[1].set(0.25)
      playing.live.parameters[2].set(0.5)
      playing.play(to: 6_000)
    }
    for _ in 0..<3 {
      try swapped.post(program)
      swapped.finishSwap()
      swapped.play(to: swapped.position + 777)
    }
    for playing in [still, swapped] { playing.play() }
    #expect(bits(swapped.output) == bits(still.output))
    #expect(swapped.live.parameters.map(\.value) == [0.8, 0.25, 0.5])
  }

  /// Edits that leave the past what it is: the edited program goes on as if it had always been played.
  @Test(
    arguments: Playing.blockSizes,
    [
      ["y": "loop * 0.25"], ["y": "tanh(loop) + delay(loop, 1999)"], ["other": "x * 2", "y": "other + loop"],
      ["y": "delay(loop, 3500)"], ["y": "delay(loop, 30)"],
    ])
  func goesOnAsIfItHadAlwaysBeen(blocks: [Int], edited: [String: String]) throws {
    let loop = ["loop": "x + 0.5 * delay(loop, 2000)"]
    let old = try LiveModels.program(loop.merging(["y": "loop"]) { $1 })
    let new = try LiveModels.program(loop.merging(edited) { $1 })
    let input = LiveModels.noise(20_000)
    let playing = try Playing(old, input, blocks: blocks)
    playing.play(to: 7_000)
    try playing.post(new)
    let end = playing.finishSwap()
    playing.play()
    let (before, after) = (try rendered(old, input), try rendered(new, input))
    #expect(bits(playing.output[..<7_000]) == bits(before[..<7_000]))
    #expect(bits(playing.output[end...]) == bits(after[end...]))
    // Blocks of a frame afford 4 KiB of its past at each multiple of 64 frames.
    #expect(end < 7_000 + 2 * 960 + 4 * 64)
  }

  /// A short past of several rows that a sum reads moves on with the stream; where it is also looked at from further on,
  /// it lies in rings. A loop behind it does not forget what was wrong for one frame.
  @Test(arguments: Playing.blockSizes, [[20, 20], [40, 40], [60, 60], [100, 40]])
  func aPastThatMovesOnIsCarried(blocks: [Int], furthest: [Int]) throws {
    let delay = furthest.min()!
    let programs = try furthest.map { furthest in
      try LiveModels.program(
        [
          "b": "broadcast(x, shape: [1])", "wide": "concatenate([b, 0.5 * b, tanh(b)], axis: 0)",
          "y": "sum(delay(wide, \(delay)), axis: 0) + 0 * sum(delay(wide, \(furthest)), axis: 0)",
          "z": "y + 0.999 * delay(z, 1)",
        ], output: "z")
    }
    #expect(
      zip(programs, furthest).allSatisfy { $0.layout.histories.contains(where: \.movesOn) == ($1 < 64) })
    let input = LiveModels.noise(20_000)
    let playing = try Playing(programs[0], input, blocks: blocks)
    playing.play(to: 7_001)
    try playing.post(programs[1])
    let end = playing.finishSwap()
    playing.play()
    #expect(bits(playing.output[end...]) == bits(try rendered(programs[1], input)[end...]))
  }

  /// A loop whose past lies in columns, as each frame needs all channels of the one before it, and the same loop whose
  /// past lies in rows: what one of them holds the other one goes on to hold.
  @Test(arguments: Playing.blockSizes, [[0, 1], [1, 0], [1, 1]])
  func aPastInColumnsIsCarried(blocks: [Int], way: [Int]) throws {
    let programs = try ["p", "min(p, 1000 + sum(abs(p), axis: 0))"].map { past in
      try LiveModels.program([
        "b": "broadcast(x, shape: [1])", "wide": "concatenate([b, 0.5 * b, -b], axis: 0)", "p": "delay(h, 1)",
        "h": "max(wide, \(past))", "y": "sum(h, axis: 0)",
      ])
    }
    let input = LiveModels.noise(4_000) + [Float](repeating: 0, count: 6_000)
    let playing = try Playing(programs[way[0]], input, blocks: blocks)
    playing.play(to: 5_000)
    try playing.post(programs[way[1]])
    playing.finishSwap()
    playing.play()
    let (most, least) = (input.max()!, input.min()!)
    let held = most + 0.5 * most - least
    #expect(playing.output[4_500...].allSatisfy { abs($0 - held) < 1e-5 })
  }

  /// The past of a cell in columns stays its own, where the same value is remembered in rows as well or no longer.
  @Test(arguments: Playing.blockSizes, [[0, 1], [1, 0], [1, 1]]) func aCellKeepsItsPastBesideAnother(
    blocks: [Int], way: [Int]
  )
    throws
  {
    let programs = try ["y", "y + 0 * sum(delay(h, 700), axis: 0)"].map { sum in
      try LiveModels.program(
        [
          "b": "broadcast(x, shape: [1])", "wide": "concatenate([b, 0.5 * b, -b], axis: 0)",
          "p": "delay(h, 1)", "h": "max(wide, min(p, 1000 + sum(abs(p), axis: 0)))",
          "y": "sum(h, axis: 0)", "z": sum,
        ], output: "z")
    }
    let input = LiveModels.noise(4_000) + [Float](repeating: 0, count: 6_000)
    let playing = try Playing(programs[way[0]], input, blocks: blocks)
    playing.play(to: 5_000)
    try playing.post(programs[way[1]])
    playing.finishSwap()
    playing.play()
    let (most, least) = (input.max()!, input.min()!)
    let held = most + 0.5 * most - least
    #expect(playing.output[4_500...].allSatisfy { abs($0 - held) < 1e-5 })
  }

  /// A cell whose past lies in columns and, for an echo, in rows; and one that has no fold, and one past in rows.
  @Test(arguments: [[0, 1], [1, 0]]) func theLongerPastIsCarriedBetweenRowsAndColumns(way: [Int]) throws {
    let programs = try ["p", "min(p, 1000 + sum(abs(p), axis: 0))"].map { past in
      try LiveModels.program(
        [
          "b": "broadcast(x, shape: [1])", "wide": "concatenate([b, 0.5 * b, -b], axis: 0)",
          "p": "delay(h, 1)",
          "h": "max(wide, \(past))", "y": "sum(delay(h, 3000), axis: 0)",
        ])
    }
    let input = LiveModels.noise(1_000) + [Float](repeating: 0, count: 14_000)
    let playing = try Playing(programs[way[0]], input)
    playing.play(to: 8_000)
    try playing.post(programs[way[1]])
    playing.finishSwap()
    playing.play()
    let (most, least) = (input.max()!, input.min()!)
    let held = most + 0.5 * most - least
    #expect(playing.output[4_500...].allSatisfy { abs($0 - held) < 1e-5 })
  }

  /// A loop of a frame keeps what it remembers in registers: the places between in its ring hold what was played long
  /// ago, which an edit that looks back further must not hear.
  @Test(arguments: [2, 30, 100, 500]) func aLoopThatLooksFurtherBackHearsNothingStale(frames: Int) throws {
    let old = try LiveModels.program(["y": "x + 0.5 * delay(y, 1)"])
    let new = try LiveModels.program(["y": "x + 0.5 * delay(y, \(frames))"])
    let input = LiveModels.noise(1_000) + [Float](repeating: 0, count: 4_000)
    let blocks = [Int](repeating: 1, count: 1_000) + [Int](repeating: 64, count: 100)
    let playing = try Playing(old, input, blocks: blocks)
    playing.play(to: 1_000 + 20 * 64)
    try playing.post(new)
    playing.play()
    #expect(!playing.isSwapping)
    #expect(playing.output[1_100...].allSatisfy { abs($0) < 1e-6 })
  }

  /// While a long past is copied in parts, frames go by of which the ring of a loop in registers keeps one: what stands
  /// between them is not heard, whichever of the two is copied first.
  @Test(arguments: ["a", "b", "c", "d", "e", "f"], [2, 30, 100])
  func whatIsCopiedInPartsHearsNothingStale(name: String, frames: Int) throws {
    let heard = "y + delay(\(name), 200000)"
    let old = try LiveModels.program(
      [
        "y": "x + 0.5 * delay(y, 1)", "\(name)": "x * 0.5", "z": heard,
      ], output: "z")
    let new = try LiveModels.program(
      [
        "y": "x + 0.5 * delay(y, \(frames))", "\(name)": "x * 0.5", "z": heard,
      ], output: "z")
    let input = LiveModels.noise(1_000) + [Float](repeating: 0, count: 229_000)
    let blocks = [Int](repeating: 1, count: 1_000) + [Int](repeating: 64, count: 3_580)
    let playing = try Playing(old, input, blocks: blocks)
    playing.play(to: 210_024)
    try playing.post(new)
    let end = playing.finishSwap()
    #expect(end > 210_024 + 2 * 960 + 2 * 64, "the past was copied at once")
    playing.play()
    #expect(playing.output[202_000...].allSatisfy { abs($0) < 1e-6 })
  }

  /// An edit mends a loop that was unstable: where its past is infinite, silence takes the place.
  @Test func anUnstableLoopIsMended() throws {
    let old = try LiveModels.program(["loop": "x + 4 * delay(loop, 100)", "y": "loop"])
    let new = try LiveModels.program(["loop": "x + 0.5 * delay(loop, 100)", "y": "loop"])
    let playing = try Playing(old, LiveModels.noise(40_000))
    // By itself it would begin anew only later.
    repeat { playing.play(to: playing.position + 64) } while playing.output.last?.isFinite == true
    playing.play(to: playing.position + 1280)
    try playing.post(new)
    let end = playing.finishSwap()
    playing.play()
    #expect(playing.renewals == 0 && playing.output.count == 40_000)
    #expect(playing.output[end...].allSatisfy { abs($0) < 10 })
  }

  /// A crossfade lies between both programs, and is equal to them where they are equal.
  @Test func crossfadesEvenly() throws {
    let (old, new) = (try LiveModels.program(["y": "x"]), try LiveModels.program(["y": "0.5 * x"]))
    let playing = try Playing(old, [Float](repeating: 1, count: 4_000))
    playing.play(to: 640)
    try playing.post(new)
    playing.play()
    let expected = (0..<4_000).map { frame in
      let gain = frame < 640 ? 0 : Float(min(frame - 640 + 1, 961)) / 961
      return 1 - 0.5 * gain
    }
    #expect(playing.output == expected)
  }

  /// More than is copied for one block.
  @Test func aLongPastIsCopiedInParts() throws {
    let old = try LiveModels.program(["loop": "x + 0.5 * delay(loop, 200000)", "y": "loop"])
    let new = try LiveModels.program(["loop": "x + 0.5 * delay(loop, 200000)", "y": "loop * 0.5"])
    let input = LiveModels.noise(250_000)
    let playing = try Playing(old, input)
    playing.play(to: 210_000)
    try playing.post(new)
    let end = playing.finishSwap()
    playing.play()
    #expect(end > 210_000 + 2 * 960 + 2 * 64)
    #expect(bits(playing.output[end...]) == bits(try rendered(new, input)[end...]))
  }

  /// A value of other channels, or of another name, begins with silence; the rest is carried over.
  @Test func anotherNameIsAnotherPast() throws {
    let old = try LiveModels.program(["a": "0.5 * x", "b": "0.25 * x", "y": "delay(a, 40) + delay(b, 50)"])
    let new = try LiveModels.program(["a": "0.5 * x", "c": "0.25 * x", "y": "delay(a, 40) + delay(c, 50)"])
    let playing = try Playing(old, [Float](repeating: 1, count: 2_000))
    playing.play(to: 640)
    try playing.post(new)
    playing.play()
    let fade = { (frame: Int) in Float(frame - 640 + 1) / 961 }
    // The one that was called b is missing for its length.
    for frame in 640..<690 {
      let expected: Float = 0.75 + (0.5 - 0.75) * fade(frame)
      #expect(playing.output[frame] == expected)
    }
    #expect(playing.output[690] == 0.75)
  }

  @Test func theNewestEditWins() throws {
    let programs = try (0..<4).map { try LiveModels.program(["y": "\($0 + 1) * x"]) }
    let playing = try Playing(programs[0], [Float](repeating: 1, count: 10_000))
    playing.play(to: 640)
    weak let second = try { () throws in
      try playing.post(programs[1])
      return playing.live
    }()
    try playing.post(programs[2])
    #expect(second == nil, "a program that was never played is still there")
    playing.play(to: 704)
    try playing.post(programs[3])
    playing.play(to: 4_000)
    #expect(abs(playing.output[1_599] - 3) < 0.01, "the swap that had begun is finished first")
    #expect(playing.output[3_999] == 4)
    // The mailbox holds the first one, the processor the third, which waits until there is room.
    try playing.post(programs[1])
    playing.play(to: 6_000)
    #expect(playing.output[5_999] == 4)
    #expect(playing.mailbox.collect() != nil)
    playing.play()
    #expect(playing.output.last == 2)
    #expect(playing.mailbox.collect() != nil && playing.mailbox.collect() == nil)
  }

  /// Wherever a program is when everything ends, it is freed.
  @Test(arguments: [0, 640, 1_000, 2_000]) func nothingIsLeftBehind(frames: Int) throws {
    let program = try LiveModels.program(["y": "x"])
    var programs: [() -> LiveProgram?] = []
    func remember(_ live: LiveProgram) { programs.append { [weak live] in live } }
    do {
      let playing = try Playing(program, [Float](repeating: 1, count: 4_000))
      remember(playing.live)
      for _ in 0..<3 {
        try playing.post(program)
        remember(playing.live)
        playing.play(to: playing.position + frames)
      }
    }
    #expect(programs.allSatisfy { $0() == nil })
  }

  /// Swaps take nothing from the heap, free nothing, take no lock, and never enter the kernel, nor does the play of
  /// what was turned meanwhile: from the first time on, for which nothing was made ready.
  @Test(.enabled(if: Sanitizer.isAbsent)) func keepsTheAudioThreadsRules() throws {
    let old = try LiveModels.program(Self.echo, parameters: Self.knobs)
    let new = try LiveModels.program(
      Self.echo.merging(["y": "worn * level + delay(x, 5000)"]) { $1 }, parameters: Self.knobs)
    var played: [Bool] = []
    let playing = try Playing(old, LiveModels.noise(60_000), blocks: [441])
    for program in [new, old, new] {
      try playing.post(program)
      let before = RealtimeWatch.counts { playing.play(to: playing.position + 441) }
      // Who turns it is not the audio thread.
      playing.live.parameters[0].set(0.1)
      let after = RealtimeWatch.counts { playing.play(to: playing.position + 4_410) }
      #expect(before.offences == [] && after.offences == [])
      played.append(!playing.isSwapping && playing.mailbox.collect() != nil)
    }
    #expect(played == [true, true, true])
  }
}
