#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <vector>

#include "cuda/convolution.cuh"
#include "cuda/fast/cnn_image.cuh"
#include "cuda/fast/launch.h"
#include "run/parts.h"
#include "trainer/cuda/training_support.h"

using namespace trainer;
using namespace trainer::cuda;

namespace {

Dataset data() {
  Dataset d;
  d.train = part(40, kFastSide, 1);
  d.test = part(4, kFastSide, 2);
  d.classes = 10;
  return d;
}

Options cnn_options() {
  Options o = options(Device::cuda);
  o.model = ModelKind::cnn;
  o.precision = Precision::bf16;
  o.hidden = 76;     // the second tile is not full
  o.batch_size = 9;  // shards of one and two rows
  o.optimizer = OptimizerKind::sgd;
  return o;
}

Options plain(Options o) {
  o.kernels = Kernels::plain;
  return o;
}

/// The largest difference between elements of two arrays, as a share of the largest element of the first.
double relative(const std::vector<float>& a, const std::vector<float>& b, size_t first, size_t last) {
  double most = 0, largest = 0;
  for (size_t i = first; i < last; ++i) {
    most = std::max(most, std::abs(double{a[i]} - b[i]));
    largest = std::max(largest, std::abs(double{a[i]}));
  }
  return most / largest;
}

/// Multiplies `left`, 16 x 16, by `right`, 16 x 8 but stored as its columns.
void multiply_rows(const float* left, const float* right, float* out) {
  auto* a = reinterpret_cast<Bf16*>(shared_memory());
  auto* b = a + 16 * 16;
  const unsigned lane = threadIdx.x % 32, matrix = lane / 8, k = lane % 8;
  for (unsigned i = lane; i < 16 * 16; i += 32) {
    a[i] = __float2bfloat16(left[i]);
    b[i] = __float2bfloat16(i < 8 * 16 ? right[i] : 0.0f);
  }
  __syncwarp();
  uint32_t of_left[4], of_right[4];
  load_matrices(of_left, a + (matrix % 2 * 8 + k) * 16 + matrix / 2 * 8);
  load_matrices(of_right, b + (matrix / 2 * 8 + k) * 16 + matrix % 2 * 8);
  float sum[4] = {};
  multiply_bf16(sum, of_left, of_right);
  for (unsigned i = 0; i < 4; ++i) out[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[i];
}

}  // namespace

TEST_CASE("fast kernels of the cnn: factors whose rows are adjacent along k are multiplied correctly") {
  std::vector<float> a(16 * 16), b(8 * 16), out(16 * 8, -1e9f);
  for (uint32_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(draw(1, Purpose::shuffle, i, 0)[0] % 256);
  for (uint32_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(draw(2, Purpose::shuffle, i, 0)[0] % 31) - 15;
  const Stream stream;
  launch_after(stream, false, multiply_rows, 1, 32, 2 * 16 * 16 * sizeof(Bf16), a.data(), b.data(),
               out.data());
  for (uint32_t row = 0; row < 16; ++row) {
    for (uint32_t column = 0; column < 8; ++column) {
      float sum = 0;
      for (uint32_t k = 0; k < 16; ++k) sum += a[row * 16 + k] * b[column * 16 + k];
      REQUIRE(out[row * 8 + column] == sum);
    }
  }
}

TEST_CASE("fast kernels of the cnn: two numbers are rounded and packed into a word") {
  CHECK(pack_bf16(1, -2) == 0xc0003f80u);
  CHECK(pack_bf16(std::bit_cast<float>(0x3f808000u), std::bit_cast<float>(0x3f818000u)) ==
        0x3f823f80u);  // ties
}

TEST_CASE("fast kernels of the cnn: their gradients equal those of the plain kernels") {
  const Dataset set = data();
  Options o = cnn_options();
  o.learning_rate = 1;
  o.momentum = 0;
  const uint64_t before = emulator::kernels();
  const Result fast = train_on(set, o, 1);
  const uint64_t between = emulator::kernels();
  const Result slow = train_on(set, plain(o), 1);
  // two kernels fewer in the update, and one fewer in the evaluation
  CHECK(emulator::kernels() - between == between - before + 3);
  CHECK(fast.losses[0] == doctest::Approx(slow.losses[0]).epsilon(1e-4));
  // The momentum of the first update is its gradient. Sums in other orders round values at a boundary of bf16
  // differently.
  const auto &a = slow.state.moments[0], &b = fast.state.moments[0];
  const size_t bounds[] = {0, 288, 320, 320 + 18432, 18816, 18816 + size_t{9216} * 76, a.size()};
  for (size_t i = 0; i + 1 < std::size(bounds); ++i) {
    CAPTURE(i);
    CHECK(relative(a, b, bounds[i], bounds[i + 1]) < 4e-3);
  }
}

TEST_CASE("fast kernels of the cnn: one rank and three ranks give the same bits") {
  const Dataset set = data();
  const Options o = cnn_options();
  const Result alone = train_on(set, o, 1), shared = train_on(set, o, 1, 3);
  CHECK(shared.state.parameters == alone.state.parameters);
  CHECK(shared.losses == alone.losses);
}

TEST_CASE(
    "fast kernels of the cnn: a GPU with too little shared memory trains with the plain ones, and prints a "
    "note") {
  const Shape shape{kFastSide, kFastSide, 10};
  CHECK(kernels_note(cnn_options(), shape).empty());
  const Changed small(emulator::block_shared, 99 << 10);  // compute capability 8.6, 8.9 and 12.0
  const Options o = cnn_options();
  CHECK_FALSE(uses_fast_kernels(o, shape));
  CHECK(kernels_note(o, shape) ==
        "using the plain kernels: a block of the fast kernels needs 161 KiB of shared memory, and this GPU "
        "has only 99");
  CHECK(kernels_note(plain(o), shape).empty());
  CHECK(train_on(data(), o, 2).state.parameters == train_on(data(), plain(o), 2).state.parameters);
}
