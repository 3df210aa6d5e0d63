// SPDX-License-Identifier: Apache-2.0

import Glibc
import GraphPlanning
import NativeCode
import TestEquipment
import Testing

@Suite struct LLVMLibraryTests {
  @Test func opensOnceWithItsVersion() throws {
    let library = try LLVMLibrary.shared()
    #expect(library.version.hasPrefix("19."))
    #expect(try LLVMLibrary.shared() === library)
  }

  /// Each is opened in a process of its own: a process opens the library once.
  @Test(.endsProcesses) func anAbsentLibraryIsOneClearLine() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("LEGATO_LLVM", "/nowhere/libLLVM.so.19.1", 1)
      for _ in 1...2 {
        let error = #expect(throws: NativeCodeError.self) {
          try LoadedCode.compile(ir: "", entry: "execute", target: .host())
        }
        let line = try #require(error).description
        #expect(line.hasPrefix("cannot open the library '/nowhere/libLLVM.so.19.1' that LEGATO_LLVM names"))
        #expect(line.contains("libllvm19 (Debian, Ubuntu) or llvm19-libs (Fedora, Arch)"))
        #expect(!line.contains("\n"))
      }
    }
  }

  @Test(.endsProcesses) func anotherLibraryIsOneClearLine() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("LEGATO_LLVM", "libm.so.6", 1)
      let error = #expect(throws: NativeCodeError.self) { try LLVMLibrary.shared() }
      let line = try #require(error).description
      #expect(line.hasPrefix("the library 'libm.so.6' is not LLVM 19 (it has no function LLVM"))
      #expect(!line.contains("\n"))
    }
  }

  @Test func aLibraryThatIsNotInstalledIsOneClearLine() {
    let line = NativeCodeError.libraryMissing(reason: "libLLVM.so.19.1: cannot open").description
    #expect(line.hasPrefix("libLLVM 19 is needed to compile: install the package libllvm19"))
    #expect(!line.contains("\n"))
  }
}
