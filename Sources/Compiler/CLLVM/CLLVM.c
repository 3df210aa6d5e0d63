// SPDX-License-Identifier: Apache-2.0

// For dladdr.
#define _GNU_SOURCE

#include "CLLVM.h"

#include <dlfcn.h>

const char *CLLVMFindFunctions(CLLVMFunctions *functions, void *library) {
#define CLLVM_FIND(result, name, arguments) *(void **)&functions->name = dlsym(library, "LLVM" #name);
#define CLLVM_CHECK(result, name, arguments) \
  if (!functions->name) return "LLVM" #name;
  CLLVM_REQUIRED_FUNCTIONS(CLLVM_FIND)
  CLLVM_OPTIONAL_FUNCTIONS(CLLVM_FIND)
  CLLVM_REQUIRED_FUNCTIONS(CLLVM_CHECK)
#undef CLLVM_CHECK
#undef CLLVM_FIND
  return 0;
}

const char *CLLVMLibraryPath(const CLLVMFunctions *functions) {
  Dl_info found;
  return dladdr((void *)functions->GetVersion, &found) ? found.dli_fname : 0;
}
