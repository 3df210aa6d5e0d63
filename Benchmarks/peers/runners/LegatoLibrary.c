// SPDX-License-Identifier: Apache-2.0

#include "Batches.h"
#include "peer.h"

#include <stdio.h>
#include <string.h>

#ifdef RENDERS_FILES
#include "SoundFile.h"
#endif

// Runs what `legato compile --symbol peer` made of a model.
//
//     PROGRAM time MILLISECONDS FRAMES          nanoseconds of a block
//     PROGRAM apply FRAMES BLOCKS IN OUT        raw floats: a block is its rows, one after the other
//     PROGRAM file INPUT OUTPUT VALUE…          sound files; the values are the parameters, in the order of the model
//
// With STEPS the model is one of steps, from x to y: frames are the numbers of the larger one, and a block is a step.

#ifdef STEPS
enum { most_frames = 1 << 24, input_numbers = PEER_INPUT_PORT_X_LENGTH, output_numbers = PEER_OUTPUT_PORT_Y_LENGTH };
#else
enum { most_frames = 4096 };
#endif

struct instance {
  float *inputs[PEER_INPUT_ROWS], *outputs[PEER_OUTPUT_ROWS];
  void *workspace;
  size_t frames;
};

static int fail(const char *message) { return fprintf(stderr, "LegatoLibrary: %s\n", message), 1; }

static void compute(void *context, size_t frames) {
  struct instance *instance = context;
#ifdef STEPS
  frames = 1;
#endif
  peer_execute((const float *const *)instance->inputs, instance->outputs, instance->workspace, frames);
}

static void run(void *context) { compute(context, ((struct instance *)context)->frames); }

static int make_rows(float **rows, size_t count, size_t frames) {
  float *memory = aligned_alloc(64, (count * frames * sizeof(float) + 63) / 64 * 64);
  for (size_t row = 0; memory && row < count; row++) rows[row] = memory + row * frames;
  return memory != NULL;
}

static int make(struct instance *instance, size_t frames) {
  if (frames < 1 || frames > most_frames) return fail("a block has other numbers of frames");
  instance->frames = frames;
  instance->workspace = aligned_alloc(4096, (PEER_WORKSPACE_SIZE + 4095) / 4096 * 4096);
  if (!instance->workspace || !make_rows(instance->inputs, PEER_INPUT_ROWS, frames)
      || !make_rows(instance->outputs, PEER_OUTPUT_ROWS, frames)) {
    return fail("no memory");
  }
  peer_init(instance->workspace);
  batch_flush_denormals();
  return 0;
}

static int time_blocks(double milliseconds, size_t frames) {
  struct instance instance;
  if (make(&instance, frames)) return 1;
  batch_noise(instance.inputs[0], PEER_INPUT_ROWS * frames);
  return printf("%.3f\n", batch_median(run, &instance, milliseconds)) < 0;
}

static int apply(size_t frames, size_t blocks, const char *from, const char *to) {
  struct instance instance;
  if (make(&instance, frames)) return 1;
#ifdef STEPS
  size_t inputs = input_numbers, outputs = output_numbers;
#else
  size_t inputs = PEER_INPUT_ROWS * frames, outputs = PEER_OUTPUT_ROWS * frames;
#endif
  FILE *source = fopen(from, "rb"), *target = fopen(to, "wb");
  if (!source || !target) return fail("a file does not open");
  for (; blocks > 0; blocks--) {
    if (fread(instance.inputs[0], sizeof(float), inputs, source) != inputs) return fail("the input ends too early");
    run(&instance);
    if (fwrite(instance.outputs[0], sizeof(float), outputs, target) != outputs) break;
  }
  fclose(source);
  return fclose(target) || blocks > 0 ? fail("the output cannot be written") : 0;
}

#ifdef RENDERS_FILES
static int render(const char *from, const char *to, char **values) {
  struct instance instance;
  if (make(&instance, sound_chunk)) return 1;
  for (int index = 0; index < PEER_PARAMETERS && values[index]; index++) {
    peer_set(instance.workspace, (enum peer_parameter)index, strtof(values[index], NULL));
  }
  const char *flaw = sound_render(from, to, instance.inputs, instance.outputs, compute, &instance);
  return flaw ? fail(flaw) : 0;
}
#endif

int main(int count, char **words) {
  const char *mode = count > 1 ? words[1] : "";
  if (count == 4 && strcmp(mode, "time") == 0) return time_blocks(strtod(words[2], NULL), strtoul(words[3], NULL, 10));
  if (count == 6 && strcmp(mode, "apply") == 0) {
    return apply(strtoul(words[2], NULL, 10), strtoul(words[3], NULL, 10), words[4], words[5]);
  }
#ifdef RENDERS_FILES
  if (count >= 4 && strcmp(mode, "file") == 0) return render(words[2], words[3], words + 4);
#endif
  return fail("give time, apply or file, and what belongs to it");
}
