#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "cuda/fast/launch.h"
#include "cuda/fast/warp_tile.cuh"
#include "trainer/cuda/training_support.h"

using namespace trainer;
using namespace trainer::cuda;

namespace {

const Dataset& data() {
  static const Dataset set = small_data(16);  // 256 pixels: three times what a block multiplies at a time
  return set;
}

Options fast_options(Precision precision = Precision::fp32) {
  Options o = options(Device::cuda);
  o.hidden = 76;  // the second tile is not full
  o.precision = precision;
  return o;
}

Options plain(Options o) {
  o.kernels = Kernels::plain;
  return o;
}

/// Multiplies 16 rows of `a` and `b`; `out` gets the tile of sums.
template <Precision precision>
void multiply_tile(const float* a, const float* b, float* out) {
  using Tile = WarpTile<precision>;
  auto* left = reinterpret_cast<typename Tile::Stored*>(shared_memory());
  auto* right = left + 16 * kRowStride;
  for (uint32_t i = threadIdx.x; i < 16 * kTile; i += kFastThreads) {
    left[i / kTile * kRowStride + i % kTile] = Factor<precision>::from(a[i]);
    right[i / kTile * kRowStride + i % kTile] = Factor<precision>::from(b[i]);
  }
  __syncthreads();
  Tile sum;
  sum.clear();
  sum.add(left, right);
  for (int i = 0; i < 16; ++i) out[Tile::row(i) * kTile + Tile::column(i)] = sum.x[i];
}

template <Precision precision>
void check_tile() {
  // Small whole numbers, because all formats represent them exactly.
  std::vector<float> a(16 * kTile), b(16 * kTile), out(kTile * kTile, -1e9f);
  for (uint32_t i = 0; i < 16 * kTile; ++i) {
    a[i] = static_cast<float>(draw(1, Purpose::shuffle, i, 0)[0] % 256);
    b[i] = static_cast<float>(draw(2, Purpose::shuffle, i, 0)[0] % 31) - 15;
  }
  const Stream stream;
  launch_after(stream, false, multiply_tile<precision>, 1, kFastThreads, 2 * 16 * kRowStride * sizeof(float),
               a.data(), b.data(), out.data());
  for (uint32_t row = 0; row < kTile; ++row) {
    for (uint32_t column = 0; column < kTile; ++column) {
      float sum = 0;
      for (uint32_t k = 0; k < 16; ++k) sum += a[k * kTile + row] * b[k * kTile + column];
      REQUIRE(out[row * kTile + column] == sum);
    }
  }
}

uint64_t kernels_of(const Options& o) {
  const uint64_t before = emulator::kernels();
  train_on(data(), o, 2);
  return emulator::kernels() - before;
}

}  // namespace

TEST_CASE("fast kernels: a tile of a product is right in each kind of arithmetic") {
  check_tile<Precision::fp32>();
  check_tile<Precision::tf32>();
  check_tile<Precision::bf16>();
}

TEST_CASE("fast kernels: losses, weights and moments equal those of the plain kernels") {
  for (const auto& [precision, tolerance] :
       {std::pair{Precision::fp32, 1e-5}, std::pair{Precision::tf32, 2e-3},
        std::pair{Precision::bf16, 2e-2}}) {
    const Options o = fast_options(precision);
    const Result fast = train_on(data(), o, 8), slow = train_on(data(), plain(o), 8);
    for (size_t i = 0; i < 8; ++i)
      CHECK(fast.losses[i] == doctest::Approx(slow.losses[i]).epsilon(tolerance));
    CHECK(fast.losses != slow.losses);  // the two kinds of kernels add in different orders
    CHECK(fast.losses[7] < 0.9 * fast.losses[0]);
    if (precision != Precision::fp32) continue;
    CHECK(distance(fast.state.parameters, slow.state.parameters) < 1e-5);
    for (size_t i = 0; i < 2; ++i) CHECK(distance(fast.state.moments[i], slow.state.moments[i]) < 1e-6);
    CHECK(fast.correct == slow.correct);
  }
}

TEST_CASE(
    "fast kernels: a batch may be several times as large as the shared memory, or have fewer rows than "
    "shards") {
  for (const uint32_t batch : {3u, 130u, 700u}) {
    Options o = fast_options();
    o.batch_size = batch;
    o.hidden = 20;
    const Result fast = train_on(data(), o, 3), slow = train_on(data(), plain(o), 3);
    CHECK(distance(fast.state.parameters, slow.state.parameters) < 1e-5);
  }
}

TEST_CASE("fast kernels: 1, 2, 3, 4 and 8 ranks give the same bits") {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const Options o = fast_options(precision);
    const Result alone = train_on(data(), o, 3);
    for (const uint32_t world : {2, 3, 4, 8}) {
      if (precision != Precision::fp32 && world % 2 == 0 && world != 8) continue;
      const Result shared = train_on(data(), o, 3, world);
      CHECK(shared.state.parameters == alone.state.parameters);
      CHECK(shared.state.moments == alone.state.moments);
      CHECK(shared.losses == alone.losses);
    }
  }
}

TEST_CASE("fast kernels: with SGD, they are two kernels fewer; networks that do not fit use the plain ones") {
  Options o = fast_options();
  o.optimizer = OptimizerKind::sgd;
  const uint64_t sgd = kernels_of(o), sgd_plain = kernels_of(plain(o));
  o.hidden = 75;
  const uint64_t odd = kernels_of(o), odd_plain = kernels_of(plain(o));
  CHECK(sgd_plain - sgd == 2 * 2);
  CHECK(odd == odd_plain);
}

TEST_CASE("fast kernels: after a loss that is not finite, nothing is changed") {
  Options o = fast_options();
  o.learning_rate = 1e30f;
  as_ranks(1, [&](Communicator& communicator) {
    Parallel parallel(1);
    const auto training = make_training(o, data(), parallel, communicator, [] { return 0; });
    training->begin();
    training->share_state();
    const auto losses = training->update(9);
    CHECK_FALSE(std::isfinite(losses.back()));
    CHECK(training->state.updates == losses.size() - 1);
    training->collect_state();
    const auto weights = training->state.parameters;
    training->update(3);
    training->collect_state();
    CHECK(training->state.parameters == weights);
  });
}
