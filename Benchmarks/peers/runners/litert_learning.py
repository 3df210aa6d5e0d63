# SPDX-License-Identifier: Apache-2.0
"""Times LiteRT's training on the device, one thread: a signature that learns; prints the nanoseconds of a round as JSON.

litert_learning.py SECONDS: as long as it is measured. The network is the head of `legato-bench --filter "learn a head"`;
TensorFlow differentiates it and writes the file, LiteRT runs that.
"""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import ai_edge_litert
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter

from rounds import time

SIZE, CLASSES, BATCH = 256, 2, 2
random = np.random.default_rng(1)


class Head(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(random.normal(0, 0.05, (CLASSES, SIZE)).astype(np.float32))
        self.b = tf.Variable(np.zeros(CLASSES, np.float32))

    @tf.function(input_signature=[tf.TensorSpec((BATCH, SIZE)), tf.TensorSpec((BATCH,), tf.int32)])
    def learn(self, x, labels):
        with tf.GradientTape() as tape:
            scores = tf.matmul(x, self.w, transpose_b=True) + self.b
            likely = tf.nn.log_softmax(scores) * tf.one_hot(labels, CLASSES)
            loss = -tf.reduce_sum(likely) / BATCH
        for variable, slope in zip((self.w, self.b), tape.gradient(loss, (self.w, self.b))):
            variable.assign_sub(1e-6 * slope)
        return {"loss": loss}


head = Head()
converter = tf.lite.TFLiteConverter.from_concrete_functions([head.learn.get_concrete_function()], head)
converter.experimental_enable_resource_variables = True
interpreter = Interpreter(model_content=converter.convert(), num_threads=1)
learn = interpreter.get_signature_runner()
x, labels = random.normal(size=(BATCH, SIZE)).astype(np.float32), np.arange(BATCH, dtype=np.int32)
print(json.dumps({"version": ai_edge_litert.__version__, "rounds": {
    "learn a head of 256 to 2, a batch of 2": time(lambda: learn(x=x, labels=labels), float(sys.argv[1]))}}))
