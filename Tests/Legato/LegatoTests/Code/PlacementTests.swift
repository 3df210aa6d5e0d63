// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import TestEquipment
import Testing

/// Objects as they are placed in memory: byte for byte what a linker makes of them.
@Suite(.waits) struct PlacementTests {
  static let targets = Target.levels + ["aarch64"]

  /// Each on one of the targets.
  @Test(arguments: Function.all.indices) func everyFunction(index: Int) throws {
    let graph = try #require(try FunctionExamples.graph(of: Function.all[index].name))
    try check(graph, Target.named(Self.targets[index % Self.targets.count]))
  }

  /// With cycles and histories, on both clocks.
  @Test(arguments: targets, UInt64(1)...6) func aRandomGraph(target: String, seed: UInt64) throws {
    try check(LawCase(seed: seed).graph, Target.named(target))
  }

  /// Each on one of the targets.
  @Test(arguments: targets.indices) func everyShippedModel(index: Int) throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: PackageFiles.models.path).sorted()
      .filter { $0.hasSuffix(".json") && !$0.contains("schema") }
    for file in stride(from: index, to: files.count, by: Self.targets.count).map({ files[$0] }) {
      let model = try Model(contentsOf: PackageFiles.models.appending(path: file).path)
      let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, 2) })
      try check(model.graph(extents: extents, sampleRate: nil), Target.named(Self.targets[index]))
    }
  }

  /// Calls and jumps to what others may replace, an address, and constants of every width.
  @Test(arguments: targets) func everyKindOfReference(target: String) throws {
    try check(ObjectFile.emit(ir: Self.references, target: Target.named(target)))
  }

  private static let references = """
    @byte = private constant i8 7
    @short = private constant [3 x i16] [i16 1, i16 2, i16 3]
    @word = private constant [3 x i32] [i32 1, i32 2, i32 3]
    @long = private constant [3 x i64] [i64 1, i64 2, i64 3]
    @wide = private constant [2 x <4 x i32>] [<4 x i32> splat (i32 1), <4 x i32> splat (i32 2)], align 16
    define dso_local void @near() nounwind noinline {
      ret void
    }
    define void @far() nounwind noinline {
      ret void
    }
    define void @execute(ptr %out) nounwind {
      %b = load volatile i8, ptr @byte
      store volatile i8 %b, ptr %out
      %s = load volatile i16, ptr getelementptr (i16, ptr @short, i64 1)
      store volatile i16 %s, ptr %out
      %w = load volatile i32, ptr getelementptr (i32, ptr @word, i64 2)
      store volatile i32 %w, ptr %out
      %l = load volatile i64, ptr getelementptr (i64, ptr @long, i64 1)
      store volatile i64 %l, ptr %out
      %v = load volatile <4 x i32>, ptr getelementptr (<4 x i32>, ptr @wide, i64 1)
      store volatile <4 x i32> %v, ptr %out
      store volatile ptr @near, ptr %out
      call void @near()
      call void @far()
      tail call void @far()
      ret void
    }
    """

  private func check(_ graph: Graph, _ target: Target) throws {
    try check(CompiledGraph(graph, options: CompileOptions(target: target)).object())
  }

  private func check(_ object: ObjectFile) throws {
    for (pageSize, address) in [(4096, 0x7F12_3450_0000), (65536, 65536)] {
      let image = try CodeImage(ELFContents(object.bytes), pageSize: pageSize)
      #expect(image.codeSize.isMultiple(of: pageSize))
      #expect(try linked(object, as: image, at: address) == image.bytes)
    }
  }

  /// The object's bytes after a linker has placed each section where the image has it.
  private func linked(_ object: ObjectFile, as image: CodeImage, at address: Int) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let places = object.sections.compactMap { section in
      image.offset(ofSection: section.name).map { (name: section.name, offset: $0) }
    }
    let sections = places.map { "\($0.name) \(address + $0.offset) : { *(\($0.name)) }" }
    try folder.make("script", "SECTIONS {\n" + sections.joined(separator: "\n") + "\n}\n")
    let linker = try Subprocess([
      // Constants that are the same are not made one, and instructions are not replaced by shorter ones.
      "ld.lld", "-O0", "--no-relax", "--oformat=binary", "--entry=execute", "--script", folder("script"),
      try folder.make("object", object.bytes), "-o", folder("image"),
    ])
    let messages = try linker.finish()
    try #require(linker.code == 0, "the linker: \(String(decoding: messages, as: UTF8.self))")
    return try folder.bytes("image")
  }
}
