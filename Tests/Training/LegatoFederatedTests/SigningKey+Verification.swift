// SPDX-License-Identifier: Apache-2.0

import CTLS

@testable import LegatoFederated

extension SigningKey {
  /// Whether a signature of a text was made with the private half of a key.
  func verifies(_ signature: [UInt8], of text: String) -> Bool {
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    let bytes = Array(text.utf8)
    return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
  }
}
