// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import Legato

extension Model {
  /// The graph of a training step of one example, to look at: the model, the mean square of the distance of its first output
  /// from a target, and the gradient of that by all weights. Of a stream it has 64 frames.
  ///
  /// - Throws: `ModelError` for a model that is none, `TrainingError.task` for one that cannot learn.
  package func gradientGraph(extents: [String: Int], sampleRate: Double?) throws -> Graph {
    let graph = try graph(extents: extents, sampleRate: sampleRate)
    var task = TrainingTask(window: 64, warmup: 0, batch: 1)
    if let output = graph.outputs.first {
      let shape = graph.shape(of: output.value)
      task.loss = "mse(\(output.name), target)"
      task.targets = ["target": shape.fixed + (graph.clock == .stream ? [task.window] : [])]
    }
    return try LearningGraph(
      graph, task, examples: 1, among: ownWeights(in: graph), knobs: ownParameters
    ).gradient
  }
}
