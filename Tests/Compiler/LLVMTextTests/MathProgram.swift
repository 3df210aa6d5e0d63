// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import LLVMText
import NativeCode

/// Native code that applies one function to rows of floats.
struct MathProgram {
  let code: LoadedCode
  let step: Int

  /// IR of a loop over frames that takes `vectors` vectors of `width` floats at a time.
  ///
  /// On x86-64 the workspace begins with two control words: denormals count as zero while the loop runs.
  static func text(_ function: MathFunction, target: Target, width: Int, vectors: Int) -> String {
    let builder = FunctionBuilder(target: target, width: width)
    let type = Lanes.type(.float, width: width)
    func addresses(_ base: String) -> [String] {
      (0..<vectors).map { builder.define("getelementptr \(type), ptr \(base), i64 \($0)") }
    }
    func load(_ row: String) -> Lanes {
      let base = builder.define("getelementptr float, ptr \(row), i64 %i")
      let names = addresses(base).map { builder.define("load \(type), ptr \($0), align 4") }
      return Lanes(names: names, element: .float, width: width)
    }
    let result = function.emit(builder, load("%x"), load("%y"))
    let base = builder.define("getelementptr float, ptr %z, i64 %i")
    for (name, address) in zip(result.names, addresses(base)) {
      builder.line("store \(type) \(name), ptr \(address), align 4")
    }

    let isX86 = target.triple.hasPrefix("x86_64")
    let control = "@llvm.x86.sse.ldmxcsr"
    return """
      \(builder.declarations.sorted().joined(separator: "\n"))
      \(isX86 ? "declare void \(control)(ptr)" : "")
      define void @execute(ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 %frames) #0 {
      entry:
        %second = getelementptr ptr, ptr %inputs, i64 1
        %x = load ptr, ptr %inputs
        %y = load ptr, ptr %second
        %z = load ptr, ptr %outputs
        %after = getelementptr i32, ptr %workspace, i64 1
        \(isX86 ? "call void \(control)(ptr %workspace)" : "")
        br label %loop
      loop:
        %i = phi i64 [ 0, %entry ], [ %next, %loop ]
      \(builder.text)
        %next = add i64 %i, \(width * vectors)
        %more = icmp slt i64 %next, %frames
        br i1 %more, label %loop, label %done
      done:
        \(isX86 ? "call void \(control)(ptr %after)" : "")
        ret void
      }
      attributes #0 = { nounwind "no-builtins" "denormal-fp-math"="preserve-sign,preserve-sign" }
      """
  }

  init(_ function: MathFunction, target: Target, width: Int, vectors: Int) throws {
    let text = Self.text(function, target: target, width: width, vectors: vectors)
    code = try LoadedCode.compile(ir: text, entry: "execute", target: target).code
    step = width * vectors
  }

  /// The function's values, one for each pair of operands.
  func callAsFunction(_ x: [Float], _ y: [Float]) -> [Float] {
    precondition(x.count == y.count && !x.isEmpty)
    let frames = (x.count + step - 1) / step * step
    let padding = [Float](repeating: 0, count: frames - x.count)
    let (x1, y1) = (x + padding, y + padding)
    var z = [Float](repeating: .nan, count: frames)
    // Denormals are zero and flushed, no traps; then the state every thread begins with.
    var controls: [UInt32] = [0x9fc0, 0x1f80]
    unsafe x1.withUnsafeBufferPointer { first in
      unsafe y1.withUnsafeBufferPointer { second in
        unsafe z.withUnsafeMutableBufferPointer { result in
          let inputs = unsafe [first.baseAddress, second.baseAddress]
          let outputs = unsafe [result.baseAddress]
          unsafe code.entryPoint(inputs, outputs, &controls, nil, frames)
        }
      }
    }
    return Array(z.prefix(x.count))
  }
}

extension Target {
  /// The levels of x86-64 that the machine at hand executes.
  static var runnable: [Target] {
    get throws {
      try ["x86-64", "x86-64-v3", "x86-64-v4"].compactMap { Target.x86(level: $0) }.filter {
        try $0.runsHere
      }
    }
  }
}
