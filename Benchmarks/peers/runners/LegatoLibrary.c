// SPDX-License-Identifier: Apache-2.0

#include "Batches.h"
#include "peer.h"

#include <stdio.h>
#include <string.h>

// Runs what `legato compile --symbol peer` made of a model.
//
//     PROGRAM time MILLISECONDS FRAMES          nanoseconds of a block
//     PROGRAM apply FRAMES BLOCKS IN OUT        raw floats: a block is its rows, one after the other

enum { most_frames = 4096 };

struct instance {
  const float *inputs[PEER_INPUT_ROWS];
  float *outputs[PEER_OUTPUT_ROWS];
  void *workspace;
  size_t frames;
};

static void run(void *context) {
  struct instance *instance = context;
  peer_execute(instance->inputs, instance->outputs, instance->workspace, instance->frames);
}

static int fail(const char *message) { return fprintf(stderr, "LegatoLibrary: %s\n", message), 1; }

static float *rows(size_t count, size_t frames, float **first) {
  float *memory = aligned_alloc(64, (count * frames * sizeof(float) + 63) / 64 * 64);
  for (size_t row = 0; memory && row < count; row++) first[row] = memory + row * frames;
  return memory;
}

int main(int count, char **words) {
  int isTimed = count == 4 && strcmp(words[1], "time") == 0;
  if (!isTimed && !(count == 6 && strcmp(words[1], "apply") == 0)) return fail("give time or apply");
  struct instance instance = {.frames = strtoul(words[isTimed ? 3 : 2], NULL, 10)};
  if (instance.frames < 1 || instance.frames > most_frames) return fail("a block has 1 to 4096 frames");
  float *in = rows(PEER_INPUT_ROWS, instance.frames, (float **)instance.inputs);
  float *out = rows(PEER_OUTPUT_ROWS, instance.frames, instance.outputs);
  instance.workspace = aligned_alloc(4096, (PEER_WORKSPACE_SIZE + 4095) / 4096 * 4096);
  if (!in || !out || !instance.workspace) return fail("no memory");
  peer_init(instance.workspace);
  batch_flush_denormals();
  size_t inputs = PEER_INPUT_ROWS * instance.frames, outputs = PEER_OUTPUT_ROWS * instance.frames;
  if (isTimed) {
    batch_noise(in, inputs);
    return printf("%.3f\n", batch_median(run, &instance, strtod(words[2], NULL))) < 0;
  }
  FILE *source = fopen(words[4], "rb"), *target = fopen(words[5], "wb");
  if (!source || !target) return fail("a file does not open");
  for (size_t block = strtoul(words[3], NULL, 10); block > 0; block--) {
    if (fread(in, sizeof(float), inputs, source) != inputs) return fail("the input ends too early");
    run(&instance);
    if (fwrite(out, sizeof(float), outputs, target) != outputs) return fail("the output cannot be written");
  }
  fclose(source);
  return fclose(target) ? fail("the output cannot be written") : 0;
}
