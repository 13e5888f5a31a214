#include "run/training.h"

#include <doctest/doctest.h>

#include <cmath>

#include "cuda/divisor.h"
#include "cuda/gpu_error.h"
#include "cuda/network.h"
#include "trainer/cuda/training_support.h"

using namespace trainer;

namespace {

const Dataset& data() {
  static const Dataset set = small_data(15);
  return set;
}

Result train(const Options& o, uint64_t updates, uint32_t world = 1) {
  return train_on(data(), o, updates, world);
}

}  // namespace

TEST_CASE("training on a GPU: losses, weights and moments match those of the CPU") {
  const Result cpu = train(options(Device::cpu), 20), gpu = train(options(Device::cuda), 20);
  REQUIRE(gpu.losses.size() == 20);
  for (size_t i = 0; i < 20; ++i) CHECK(gpu.losses[i] == doctest::Approx(cpu.losses[i]).epsilon(1e-5));
  CHECK(distance(gpu.state.parameters, cpu.state.parameters) < 1e-5);
  for (size_t i = 0; i < 2; ++i) CHECK(distance(gpu.state.moments[i], cpu.state.moments[i]) < 1e-6);
  CHECK(gpu.correct == cpu.correct);
  CHECK(gpu.losses[19] < 0.8 * gpu.losses[0]);
}

TEST_CASE("training on a GPU: SGD, both kinds of momentum, and a schedule match the CPU") {
  for (const bool nesterov : {false, true}) {
    Options cpu = options(Device::cpu), gpu = options(Device::cuda);
    for (Options* o : {&cpu, &gpu}) {
      o->optimizer = OptimizerKind::sgd;
      o->nesterov = nesterov;
      o->schedule = Schedule::Kind::cosine;
      o->warm_up = 3;
      o->schedule_updates = 12;
    }
    const Result slow = train(cpu, 12), fast = train(gpu, 12);
    CHECK(distance(slow.state.parameters, fast.state.parameters) < 1e-5);
    CHECK(distance(slow.state.moments.at(0), fast.state.moments.at(0)) < 1e-5);
  }
}

TEST_CASE("training on a GPU: the convolutional network matches the CPU, in all precisions") {
  Options cpu = options(Device::cpu), gpu = options(Device::cuda);
  for (Options* o : {&cpu, &gpu}) {
    o->model = ModelKind::cnn;
    o->hidden = 37;
  }
  const Result slow = train(cpu, 4), fast = train(gpu, 4);
  for (size_t i = 0; i < 4; ++i) CHECK(fast.losses[i] == doctest::Approx(slow.losses[i]).epsilon(1e-5));
  CHECK(distance(fast.state.parameters, slow.state.parameters) < 1e-5);
  CHECK(distance(fast.state.moments[0], slow.state.moments[0]) < 1e-6);
  CHECK(fast.correct == slow.correct);
  const Result shared = train(gpu, 4, 3);
  CHECK(shared.state.parameters == fast.state.parameters);
  CHECK(shared.state.moments == fast.state.moments);
  for (const auto& [precision, tolerance] :
       {std::pair{Precision::tf32, 2e-3}, std::pair{Precision::bf16, 3e-2}}) {
    gpu.precision = precision;
    const Result rounded = train(gpu, 2);
    for (size_t i = 0; i < 2; ++i)
      CHECK(rounded.losses[i] == doctest::Approx(fast.losses[i]).epsilon(tolerance));
  }
}

TEST_CASE("training on a GPU: images are shifted as on the CPU, with any number of ranks") {
  Dataset set =
      small_data(16);           // the fast kernels accept this size, but those for an mlp cannot shift images
  set.train = part(65, 16, 1);  // the second update ends the first epoch
  for (const ModelKind model : {ModelKind::mlp, ModelKind::cnn}) {
    Options cpu = options(Device::cpu), gpu = options(Device::cuda);
    for (Options* o : {&cpu, &gpu}) {
      o->model = model;
      o->hidden = 44;
      o->shift = 2;
    }
    const Result slow = train_on(set, cpu, 2), fast = train_on(set, gpu, 2);
    for (size_t i = 0; i < 2; ++i) CHECK(fast.losses[i] == doctest::Approx(slow.losses[i]).epsilon(1e-5));
    CHECK(distance(fast.state.moments[0], slow.state.moments[0]) < 1e-6);
    CHECK(train_on(set, gpu, 2, 3).state.parameters == fast.state.parameters);
    gpu.shift = 0;
    CHECK(train_on(set, gpu, 2).losses[0] != doctest::Approx(slow.losses[0]).epsilon(1e-5));
  }
}

