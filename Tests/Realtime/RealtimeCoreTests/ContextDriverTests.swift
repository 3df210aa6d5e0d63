// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import Testing

@Suite("The driver of a program's contexts")
struct ContextDriverTests {
  @Test("Contexts side by side play what each of them plays by itself, from any frame of the rows on")
  func sideBySide() throws {
    let program = try GainProgram.make()
    let input = signal(channels: 4, frames: 60)
    var driver = try ContextDriver(program, contexts: 2, frames: 60)
    driver.inputs.fill(input, from: 0, frames: 60)
    for index in 0..<driver.count { driver[index].parameter(named: "echo")!.set(0.5) }
    driver.execute(25)
    driver.execute(35, from: 25)
    for index in 0..<2 {
      var alone = try Context(program)
      alone.parameter(named: "echo")!.set(0.5)
      let expected = alone.render(Array(input[2 * index..<2 * index + 2]), block: 60)
      let outputs = (0..<2).map { driver.output(2 * index + $0, frames: 60) }
      let position = driver[index].position
      #expect(bits(outputs) == bits(expected) && position == 60)
    }
  }

  @Test("Rows read chosen channels, some of them twice, and rows of somebody else")
  func choosing() throws {
    let program = try GainProgram.make()
    let input = signal(channels: 3, frames: 8)
    var driver = try ContextDriver(program, contexts: 2, frames: 8, reading: [2, 0, 0, 0], of: 3)
    driver.inputs.fill(input, from: 0, frames: 8)
    driver.execute(8)
    let outputs = (0..<4).map { driver.output($0, frames: 8) }
    #expect(outputs == [input[2], input[0], input[0], input[0]])

    let others = try RowMemory(units: [1, 1], frames: 10, repeating: 0.25)
    var rows = ChosenRows(others, [1, 0, 0, 1])
    for index in 0..<2 { driver[index].reset() }
    let table = unsafe rows.at(2).map { unsafe Optional(UnsafePointer($0)) }
    unsafe table.withUnsafeBufferPointer { unsafe driver.run(8, reading: $0.baseAddress) }
    let last = driver.output(3, frames: 8)
    #expect(last == [Float](repeating: 0.25, count: 8))
  }

  @Test("In place an output is where its input was")
  func inPlace() throws {
    let program = try GainProgram.make()
    let input = signal(frames: 30)
    let context = try Context(program)
    context.parameter(named: "echo")!.set(0.5)
    var driver = try ContextDriver(context, frames: 30, inPlace: true)
    driver.inputs.fill(input, from: 0, frames: 30)
    driver.execute(13)
    driver.execute(17, from: 13)
    var apart = try Context(program)
    apart.parameter(named: "echo")!.set(0.5)
    let expected = bits(apart.render(input, block: 30))
    let outputs = (0..<2).map { driver.output($0, frames: 30) }
    let inputs = (0..<2).map { row in (0..<30).map { driver.inputs[row, $0] } }
    #expect(bits(outputs) == expected && bits(inputs) == expected)
  }

  @Test("Input and output may be at different frames")
  func apart() throws {
    var driver = try ContextDriver(GainProgram.make(), frames: 30, outputFrames: 10)
    let input = signal(frames: 30)
    driver.inputs.fill(input, from: 0, frames: 30)
    driver.point(from: 20, to: 0)
    driver.run(10)
    let output = driver.output(1, frames: 10)
    #expect(output == Array(input[1][20...]))
  }

  @Test("A fence shows each number that is written beside the chosen frames", arguments: [0, 5])
  func fences(margin: Int) throws {
    var memory = try RowMemory(units: [1, 3, 1], frames: 4, margin: margin)
    let rows = [[1], [2, 3, 4], [5]] as [[Float]]
    memory.raiseFence()
    memory.fill(rows, from: 0, frames: 1, at: 2)
    var isWhole = memory.fenceIsWhole(except: 2..<3)
    var holds = memory.holds(rows, from: 0, frames: 1, at: 2)
    #expect(isWhole && holds)
    isWhole = memory.fenceIsWhole(except: 3..<3)
    #expect(!isWhole)
    for (row, index) in [(0, 1), (0, 3), (1, 5), (1, 9), (1, 0), (2, 0), (2, 3)] {
      let before = memory[row, index]
      memory[row, index] = 0
      isWhole = memory.fenceIsWhole(except: 2..<3)
      #expect(!isWhole, "row \(row), number \(index)")
      memory[row, index] = before
    }
    memory[1, 7] = -3
    isWhole = memory.fenceIsWhole(except: 2..<3)
    holds = memory.holds(rows, from: 0, frames: 1, at: 2)
    #expect(isWhole && !holds)
  }
}
