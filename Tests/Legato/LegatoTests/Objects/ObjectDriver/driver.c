/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a model's object file without any library: it reads orders from the standard input and writes what comes out
 * to the standard output. Numbers are 32-bit little-endian words.
 *
 *     1                                        begin: initialise the workspace
 *     2                                        reset
 *     3 parameter value                        set
 *     4 frames {length sample…} {length}       execute: a row for each input, and the lengths of the outputs' rows
 *     5                                        tell the counts of all delays by a signal, as bytes of 64-bit words
 *     0                                        end
 */
#include "model.h"

#if defined(__x86_64__)
enum { READ = 0, WRITE = 1, EXIT = 60 };
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n and $-16, %rsp\n call run\n");

static long call_system(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
#else
enum { READ = 63, WRITE = 64, EXIT = 93 };
__asm__(".globl _start\n_start:\n bl run\n");

static long call_system(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}
#endif

/* What compilers make of loops. */
#ifdef __cplusplus
extern "C"
#endif
void *memset(void *memory, int byte, size_t count);
void *memset(void *memory, int byte, size_t count) {
  volatile unsigned char *bytes = (volatile unsigned char *)memory;
  size_t i;
  for (i = 0; i < count; i++) bytes[i] = (unsigned char)byte;
  return memory;
}

#ifdef __cplusplus
extern "C"
#endif
void *memcpy(void *to, const void *from, size_t count);
void *memcpy(void *to, const void *from, size_t count) {
  volatile unsigned char *target = (volatile unsigned char *)to;
  const unsigned char *source = (const unsigned char *)from;
  size_t i;
  for (i = 0; i < count; i++) target[i] = source[i];
  return to;
}

static void stop(int code) {
  call_system(EXIT, code, 0, 0);
  for (;;) {
  }
}

static void transfer(long number, long file, void *memory, size_t count) {
  char *place = (char *)memory;
  while (count > 0) {
    long done = call_system(number, file, (long)place, (long)count);
    if (done <= 0) stop(1);
    place += done;
    count -= (size_t)done;
  }
}

static uint32_t word(void) {
  uint32_t value;
  transfer(READ, 0, &value, sizeof value);
  return value;
}

enum { SAMPLES = 1 << 22 };
static float samples[SAMPLES];
static size_t used;

static float *row(uint32_t length) {
  float *first = samples + used;
  if (length > SAMPLES - used) stop(2);
  used += length;
  return first;
}

static void execute(void *workspace) {
  const float *inputs[MODEL_INPUT_ROWS + 1];
  float *outputs[MODEL_OUTPUT_ROWS + 1];
  uint32_t lengths[MODEL_OUTPUT_ROWS + 1];
  uint32_t frames = word();
  uint64_t mode;
  int i;
  used = 0;
  for (i = 0; i < MODEL_INPUT_ROWS; i++) {
    uint32_t length = word();
    float *first = row(length);
    transfer(READ, 0, first, length * sizeof(float));
    inputs[i] = first;
  }
  for (i = 0; i < MODEL_OUTPUT_ROWS; i++) {
    lengths[i] = word();
    outputs[i] = row(lengths[i]);
  }
  mode = model_enter_mode();
  model_execute(inputs, outputs, workspace, frames);
  model_leave_mode(mode);
  if (model_enter_mode() != mode) stop(3);
  model_leave_mode(mode);
  for (i = 0; i < MODEL_OUTPUT_ROWS; i++) transfer(WRITE, 1, outputs[i], lengths[i] * sizeof(float));
}

static unsigned char memory[MODEL_WORKSPACE_SIZE + 2 * 64];

#ifdef __cplusplus
extern "C"
#endif
void run(void);
void run(void) {
  /* A guard behind the workspace, and garbage in it. */
  unsigned char *workspace = memory + (64 - (uintptr_t)memory % MODEL_WORKSPACE_ALIGNMENT);
  size_t i;
  for (i = 0; i < sizeof memory; i++) memory[i] = 0xa5;
  for (;;) {
    switch (word()) {
    case 0:
      for (i = MODEL_WORKSPACE_SIZE; workspace + i < memory + sizeof memory; i++) {
        if (workspace[i] != 0xa5) stop(4);
      }
      stop(0);
      break;
    case 1: model_init(workspace); break;
    case 2: model_reset(workspace); break;
    case 3: {
      uint32_t parameter = word();
      float value;
      transfer(READ, 0, &value, sizeof value);
#if MODEL_PARAMETERS > 0
      model_set(workspace, (enum model_parameter)parameter, value);
#else
      stop((int)parameter + 5);
#endif
      break;
    }
    case 4: execute(workspace); break;
    case 5: {
#ifdef MODEL_DELAYS
      int delay;
      for (delay = 0; delay < MODEL_DELAYS; delay++) {
        int64_t count = model_samples_outside(workspace, delay);
        transfer(WRITE, 1, &count, sizeof count);
      }
      if (model_samples_outside(workspace, MODEL_DELAYS) != 0 || model_samples_outside(workspace, -1) != 0) stop(7);
#endif
      break;
    }
    default: stop(6);
    }
  }
}
