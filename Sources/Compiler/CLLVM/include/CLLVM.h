// SPDX-License-Identifier: Apache-2.0

// The part of LLVM 19's C interface that Legato uses, as a table of pointers that is filled when a library is
// opened at run time. Neither LLVM's headers nor its library are needed to build.
//
// Names, types and numbers are those of llvm-c, without the prefix "LLVM" for the members of the table.

#ifndef CLLVM_H
#define CLLVM_H

#include <stddef.h>
#include <stdint.h>

typedef int LLVMBool;
typedef struct LLVMOpaqueContext *LLVMContextRef;
typedef struct LLVMOpaqueModule *LLVMModuleRef;
typedef struct LLVMOpaqueValue *LLVMValueRef;
typedef struct LLVMOpaqueAttributeRef *LLVMAttributeRef;
typedef struct LLVMOpaqueMemoryBuffer *LLVMMemoryBufferRef;
typedef struct LLVMOpaqueDiagnosticInfo *LLVMDiagnosticInfoRef;
typedef struct LLVMOpaqueTargetData *LLVMTargetDataRef;
typedef struct LLVMOpaqueTargetMachine *LLVMTargetMachineRef;
typedef struct LLVMTarget *LLVMTargetRef;

enum {
  LLVMDSError = 0,
  LLVMDSWarning = 1,

  LLVMAttributeFunctionIndex = -1,

  LLVMReturnStatusAction = 2,

  LLVMInternalLinkage = 8,

  LLVMCodeGenLevelLess = 1,
  LLVMCodeGenLevelDefault = 2,
  LLVMCodeGenLevelAggressive = 3,
  LLVMRelocPIC = 2,
  LLVMCodeModelSmall = 3,
  LLVMAssemblyFile = 0,
  LLVMObjectFile = 1,
};

typedef void (*LLVMDiagnosticHandler)(LLVMDiagnosticInfoRef, void *);

// What every library must have: result, name, arguments.
#define CLLVM_REQUIRED_FUNCTIONS(F)                                                                     \
  F(void, GetVersion, (unsigned *, unsigned *, unsigned *))                                             \
  F(void, DisposeMessage, (char *))                                                                     \
                                                                                                        \
  F(char *, GetDefaultTargetTriple, (void))                                                             \
  F(char *, GetHostCPUName, (void))                                                                     \
  F(char *, GetHostCPUFeatures, (void))                                                                 \
  F(LLVMBool, GetTargetFromTriple, (const char *, LLVMTargetRef *, char **))                            \
  F(LLVMTargetMachineRef, CreateTargetMachine,                                                          \
    (LLVMTargetRef, const char *, const char *, const char *, int, int, int))                           \
  F(void, DisposeTargetMachine, (LLVMTargetMachineRef))                                                 \
  F(LLVMTargetDataRef, CreateTargetDataLayout, (LLVMTargetMachineRef))                                  \
  F(void, DisposeTargetData, (LLVMTargetDataRef))                                                       \
                                                                                                        \
  F(LLVMContextRef, ContextCreate, (void))                                                              \
  F(void, ContextDispose, (LLVMContextRef))                                                             \
  F(void, ContextSetDiagnosticHandler, (LLVMContextRef, LLVMDiagnosticHandler, void *))                 \
  F(char *, GetDiagInfoDescription, (LLVMDiagnosticInfoRef))                                            \
  F(int, GetDiagInfoSeverity, (LLVMDiagnosticInfoRef))                                                  \
                                                                                                        \
  F(LLVMMemoryBufferRef, CreateMemoryBufferWithMemoryRangeCopy, (const char *, size_t, const char *))   \
  F(const char *, GetBufferStart, (LLVMMemoryBufferRef))                                                \
  F(size_t, GetBufferSize, (LLVMMemoryBufferRef))                                                       \
  F(void, DisposeMemoryBuffer, (LLVMMemoryBufferRef))                                                   \
                                                                                                        \
  F(LLVMBool, ParseIRInContext, (LLVMContextRef, LLVMMemoryBufferRef, LLVMModuleRef *, char **))        \
  F(void, DisposeModule, (LLVMModuleRef))                                                               \
  F(void, SetTarget, (LLVMModuleRef, const char *))                                                     \
  F(void, SetModuleDataLayout, (LLVMModuleRef, LLVMTargetDataRef))                                      \
  F(LLVMBool, VerifyModule, (LLVMModuleRef, int, char **))                                              \
  F(LLVMValueRef, GetNamedGlobal, (LLVMModuleRef, const char *))                                        \
  F(LLVMValueRef, ConstStringInContext, (LLVMContextRef, const char *, unsigned, LLVMBool))             \
  F(void, SetInitializer, (LLVMValueRef, LLVMValueRef))                                                 \
  F(void, SetLinkage, (LLVMValueRef, int))                                                              \
  F(LLVMValueRef, GetFirstFunction, (LLVMModuleRef))                                                    \
  F(LLVMValueRef, GetNextFunction, (LLVMValueRef))                                                      \
  F(LLVMAttributeRef, CreateStringAttribute,                                                            \
    (LLVMContextRef, const char *, unsigned, const char *, unsigned))                                   \
  F(void, AddAttributeAtIndex, (LLVMValueRef, int, LLVMAttributeRef))                                   \
  F(LLVMBool, TargetMachineEmitToMemoryBuffer,                                                          \
    (LLVMTargetMachineRef, LLVMModuleRef, int, char **, LLVMMemoryBufferRef *))

// What a library has for each architecture that it was built with.
#define CLLVM_OPTIONAL_FUNCTIONS(F)              \
  F(void, InitializeX86TargetInfo, (void))       \
  F(void, InitializeX86Target, (void))           \
  F(void, InitializeX86TargetMC, (void))         \
  F(void, InitializeX86AsmPrinter, (void))       \
  F(void, InitializeAArch64TargetInfo, (void))   \
  F(void, InitializeAArch64Target, (void))       \
  F(void, InitializeAArch64TargetMC, (void))     \
  F(void, InitializeAArch64AsmPrinter, (void))

// LLVM's functions.
typedef struct {
#define CLLVM_MEMBER(result, name, arguments) result(*name) arguments;
  CLLVM_REQUIRED_FUNCTIONS(CLLVM_MEMBER)
  CLLVM_OPTIONAL_FUNCTIONS(CLLVM_MEMBER)
#undef CLLVM_MEMBER
} CLLVMFunctions;

// Fills the table from a library that dlopen has opened. Returns null, or the name of the first required
// function that the library lacks.
const char *CLLVMFindFunctions(CLLVMFunctions *functions, void *library);

// The path of the file that the functions are of, or null where the system does not know it.
const char *CLLVMLibraryPath(const CLLVMFunctions *functions);

#endif
