// Runs the threads of a block, one after the other up to the next barrier.

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
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
constexpr size_t kSharedBytes = 227 << 10;  // the size on an H100

enum class State { idle, ready, at_warp_barrier, at_block_barrier, at_grid_barrier };

/// A stack that runs one thread after another. ucontext creates it; _setjmp and _longjmp then switch, without
/// system calls.
struct Fiber {
  ucontext_t context;
  jmp_buf here;
  State state = State::idle;
  uint3 thread;
  struct Copy {
    void* to;
    const void* from;
    size_t size;
  };
  std::vector<Copy> copies;  ///< copies that have begun, but are not complete
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
  struct Shared {
    alignas(16) unsigned char bytes[kSharedBytes];
  };
  std::vector<std::unique_ptr<Shared>> shared;  ///< the shared memory of the blocks that run together
  unsigned char* of_block = nullptr;            ///< the shared memory of the running block
};
thread_local Team team;
std::atomic<uint64_t> started{0}, passed{0}, loaded{0};

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

using Fibers = std::unique_ptr<Fiber>*;

unsigned count(Fibers fibers, unsigned size, State state) {
  return static_cast<unsigned>(
      std::count_if(fibers, fibers + size, [&](const auto& fiber) { return fiber->state == state; }));
}

void resume(Fibers fibers, unsigned size, State from) {
  for (unsigned i = 0; i < size; ++i) {
    if (fibers[i]->state == from) fibers[i]->state = State::ready;
  }
}

/// Runs a warp until each of its threads has ended or waits for the block or the grid.
void run_warp(Fibers fibers, unsigned size) {
  for (;;) {
    for (unsigned i = 0; i < size; ++i) {
      if (fibers[i]->state == State::ready) enter(*fibers[i]);
    }
    const unsigned waiting = count(fibers, size, State::at_warp_barrier);
    if (waiting == 0) return;
    if (waiting < size) fail("part of its warp does not come to the warp's barrier");
    resume(fibers, size, State::at_warp_barrier);
  }
}

/// Runs a block until it has ended or waits for the grid. Returns whether it waits.
bool run_block(Fibers fibers, unsigned threads) {
  resume(fibers, threads, State::at_grid_barrier);
  for (;;) {
    for (unsigned first = 0; first < threads; first += kWarp)
      run_warp(fibers + first, std::min(kWarp, threads - first));
    const unsigned of_grid = count(fibers, threads, State::at_grid_barrier);
    if (of_grid == threads || count(fibers, threads, State::idle) == threads) return of_grid > 0;
    if (count(fibers, threads, State::at_block_barrier) < threads)
      fail("part of the block has ended or waits for the grid, part waits at a barrier");
    resume(fibers, threads, State::at_block_barrier);
  }
}

/// Runs `together` blocks, beginning with block `first`, in turns from one barrier of the grid to the next.
void run_blocks(unsigned first, unsigned together, unsigned threads, size_t shared) {
  const dim3 size = blockDim, grid = gridDim;
  for (unsigned block = 0; block < together; ++block) {
    std::memset(team.shared[block]->bytes, 0xff, shared);
    for (unsigned i = 0; i < threads; ++i) {
      Fiber& fiber = *team.fibers[block * threads + i];
      fiber.thread = {i % size.x, i / size.x % size.y, i / size.x / size.y};
      fiber.state = State::ready;
    }
  }
  for (unsigned waiting = together; waiting > 0;) {
    waiting = 0;
    for (unsigned block = 0; block < together; ++block) {
      const unsigned index = first + block;
      blockIdx = {index % grid.x, index / grid.x % grid.y, index / grid.x / grid.y};
      team.of_block = team.shared[block]->bytes;
      waiting += run_block(&team.fibers[block * threads], threads);
    }
    if (waiting % together != 0) fail("part of the grid has ended, part waits at a barrier");
    passed += waiting > 0;
  }
}

}  // namespace

void block_barrier() {
  leave(State::at_block_barrier);
}
void warp_barrier() {
  leave(State::at_warp_barrier);
}
void grid_barrier() {
  leave(State::at_grid_barrier);
}
uint64_t grid_barriers() {
  return passed;
}
void copy_later(void* to, const void* from, size_t size) {
  if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % size != 0)
    fail("a copy is not aligned to its size");
  count_bytes(size);
  team.running->copies.push_back({to, from, size});
}
void wait_for_copies() {
  for (const auto& [to, from, size] : team.running->copies) std::memcpy(to, from, size);
  team.running->copies.clear();
}
uint64_t bytes_loaded() {
  return loaded;
}
void count_bytes(size_t count) {
  loaded += count;
}
std::byte* warp_bytes() {
  return &team.exchanged[threadIdx.x / kWarp * kWarp * kExchanged];
}
unsigned char* dynamic_shared_memory() {
  return team.of_block;
}
uint64_t kernels() {
  return started;
}

void run_kernel(dim3 blocks, dim3 threads, size_t shared, bool together, const std::function<void()>& body) {
  const unsigned count = threads.x * threads.y * threads.z, all = blocks.x * blocks.y * blocks.z;
  blockDim = threads;
  gridDim = blocks;
  // The limits of compute capabilities 8.0 and 9.0.
  if (count == 0 || count > kMostThreads || threads.z > 64) fail("a block of that size cannot be");
  if (blocks.x == 0 || blocks.x > 0x7fffffff || blocks.y - 1 >= 65535 || blocks.z - 1 >= 65535) {
    fail("a grid of that size cannot be");
  }
  const unsigned each = together ? all : 1;
  while (team.fibers.size() < size_t{each} * count) make_fiber();
  while (team.shared.size() < each) team.shared.push_back(std::make_unique<Team::Shared>());
  team.body = &body;
  ++started;
  for (unsigned first = 0; first < all; first += each) run_blocks(first, each, count, shared);
}

}  // namespace emulator
