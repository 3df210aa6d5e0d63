// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Files of the package that tests read where they stand.
package enum PackageFiles {
  /// The package's own folder.
  package static let folder = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  package static let models = folder.appending(path: "models")

  /// The names of the models that the package ships, in order; none where they cannot be listed.
  package static let shippedModels: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: models.path())
    return (files ?? []).filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }.sorted()
  }()
}
