// SPDX-License-Identifier: Apache-2.0

#include "Batches.h"
#include "OrtApi.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Runs models with ONNX Runtime through its C interface: one thread, ops one after the other, all optimisations of the
// graph, and tensors over memory that was there before.
//
//     OnnxRuntime LIBRARY                            says the version
//     OnnxRuntime LIBRARY time MILLISECONDS < jobs   each job's first block again and again: nanoseconds, one a line
//     OnnxRuntime LIBRARY apply < jobs               each job's blocks one after the other, into a file
//
// A job is a line:
//
//     run|binding pattern|heap|plain MODEL BLOCKS IN OUT dst:2x128 src:2x128 resolution:1=8 …
//
// binding: tensors are bound once; run: they are arguments of each call. pattern: memory between ops is planned at the
// first call; heap: the same without an arena around it; plain: it is not planned. IN has BLOCKS tensors for the first
// input, OUT gets as many of the output; other inputs hold one value.

enum { most_inputs = 8, most_dimensions = 4 };

struct tensor {
  char name[64];
  int64_t shape[most_dimensions];
  size_t rank, count;
  float fill;
  float *data;
  OrtValue *value;
};

struct job {
  char call[16], memory[16], model[1024], in[1024], out[1024];
  size_t blocks, input_count;
  struct tensor output, inputs[most_inputs];
  OrtSession *session;
  OrtIoBinding *binding;
  OrtRunOptions *options;
};

static const OrtApi *api;

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("OnnxRuntime: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static void check(OrtStatus *status) {
  if (status) fail("%s", api->GetErrorMessage(status));
}

static void parse_tensor(const char *text, struct tensor *tensor) {
  int used = 0;
  if (sscanf(text, "%63[^:]:%n", tensor->name, &used) != 1 || !used) fail("'%s' is no tensor", text);
  const char *rest = text + used;
  tensor->rank = 0;
  tensor->count = 1;
  while (*rest && *rest != '=') {
    char *end;
    int64_t extent = strtoll(rest, &end, 10);
    if (end == rest || extent < 1 || tensor->rank == most_dimensions) fail("'%s' has no such shape", text);
    tensor->shape[tensor->rank++] = extent;
    tensor->count *= (size_t)extent;
    rest = *end == 'x' ? end + 1 : end;
  }
  tensor->fill = *rest == '=' ? strtof(rest + 1, NULL) : 0;
}

static int parse_job(char *line, struct job *job) {
  memset(job, 0, sizeof *job);
  char *place = NULL;
  char *words[6];
  for (int i = 0; i < 6; i++) {
    words[i] = strtok_r(i ? NULL : line, " \n", &place);
    if (!words[i]) return 0;
  }
  snprintf(job->call, sizeof job->call, "%s", words[0]);
  snprintf(job->memory, sizeof job->memory, "%s", words[1]);
  snprintf(job->model, sizeof job->model, "%s", words[2]);
  job->blocks = strtoul(words[3], NULL, 10);
  snprintf(job->in, sizeof job->in, "%s", words[4]);
  snprintf(job->out, sizeof job->out, "%s", words[5]);
  char *word = strtok_r(NULL, " \n", &place);
  if (!word) return 0;
  parse_tensor(word, &job->output);
  while ((word = strtok_r(NULL, " \n", &place))) {
    if (job->input_count == most_inputs) fail("%s: more than %d inputs", job->model, most_inputs);
    parse_tensor(word, &job->inputs[job->input_count++]);
  }
  return job->blocks > 0 && job->input_count > 0;
}

static void make_tensor(const OrtMemoryInfo *info, struct tensor *tensor) {
  size_t bytes = tensor->count * sizeof(float);
  tensor->data = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!tensor->data) fail("no memory for %s", tensor->name);
  for (size_t i = 0; i < tensor->count; i++) tensor->data[i] = tensor->fill;
  check(api->CreateTensorWithDataAsOrtValue(
      info, tensor->data, bytes, tensor->shape, tensor->rank, ort_float, &tensor->value));
}

