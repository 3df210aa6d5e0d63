// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphPlanning
import NativeCode
import RealtimeCore
import Testing

@Suite struct LoadedCodeTests {
  /// Executes code over one row.
  static func execute(_ code: LoadedCode, over input: [Float]) -> [Float] {
    var output = [Float](repeating: .nan, count: input.count)
    var place = 0.0
    unsafe input.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { destination in
        let sources = unsafe [source.baseAddress]
        let destinations = unsafe [destination.baseAddress]
        unsafe code.entryPoint(sources, destinations, &place, nil, source.count)
      }
    }
    return output
  }

  @Test(arguments: Target.names)
  func executesWhatTheTextSays(name: String) throws {
    let target = try Target.named(name)
    guard try target.runsHere else { return }
    let (code, object) = try LoadedCode.compile(ir: SampleText.adder(3), entry: "execute", target: target)
    for count in [0, 1, 15, 16, 17, 64, 1000] {
      let input = (0..<count).map { Float($0) * 0.5 }
      #expect(Self.execute(code, over: input) == input.map { $0 + 3 }, "\(count) frames for \(name)")
    }
    #expect(object.target == target)
  }

  @Test func namesAMissingEntry() throws {
    let object = try ObjectFile.emit(ir: SampleText.adder(), target: .host())
    #expect(throws: NativeCodeError.entryMissing(name: "process")) {
      try LoadedCode(object: object, entry: "process")
    }
  }

  @Test func refusesCodeForAnotherMachine() throws {
    let here = try Target.host()
    var foreign = here
    foreign.features += ",+no-such-feature"
    #expect(
      throws: NativeCodeError.cannotRunHere(cpu: here.cpu, reason: "which lacks no-such-feature")
    ) {
      try LoadedCode.compile(ir: SampleText.adder(), entry: "execute", target: foreign)
    }
  }

  @Test(arguments: CodeImageTests.targets) func placesCodeOfItsOwnMachineAlone(target: Target) throws {
    let object = try ObjectFile.emit(ir: SampleText.adder(), target: target)
    let here = try #require(Target.host().triple.split(separator: "-").first)
    if target.architecture == here {
      _ = try LoadedCode(placing: object.bytes, entry: "execute")
    } else {
      #expect(
        throws: NativeCodeError.cannotRunHere(cpu: target.architecture, reason: "which is \(here)")
      ) {
        try LoadedCode(placing: object.bytes, entry: "execute")
      }
    }
  }

  @Test func memoryIsNeverWritableAndExecutable() throws {
    let (code, _) = try LoadedCode.compile(ir: SampleText.adder(), entry: "execute", target: .host())
    let address = unsafe UInt(bitPattern: unsafeBitCast(code.entryPoint, to: UnsafeRawPointer.self))
    let mappings = try Mapping.all()
    let own = mappings.first { $0.range.contains(address) }
    withExtendedLifetime(code) {
      #expect(own?.rights.hasPrefix("r-x") == true)
      #expect(mappings.filter { $0.rights.contains("w") && $0.rights.contains("x") }.isEmpty)
    }
  }

  @Test func freedCodeLeavesNoMappings() throws {
    let target = try Target.host()
    var kept: [LoadedCode] = []
    func cycle(_ constant: Int, keeping: Bool = false) throws {
      let (code, _) = try LoadedCode.compile(ir: SampleText.adder(constant), entry: "execute", target: target)
      #expect(Self.execute(code, over: [1]) == [1 + Float(constant)])
      if keeping { kept.append(code) }
    }
    let executable = { try Mapping.all().filter { $0.rights.contains("x") && $0.name.isEmpty } }

    try cycle(1)
    let before = try executable()
    for constant in 1...50 { try cycle(constant) }
    // Other tests of this process may hold a few programs at the same time.
    #expect(try executable().count < before.count + 10)

    let beforeKeeping = try executable().count
    for constant in 1...50 { try cycle(constant, keeping: true) }
    #expect(try executable().count >= beforeKeeping + 40, "what is kept shows: the count above can fail")
    withExtendedLifetime(kept) {}
  }

  @Test func threadsCompileAtOnce() async throws {
    let target = try Target.host()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 1...4 {
        group.addTask {
          for round in 1...8 {
            let constant = thread * 100 + round
            let (code, _) = try LoadedCode.compile(
              ir: SampleText.adder(constant), entry: "execute", target: target)
            #expect(Self.execute(code, over: [0.5]) == [Float(constant) + 0.5])
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func saysHowLongItTakes() throws {
    let target = try Target.host()
    let clock = ContinuousClock()
    var object: ObjectFile?
    var code: LoadedCode?
    for round in ["first", "second", "third"] {
      let making = try clock.measure { object = try ObjectFile.emit(ir: SampleText.adder(), target: target) }
      let linking = try clock.measure { code = try LoadedCode(object: #require(object), entry: "execute") }
      let freeing = clock.measure { code = nil }
      print("\(round): object \(making), link \(linking), free \(freeing)")
    }
    #expect(try #require(object).codeBytes > 0)
    #expect(code == nil)
  }
}
