// SPDX-License-Identifier: Apache-2.0

#ifndef LEGATO_PEERS_ORT_API_H
#define LEGATO_PEERS_ORT_API_H

#include <stddef.h>
#include <stdint.h>

// What is needed of ONNX Runtime's C interface, which the wheel has without its header. The interface is a table of
// functions that only ever grows at its end: a function's place is its name. Places are checked below.

typedef struct OrtStatus OrtStatus;
typedef struct OrtEnv OrtEnv;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtValue OrtValue;
typedef struct OrtIoBinding OrtIoBinding;

enum {
  ort_api_version = 8,
  ort_log_errors = 3,
  ort_sequential = 0,
  ort_all_optimisations = 99,
  ort_arena_allocator = 1,
  ort_default_memory = 0,
  ort_float = 1,
};

typedef struct OrtApi {
  void *unused_0[2];
  const char *(*GetErrorMessage)(const OrtStatus *);
  OrtStatus *(*CreateEnv)(int level, const char *name, OrtEnv **);
  void *unused_4[3];
  OrtStatus *(*CreateSession)(const OrtEnv *, const char *path, const OrtSessionOptions *, OrtSession **);
  void *unused_8[1];
  OrtStatus *(*Run)(
      OrtSession *, const OrtRunOptions *, const char *const *input_names, const OrtValue *const *inputs,
      size_t input_count, const char *const *output_names, size_t output_count, OrtValue **outputs);
  OrtStatus *(*CreateSessionOptions)(OrtSessionOptions **);
  void *unused_11[2];
  OrtStatus *(*SetSessionExecutionMode)(OrtSessionOptions *, int mode);
  void *unused_14[2];
  OrtStatus *(*EnableMemPattern)(OrtSessionOptions *);
  OrtStatus *(*DisableMemPattern)(OrtSessionOptions *);
  void *unused_18[1];
  OrtStatus *(*DisableCpuMemArena)(OrtSessionOptions *);
  void *unused_20[3];
  OrtStatus *(*SetSessionGraphOptimizationLevel)(OrtSessionOptions *, int level);
  OrtStatus *(*SetIntraOpNumThreads)(OrtSessionOptions *, int count);
  OrtStatus *(*SetInterOpNumThreads)(OrtSessionOptions *, int count);
  void *unused_26[13];
  OrtStatus *(*CreateRunOptions)(OrtRunOptions **);
  void *unused_40[9];
  OrtStatus *(*CreateTensorWithDataAsOrtValue)(
      const OrtMemoryInfo *, void *data, size_t bytes, const int64_t *shape, size_t rank, int type, OrtValue **);
  void *unused_50[19];
  OrtStatus *(*CreateCpuMemoryInfo)(int allocator, int memory, OrtMemoryInfo **);
  void *unused_70[25];
  void (*ReleaseSession)(OrtSession *);
  void (*ReleaseValue)(OrtValue *);
  void *unused_97[3];
  void (*ReleaseSessionOptions)(OrtSessionOptions *);
  void *unused_101[29];
  OrtStatus *(*AddSessionConfigEntry)(OrtSessionOptions *, const char *key, const char *value);
  void *unused_131[2];
  OrtStatus *(*RunWithBinding)(OrtSession *, const OrtRunOptions *, const OrtIoBinding *);
  OrtStatus *(*CreateIoBinding)(OrtSession *, OrtIoBinding **);
  void (*ReleaseIoBinding)(OrtIoBinding *);
  OrtStatus *(*BindInput)(OrtIoBinding *, const char *name, const OrtValue *);
  OrtStatus *(*BindOutput)(OrtIoBinding *, const char *name, const OrtValue *);
} OrtApi;

typedef struct OrtApiBase {
  const OrtApi *(*GetApi)(uint32_t version);
  const char *(*GetVersionString)(void);
} OrtApiBase;

#define ORT_PLACE(name, place) \
  _Static_assert(offsetof(OrtApi, name) == (place) * sizeof(void *), #name " has another place in the table")
ORT_PLACE(GetErrorMessage, 2);
ORT_PLACE(CreateEnv, 3);
ORT_PLACE(CreateSession, 7);
ORT_PLACE(Run, 9);
ORT_PLACE(SetSessionExecutionMode, 13);
ORT_PLACE(EnableMemPattern, 16);
ORT_PLACE(DisableCpuMemArena, 19);
ORT_PLACE(SetSessionGraphOptimizationLevel, 23);
ORT_PLACE(CreateRunOptions, 39);
ORT_PLACE(CreateTensorWithDataAsOrtValue, 49);
ORT_PLACE(CreateCpuMemoryInfo, 69);
ORT_PLACE(ReleaseSession, 95);
ORT_PLACE(ReleaseSessionOptions, 100);
ORT_PLACE(AddSessionConfigEntry, 130);
ORT_PLACE(RunWithBinding, 133);
ORT_PLACE(BindOutput, 137);

#endif