static void open_job(const OrtEnv *env, const OrtMemoryInfo *info, struct job *job) {
  OrtSessionOptions *options;
  check(api->CreateSessionOptions(&options));
  check(api->SetSessionExecutionMode(options, ort_sequential));
  check(api->SetIntraOpNumThreads(options, 1));
  check(api->SetInterOpNumThreads(options, 1));
  check(api->SetSessionGraphOptimizationLevel(options, ort_all_optimisations));
  check(api->AddSessionConfigEntry(options, "session.set_denormal_as_zero", "1"));
  check(strcmp(job->memory, "plain") == 0 ? api->DisableMemPattern(options) : api->EnableMemPattern(options));
  if (strcmp(job->memory, "heap") == 0) check(api->DisableCpuMemArena(options));
  check(api->CreateSession(env, job->model, options, &job->session));
  api->ReleaseSessionOptions(options);
  check(api->CreateRunOptions(&job->options));
  check(api->CreateIoBinding(job->session, &job->binding));
  make_tensor(info, &job->output);
  check(api->BindOutput(job->binding, job->output.name, job->output.value));
  for (size_t i = 0; i < job->input_count; i++) {
    make_tensor(info, &job->inputs[i]);
    check(api->BindInput(job->binding, job->inputs[i].name, job->inputs[i].value));
  }
}

static void close_job(struct job *job) {
  api->ReleaseIoBinding(job->binding);
  api->ReleaseSession(job->session);
  for (size_t i = 0; i <= job->input_count; i++) {
    struct tensor *tensor = i ? &job->inputs[i - 1] : &job->output;
    api->ReleaseValue(tensor->value);
    free(tensor->data);
  }
}

static void run_with_binding(void *context) {
  struct job *job = context;
  check(api->RunWithBinding(job->session, job->options, job->binding));
}

static void run_with_arguments(void *context) {
  struct job *job = context;
  const char *names[most_inputs];
  const OrtValue *values[most_inputs];
  for (size_t i = 0; i < job->input_count; i++) {
    names[i] = job->inputs[i].name;
    values[i] = job->inputs[i].value;
  }
  const char *output_name = job->output.name;
  check(api->Run(job->session, NULL, names, values, job->input_count, &output_name, 1, &job->output.value));
}

static batch_body body_of(const struct job *job) {
  return strcmp(job->call, "binding") == 0 ? run_with_binding : run_with_arguments;
}

static void read_block(struct job *job, FILE *in) {
  struct tensor *source = &job->inputs[0];
  if (fread(source->data, sizeof(float), source->count, in) != source->count) fail("%s ends too early", job->in);
}

static void apply(struct job *job, FILE *in) {
  FILE *out = fopen(job->out, "wb");
  if (!out) fail("%s cannot be written", job->out);
  for (size_t block = 0; block < job->blocks; block++) {
    read_block(job, in);
    body_of(job)(job);
    fwrite(job->output.data, sizeof(float), job->output.count, out);
  }
  if (ferror(out) | fclose(out)) fail("%s cannot be written", job->out);
}

int main(int count, char **words) {
  if (count < 2) fail("give the path of libonnxruntime");
  void *library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) fail("%s", dlerror());
  const OrtApiBase *(*base)(void) = (const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase");
  if (!base) fail("%s has no OrtGetApiBase", words[1]);
  if (!(api = base()->GetApi(ort_api_version))) {
    fail("%s does not know version %d of its interface", base()->GetVersionString(), ort_api_version);
  }
  if (count == 2) return puts(base()->GetVersionString()) < 0;
  int isTimed = strcmp(words[2], "time") == 0;
  double milliseconds = isTimed && count > 3 ? strtod(words[3], NULL) : 0;

  OrtEnv *env;
  OrtMemoryInfo *info;
  check(api->CreateEnv(ort_log_errors, "legato-peers", &env));
  check(api->CreateCpuMemoryInfo(ort_arena_allocator, ort_default_memory, &info));
  batch_flush_denormals();
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, stdin) > 0) {
    struct job job;
    if (!parse_job(line, &job)) fail("a job is not understood");
    FILE *in = fopen(job.in, "rb");
    if (!in) fail("%s cannot be read", job.in);
    open_job(env, info, &job);
    if (isTimed) {
      read_block(&job, in);
      printf("%.3f\n", batch_median(body_of(&job), &job, milliseconds));
    } else {
      apply(&job, in);
    }
    fclose(in);
    close_job(&job);
  }
  free(line);
  return 0;
}