TEST_CASE("division by multiplication: is right for all numbers that the kernels divide") {
  for (const uint32_t by : {1u, 2u, 3u, 7u, 12u, 26u, 144u, 676u, 784u, 65536u, 99999u}) {
    const cuda::Divisor divisor(by);
    for (const uint32_t near : {0u, by, 1000u * by, 0x7fffffffu / by * by, 0x7fffffffu}) {
      for (int64_t n = int64_t{near} - 2; n < int64_t{near} + 3; ++n) {
        if (n >= 0 && n <= 0x7fffffff) REQUIRE(divisor.divide(static_cast<uint32_t>(n)) == n / by);
      }
    }
  }
}

TEST_CASE("training on a GPU: 1, 2, 3, 4 and 8 ranks, and graphs of any length, give the same bits") {
  const Result alone = train(options(Device::cuda), 12);
  for (const uint32_t world : {2, 3, 4, 8}) {
    const Result shared = train(options(Device::cuda), 12, world);
    CHECK(shared.state.parameters == alone.state.parameters);
    CHECK(shared.state.moments == alone.state.moments);
    CHECK(shared.losses == alone.losses);
    CHECK(shared.correct == alone.correct);
  }
}

TEST_CASE("training on a GPU: ranks may have no rows of the batch") {
  Options o = options(Device::cuda);
  o.batch_size = 3;
  for (const ModelKind model : {ModelKind::mlp, ModelKind::cnn}) {
    o.model = model;
    const Result alone = train(o, 6);
    for (const uint32_t world : {3, 8}) {
      const Result shared = train(o, 6, world);
      CHECK(shared.state.parameters == alone.state.parameters);
      CHECK(shared.losses == alone.losses);
    }
  }
}

TEST_CASE("training on a GPU: a cnn whose arrays need more than 32-bit indexes is rejected") {
  cuda::NetworkPlan plan{256, 256, 10, 128, 1, 1, 2080, 2080, Precision::bf16};
  cuda::check_cnn_size(plan);
  plan.most_rows = 2081;
  CHECK_THROWS_WITH(cuda::check_cnn_size(plan), "the batch is too large for a cnn on a GPU");
  plan.most_rows = 1;
  plan.hidden = 4226;
  cuda::check_cnn_size(plan);
  plan.hidden = 4227;
  CHECK_THROWS_WITH(cuda::make_cnn(plan), "--hidden 4227 is too large for a cnn on a GPU");
  cuda::check_cnn_size({28, 28, 10, 128, 1, 1, 65535, 65535, Precision::bf16});
}

TEST_CASE("CUDA errors: the program restarts only for errors that may not happen again") {
  for (const cudaError_t error :
       {cudaErrorInvalidValue, cudaErrorInvalidConfiguration, cudaErrorInvalidDeviceFunction,
        cudaErrorNoKernelImageForDevice, cudaErrorInvalidPtx, cudaErrorUnsupportedPtxVersion,
        cudaErrorIllegalAddress, cudaErrorLaunchOutOfResources, cudaErrorMisalignedAddress,
        cudaErrorLaunchFailure, cudaErrorCooperativeLaunchTooLarge, cudaErrorStreamCaptureUnsupported,
        cudaErrorStreamCaptureImplicit, cudaErrorCapturedEvent, cudaErrorMemoryAllocation}) {
    CHECK(cuda::gpu_error(error, "start a kernel").exit_code() == 1);
  }
  for (const cudaError_t error : {cudaErrorECCUncorrectable, cudaErrorUnknown})
    CHECK(cuda::gpu_error(error, "compute").exit_code() == 134);
}

TEST_CASE("training on a GPU: results with tensor cores stay near those with fp32") {
  const Result exact = train(options(Device::cuda), 10);
  for (const auto& [precision, tolerance] :
       {std::pair{Precision::tf32, 2e-3}, std::pair{Precision::bf16, 2e-2}}) {
    Options o = options(Device::cuda);
    o.precision = precision;
    const Result rounded = train(o, 10);
    for (size_t i = 0; i < 10; ++i)
      CHECK(rounded.losses[i] == doctest::Approx(exact.losses[i]).epsilon(tolerance));
    CHECK(rounded.losses != exact.losses);
  }
}

TEST_CASE("training on a GPU: after a loss that is not finite, nothing is changed") {
  Options o = options(Device::cuda);
  o.learning_rate = 1e30f;
  as_ranks(1, [&](Communicator& communicator) {
    Parallel parallel(1);
    const auto training = make_training(o, data(), parallel, communicator, [] { return 0; });
    training->begin();
    training->share_state();
    const auto losses = training->update(9);
    CHECK(losses.size() < 9);
    CHECK_FALSE(std::isfinite(losses.back()));
    CHECK(training->state.updates == losses.size() - 1);
    training->collect_state();
    const auto weights = training->state.parameters;
    CHECK_FALSE(std::isfinite(training->update(3).back()));
    training->collect_state();
    CHECK(training->state.parameters == weights);
  });
}
