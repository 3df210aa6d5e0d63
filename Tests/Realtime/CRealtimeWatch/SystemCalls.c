// SPDX-License-Identifier: Apache-2.0
// Counts a thread's system calls with syscall user dispatch (Documentation/admin-guide/syscall-user-dispatch.rst in
// the kernel's sources): where the thread's selector says so, the kernel makes a signal of each of them.
//
//     write(…) ──▶ kernel ──▶ SIGSYS ──▶ handler: count, then the same call from the gate ──▶ back, with its result
//
// The kernel lets pass what is called from the gate: the handler's own call, and the return from the signal.
#define _GNU_SOURCE
#include "Watch.h"

#if defined(__x86_64__)

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
enum { DISPATCH_OFF = 0, DISPATCH_ON = 1 };
enum { SELECTOR_ALLOW = 0, SELECTOR_BLOCK = 1 };

// long watch_gate(long number, long a, long b, long c, long d, long e, long f), and the way out of a signal handler.
__asm__(
    ".text\n"
    ".globl watch_gate, watch_gate_restorer, watch_gate_end\n"
    "watch_gate:\n"
    "  movq %rdi, %rax\n"
    "  movq %rsi, %rdi\n"
    "  movq %rdx, %rsi\n"
    "  movq %rcx, %rdx\n"
    "  movq %r8, %r10\n"
    "  movq %r9, %r8\n"
    "  movq 8(%rsp), %r9\n"
    "  syscall\n"
    "  ret\n"
    "watch_gate_restorer:\n"
    "  movl $15, %eax\n"  // rt_sigreturn
    "  syscall\n"
    "  ud2\n"  // The kernel asks where the call returns to: the gate ends behind that.
    "watch_gate_end:\n");
extern long watch_gate(long, long, long, long, long, long, long);
extern void watch_gate_restorer(void);
extern const char watch_gate_end[];

static WATCH_LOCAL volatile char selector;
static WATCH_LOCAL bool is_dispatched;

WATCH_PLAIN static void handle(int number, siginfo_t *info, void *opaque) {
  (void)number;
  greg_t *registers = ((ucontext_t *)opaque)->uc_mcontext.gregs;
  if (!watch_is_of_devices(info->si_syscall)) {
    watch_counts.system_calls++;
    watch_counts.last_system_call = (uint64_t)info->si_syscall;
  }
  registers[REG_RAX] = watch_gate(
      info->si_syscall, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10],
      registers[REG_R8], registers[REG_R9]);
}

// What the kernel takes; the C library's function would put its own way out in place of the gate's.
struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

static void install(void) {
  const unsigned long restores = 0x04000000;  // SA_RESTORER
  struct kernel_action action = {handle, SA_SIGINFO | SA_NODEFER | restores, watch_gate_restorer, 0};
  syscall(SYS_rt_sigaction, SIGSYS, &action, NULL, sizeof action.mask);
}

static bool dispatch(int mode) {
  if (mode == DISPATCH_OFF) return prctl(PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_OFF, 0, 0, 0) == 0;
  return prctl(
             PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, (unsigned long)watch_gate,
             (unsigned long)watch_gate_end - (unsigned long)watch_gate, &selector) == 0;
}

bool realtime_watch_sees_system_calls(void) {
  bool can = dispatch(DISPATCH_ON);
  if (can) dispatch(DISPATCH_OFF);
  return can;
}

void watch_system_calls(bool on) {
  if (on) {
    install();
    is_dispatched = dispatch(DISPATCH_ON);
    if (is_dispatched) selector = SELECTOR_BLOCK;
  } else {
    is_dispatched = false;
    selector = SELECTOR_ALLOW;
    dispatch(DISPATCH_OFF);
  }
}

void watch_pause_system_calls(bool paused) {
  if (is_dispatched) selector = paused ? SELECTOR_ALLOW : SELECTOR_BLOCK;
}

#else

bool realtime_watch_sees_system_calls(void) { return false; }
void watch_system_calls(bool on) { (void)on; }
void watch_pause_system_calls(bool paused) { (void)paused; }

#endif
