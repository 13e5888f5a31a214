// Runs the threads of a block, one after the other up to the next barrier.

#include <setjmp.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda_runtime.h"

thread_local uint3 threadIdx, blockIdx;
thread_local dim3 blockDim, gridDim;

namespace emulator {

namespace {

constexpr size_t kStackBytes = 1 << 18;
constexpr unsigned kMostThreads = 1024, kWarp = 32;
constexpr size_t kSharedBytes = 227 << 10;  // of an H100

enum class State { idle, ready, at_warp_barrier, at_block_barrier };

/// A stack that runs one thread after another. ucontext creates it; _setjmp and _longjmp then switch, without
/// system calls.
struct Fiber {
  ucontext_t context;
  jmp_buf here;
  State state = State::idle;
  uint3 thread;
  std::unique_ptr<char[]> stack{new char[kStackBytes]};
};

[[noreturn]] void fail(const char* what) {
  fprintf(stderr, "emulator: block (%u, %u, %u), thread %u: %s\n", blockIdx.x, blockIdx.y, blockIdx.z,
          threadIdx.x, what);
  abort();
}

/// The fibers that one thread of this process runs.
struct Team {
  std::vector<std::unique_ptr<Fiber>> fibers;
  Fiber* running = nullptr;
  const std::function<void()>* body = nullptr;
  jmp_buf scheduler;
  ucontext_t main;
  alignas(16) std::byte exchanged[kMostThreads * kExchanged];
  alignas(16) unsigned char shared[kSharedBytes];
};
thread_local Team team;
std::atomic<uint64_t> started{0};

/// Returns to the scheduler until it resumes this fiber.
void leave(State state) {
  Fiber* fiber = team.running;
  fiber->state = state;
  if (_setjmp(fiber->here) == 0) _longjmp(team.scheduler, 1);
}

void live() {
  leave(State::idle);  // created, but not yet used
  for (;;) {
    (*team.body)();
    leave(State::idle);
  }
}

void enter(Fiber& fiber) {
  team.running = &fiber;
  threadIdx = fiber.thread;
  if (_setjmp(team.scheduler) == 0) _longjmp(fiber.here, 1);
}

void make_fiber() {
  auto fiber = std::make_unique<Fiber>();
  getcontext(&fiber->context);
  fiber->context.uc_stack = {fiber->stack.get(), 0, kStackBytes};
  fiber->context.uc_link = nullptr;
  makecontext(&fiber->context, live, 0);
  team.running = fiber.get();
  if (_setjmp(team.scheduler) == 0) swapcontext(&team.main, &fiber->context);
  team.fibers.push_back(std::move(fiber));
}

/// Runs a warp until each of its threads has ended or waits for the block. Returns whether any waits.
bool run_warp(unsigned first, unsigned last) {
  for (;;) {
    unsigned warp = 0, block = 0, ended = 0;
    for (unsigned i = first; i < last; ++i) {
      Fiber& fiber = *team.fibers[i];
      if (fiber.state == State::ready) enter(fiber);
      warp += fiber.state == State::at_warp_barrier;
      block += fiber.state == State::at_block_barrier;
      ended += fiber.state == State::idle;
    }
    if (warp == 0) return block > 0;
    if (block > 0 || ended > 0) fail("part of its warp does not come to the warp's barrier");
    for (unsigned i = first; i < last; ++i) team.fibers[i]->state = State::ready;
  }
}

void run_block(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    const dim3& size = blockDim;
    team.fibers[i]->thread = {i % size.x, i / size.x % size.y, i / size.x / size.y};
    team.fibers[i]->state = State::ready;
  }
  for (bool waiting = true; waiting;) {
    waiting = false;
    unsigned ended = 0;
    for (unsigned first = 0; first < threads; first += kWarp) {
      waiting |= run_warp(first, std::min(first + kWarp, threads));
    }
    for (unsigned i = 0; i < threads; ++i) {
      Fiber& fiber = *team.fibers[i];
      ended += fiber.state == State::idle;
      if (fiber.state == State::at_block_barrier) fiber.state = State::ready;
    }
    if (waiting && ended > 0) fail("part of the block has ended, part waits at a barrier");
  }
}

}  // namespace

void block_barrier() {
  leave(State::at_block_barrier);
}
void warp_barrier() {
  leave(State::at_warp_barrier);
}
std::byte* warp_bytes() {
  return &team.exchanged[threadIdx.x / kWarp * kWarp * kExchanged];
}
unsigned char* dynamic_shared_memory() {
  return team.shared;
}
uint64_t kernels() {
  return started;
}

void run_kernel(dim3 blocks, dim3 threads, size_t shared, const std::function<void()>& body) {
  const unsigned count = threads.x * threads.y * threads.z;
  blockDim = threads;
  gridDim = blocks;
  // The limits of compute capabilities 8.0 and 9.0.
  if (count == 0 || count > kMostThreads || threads.z > 64) fail("a block of that size cannot be");
  if (blocks.x == 0 || blocks.x > 0x7fffffff || blocks.y - 1 >= 65535 || blocks.z - 1 >= 65535) {
    fail("a grid of that size cannot be");
  }
  while (team.fibers.size() < count) make_fiber();
  team.body = &body;
  ++started;
  for (unsigned z = 0; z < blocks.z; ++z) {
    for (unsigned y = 0; y < blocks.y; ++y) {
      for (unsigned x = 0; x < blocks.x; ++x) {
        blockIdx = {x, y, z};
        std::memset(team.shared, 0xff, shared);
        run_block(count);
      }
    }
  }
}

}  // namespace emulator
