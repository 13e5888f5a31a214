#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "cuda/fast/instructions.cuh"
#include "cuda/fast/launch.h"
#include "cuda/fast/mlp_persistent.h"
#include "run/identity.h"
#include "trainer/cuda/training_support.h"

using namespace trainer;
using namespace trainer::cuda;

namespace {

constexpr uint32_t kSide = 16, kHidden = 76, kUpdates = 3;

const Dataset& data() {
  static const Dataset set = small_data(kSide);
  return set;
}

Options persistent_options(Precision precision) {
  Options o = options(Device::cuda);
  o.hidden = kHidden;
  o.precision = precision;
  return o;
}

/// The cost of a training's updates.
struct Cost {
  uint64_t kernels, barriers, bytes;
};
Cost cost_of(const Options& o, uint32_t updates = kUpdates) {
  const auto now = [] {
    return std::array{emulator::kernels(), emulator::grid_barriers(), emulator::bytes_loaded()};
  };
  Cost cost{};
  as_ranks(1, [&](Communicator& communicator) {
    Parallel parallel(1);
    const auto training = make_training(o, data(), parallel, communicator, [] { return 0; });
    training->begin();
    training->share_state();
    const auto before = now();
    training->update(updates);
    const auto after = now();
    cost = {after[0] - before[0], after[1] - before[1], after[2] - before[2]};
  });
  return cost;
}

/// A kernel whose blocks pass a number on.
void pass_on(uint32_t* numbers, uint32_t* arrivals) {
  if (threadIdx.x == 0 && blockIdx.x == 0) numbers[0] = 7;
  for (uint32_t turn = 1; turn < gridDim.x; ++turn) {
    grid_barrier(arrivals, turn);
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - turn - 1) numbers[turn] = numbers[turn - 1] + 1;
  }
}

}  // namespace

TEST_CASE(
    "kernels whose blocks wait for each other: after a barrier, each block sees what the others wrote before "
    "it") {
  std::vector<uint32_t> numbers(5), arrivals(1);
  launch_together(Stream(), pass_on, 5, 64, 0, numbers.data(), arrivals.data());
  CHECK(numbers == std::vector<uint32_t>{7, 8, 9, 10, 11});
  const Changed few(emulator::multiprocessors, 1);
  CHECK(can_run_together(pass_on, 4, 512, 0));
  CHECK_FALSE(can_run_together(pass_on, 5, 512, 0));
  CHECK_FALSE(can_run_together(pass_on, 3, 64, 100 << 10));
  CHECK_FALSE(can_run_together(pass_on, 1, 64, (227 << 10) + 1));
}

TEST_CASE("persistent kernel: gives the same bits as three kernels per update") {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const Options o = persistent_options(precision);
    const Result one = train_on(data(), o, 4);
    const Changed few(emulator::multiprocessors, 2);
    const Result three = train_on(data(), o, 4);
    CHECK(one.losses == three.losses);
    CHECK(one.state.parameters == three.state.parameters);
    CHECK(one.state.moments == three.state.moments);
    CHECK(one.correct == three.correct);
  }
}

TEST_CASE("persistent kernel: works with more rows than blocks, shards without rows, and dropout") {
  for (const uint32_t batch : {3u, 130u}) {
    Options o = persistent_options(Precision::fp32);
    o.batch_size = batch;
    o.hidden = 20;
    o.keep = 0.7f;
    CHECK(cost_of(o).kernels == 1);
    const Result one = train_on(data(), o, 3);
    const Changed none(emulator::multiprocessors, 0);
    const Result three = train_on(data(), o, 3);
    CHECK(one.state.parameters == three.state.parameters);
    CHECK(one.losses == three.losses);
  }
}

TEST_CASE(
    "persistent kernel: all updates take one launch; each takes two barriers, and loads the batch and the "
    "logits") {
  const Options o = persistent_options(Precision::bf16);
  const Cost many = cost_of(o, kUpdates), few = cost_of(o, kUpdates - 1);
  CHECK(many.kernels == 1);
  CHECK(many.barriers == 2 * kUpdates);
  const uint64_t blocks = kHidden / kUnits, rows = o.batch_size, pixels = kSide * kSide, threads = 256,
                 images = blocks * rows * pixels, logits = rows * blocks * 10 * sizeof(float),
                 gradients = blocks * rows * 10 * sizeof(float), halted = blocks * threads * sizeof(uint32_t);
  CHECK(many.bytes - few.bytes == images + logits + gradients + halted);
}

TEST_CASE("persistent kernel: is not used with --kernels three; the bits are the same") {
  Options o = persistent_options(Precision::bf16);
  const Result one = train_on(data(), o, 4);
  o.kernels = Kernels::three;
  CHECK(cost_of(o).kernels == 3 * kUpdates);
  const Result three = train_on(data(), o, 4);
  CHECK(one.state.parameters == three.state.parameters);
  CHECK(one.losses == three.losses);
  CHECK(identity(o, data()) == identity(persistent_options(Precision::bf16), data()));
}

TEST_CASE("persistent kernel: is not used with too few multiprocessors, a large batch, or SGD") {
  Options o = persistent_options(Precision::fp32);
  CHECK(cost_of(o).kernels == 1);
  SUBCASE("multiprocessors") {
    const Changed few(emulator::multiprocessors,
                      3);  // five blocks fit on each multiprocessor, and the kernel has 19
    CHECK(cost_of(o).kernels == 3 * kUpdates);
  }
  SUBCASE("batch") {
    o.batch_size = 500;
    CHECK(cost_of(o).kernels == 3 * kUpdates);
  }
  SUBCASE("SGD") {
    o.optimizer = OptimizerKind::sgd;
    CHECK(cost_of(o).kernels == 4 * kUpdates);
    CHECK(cost_of(o).barriers == 0);
  }
}
