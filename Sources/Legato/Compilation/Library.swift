// SPDX-License-Identifier: Apache-2.0

internal import NativeCode

/// A model for a linker: an object file, and the C header by which programs use it.
///
/// The object is position-independent, refers to nothing outside of itself, holds the weights, and exports one
/// function, `PREFIX_execute`. What runs it needs neither Legato nor LLVM.
public struct Library: Sendable {
  /// The prefix of all names in the header.
  public let prefix: String
  /// The bytes of an ELF object file.
  public let object: [UInt8]
  /// A header in C99, which C++ understands, too.
  public let header: String
}

extension Compilation {
  /// The model as an object file and a header.
  ///
  /// - Parameter prefix: What all names begin with, an identifier of C; nil makes one of the model's name.
  /// - Throws: `ModelError.code` where the prefix is no identifier, or libLLVM is missing.
  public func library(prefix: String? = nil) throws(ModelError) -> Library {
    if let prefix, !Self.isPrefix(prefix) {
      throw .code("'\(prefix)' cannot begin names of C: take letters, digits and single underscores")
    }
    let header = CHeader(compiled.plan, prefix: prefix)
    do throws(NativeCodeError) {
      let object = try compiled.libraryObject(exporting: header.symbol)
      return Library(prefix: header.prefix, object: object.bytes, header: header.text)
    } catch {
      throw ModelError(error)
    }
  }

  /// Whether names of C can begin with a text: letters, digits and single underscores, beginning with a letter.
  public static func isPrefix(_ text: String) -> Bool { CHeader.isPrefix(text) }
}
