#include "cuda/training.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/say.h"
#include "comm/collectives.h"
#include "cuda/backend.h"
#include "run/parts.h"

namespace trainer::cuda {

static_assert(std::is_same_v<Real, float>,
              "a build with another number type is only for the CPU: -DKML_TRAINER_CUDA=OFF");

namespace {

constexpr std::chrono::seconds kJoinTimeout(60);

std::unique_ptr<Network> make_network(const Options& options, const NetworkPlan& plan) {
  const bool fast = uses_fast_kernels(options, {plan.image_rows, plan.image_columns, plan.classes});
  if (options.model == ModelKind::cnn) return fast ? make_fast_cnn(plan) : make_cnn(plan);
  return fast ? make_fast_mlp(plan) : make_mlp(plan);
}

std::unique_ptr<DeviceOptimizer> make_device_optimizer(const Options& options) {
  if (options.optimizer == OptimizerKind::sgd) return make_sgd(options.momentum, options.nesterov);
  return make_adam();
}

}  // namespace

CudaTraining::CudaTraining(const Options& options, const Dataset& data, Parallel& parallel,
                           Communicator& communicator, std::function<int()> stop_signal)
    : Training(options, data, parallel, communicator, std::move(stop_signal)),
      peak_flops_(cuda::peak_flops(options.precision)) {
  const uint32_t rank = communicator.rank(), world = communicator.world();
  const Images& test = data.test.images;
  const auto bound = [&](uint32_t r) { return static_cast<uint32_t>(uint64_t{test.count} * r / world); };
  test_images_ = bound(rank + 1) - bound(rank);

  EnginePlan plan;
  plan.pieces = pieces_;
  uint32_t most_rows = 0;
  for (const auto& piece : plan.pieces) most_rows = std::max(most_rows, piece.back() - piece.front());
  const Shape shape = data.shape();
  plan.network = {shape.rows,        shape.columns,
                  shape.classes,     options.hidden_units(),
                  options.keep,      options.seed,
                  most_rows,         options.batch_size,
                  options.precision, options.kernels != Kernels::three};
  plan.parameters = model_->parameter_count();
  plan.moments = optimizer_->moments().size();
  plan.shift = options.shift;
  plan.rank = rank;
  plan.ranks = world;
  const auto pixels = [&](const Images& images, uint32_t first, uint32_t count) {
    return std::span(images.image(first), size_t{count} * images.pixels());
  };
  plan.train_images = pixels(data.train.images, 0, data.train.images.count);
  plan.train_labels = data.train.labels.all();
  plan.test_images = pixels(test, bound(rank), test_images_);
  plan.test_labels = data.test.labels.all().subspan(bound(rank), test_images_);
  engine_ =
      std::make_unique<Engine>(plan, make_network(options, plan.network), make_device_optimizer(options));
  if (world > 1) connect_gpus(options);
  if (world > 1 && !link_) gradients_.assign(plan.pieces.size(), std::vector<float>(plan.parameters));
}

/// Links the ranks' GPUs by NCCL if the options and the machine allow it.
void CudaTraining::connect_gpus(const Options& options) {
  if (options.transport == Transport::tcp) return;
  std::string why;
  NcclPlan plan;
  plan.gpu = gpu_address();
  plan.timeout = std::min<std::chrono::seconds>(std::chrono::seconds(options.meeting_timeout), kJoinTimeout);
  plan.patience = std::chrono::seconds(options.stall_timeout);
  link_ = NcclLink::connect(communicator_, plan, why);
  if (!link_ && options.transport == Transport::nccl) {
    throw Error("--communicator=nccl: NCCL cannot join the ranks' GPUs", why,
                "set NCCL_DEBUG=INFO for details, or pass --communicator=tcp, or auto");
  }
  if (!link_) return say("gradients are sent between the hosts, by TCP: " + why);
  say("gradients are sent from GPU to GPU, by NCCL " + std::to_string(link_->version()));
  const size_t parameters = model_->parameter_count();
  const uint32_t rank = communicator_.rank(), world = communicator_.world();
  on_gpus_ = options.fast ? make_fast_device_sum(*link_, rank, world, parameters)
                          : make_exact_device_sum(*link_, rank, world, parameters);
  engine_->wait_by([this](const Stream& stream) { link_->wait([&] { return stream.done(); }); });
}

void CudaTraining::upload_state() {
  const Stream& stream = engine_->stream();
  engine_->parameters().upload(state.parameters, stream);
  for (size_t i = 0; i < state.moments.size(); ++i) engine_->moments()[i].upload(state.moments[i], stream);
  stream.wait();
}

void CudaTraining::download_state() {
  const Stream& stream = engine_->stream();
  engine_->parameters().download(state.parameters, stream);
  for (size_t i = 0; i < state.moments.size(); ++i) engine_->moments()[i].download(state.moments[i], stream);
  stream.wait();
}

void CudaTraining::prepare(uint64_t updates) {
  engine_->count_correct();  // this loads the kernels
  if (communicator_.world() == 1 && updates > 0)
    engine_->prepare(static_cast<uint32_t>(std::min<uint64_t>(updates, Engine::kMostJobs)));
}

std::vector<double> CudaTraining::update(uint64_t most) {
  if (communicator_.world() > 1 && !link_) return update_by_hosts();
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(most, Engine::kMostJobs));
  ask_whether_to_stop();
  return link_ ? update_by_nccl(count) : update_alone(count);
}

/// Performs the next updates on the GPU. The caller counts them.
std::vector<double> CudaTraining::run(uint32_t count, const Engine::Finish& finish) {
  std::vector<Job> jobs;
  std::vector<uint64_t> next_positions;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t update = state.updates + i;
    jobs.push_back({batches_.first_position(update),
                    engine_->optimizer().coefficients(update + 1, schedule_.at(update + 1))});
    next_positions.push_back(batches_.first_position(update + count));
  }
  return engine_->run(
      jobs, next_positions, [&](uint64_t position) { return batches_.example(position); }, finish);
}

std::vector<double> CudaTraining::update_alone(uint32_t count) {
  const auto found = run(count, nullptr);
  std::vector<double> losses;
  for (const double loss : found) {
    losses.push_back(loss / batches_.size());
    work_.examples += batches_.size();
    if (!std::isfinite(loss)) break;
    ++state.updates;
    work_.parameters += model_->parameter_count();
  }
  return losses;
}

std::vector<double> CudaTraining::update_by_nccl(uint32_t count) {
  const DeviceSum::Slice slice = on_gpus_->slice();
  const auto found = run(count, [&](uint32_t job) {
    const float* gradient = on_gpus_->reduce(engine_->stream(), engine_->gradients(), engine_->halted());
    engine_->apply(job, slice.first, slice.count, gradient);
    on_gpus_->gather(engine_->stream(), engine_->parameters());
  });
  struct Losses {
    uint64_t pieces;
    double values[Engine::kMostJobs * kMostPieces];
  };
  Losses mine{found.size() / count, {}};
  std::copy(found.begin(), found.end(), mine.values);
  const auto all = all_gather_values(communicator_, mine);
  std::vector<double> losses;
  for (uint32_t job = 0; job < count; ++job) {
    std::vector<double> leaves;
    for (const Losses& rank : all) {
      const double* first = rank.values + job * rank.pieces;
      leaves.insert(leaves.end(), first, first + rank.pieces);
    }
    losses.push_back(sum_->add_losses(leaves) / batches_.size());
    count_examples();
    if (!std::isfinite(losses.back())) break;
    ++state.updates;
    work_.parameters += slice.count;
    work_.sent += on_gpus_->sent();
  }
  return losses;
}

std::vector<double> CudaTraining::update_by_hosts() {
  const auto found = run(1, [](uint32_t) {});
  count_examples();
  const Stream& stream = engine_->stream();
  for (size_t i = 0; i < gradients_.size(); ++i) engine_->gradients()[i].download(gradients_[i], stream);
  stream.wait();
  const auto [loss, gradient] = add_up(found, gradients_);
  if (!std::isfinite(loss)) return {loss};

  ++state.updates;
  const size_t first = slices_[communicator_.rank()];
  const Array<float>& on_gpu = engine_->gradients()[0];
  on_gpu.upload(gradient, stream, first);
  engine_->apply(0, first, gradient.size(), on_gpu.data() + first);
  engine_->parameters().download(std::span(state.parameters).subspan(first, gradient.size()), stream, first);
  stream.wait();
  gather_parameters();
  engine_->parameters().upload(state.parameters, stream);
  stream.wait();
  return {loss};
}

std::unique_ptr<Training> make_training(const Options& options, const Dataset& data, Parallel& parallel,
                                        Communicator& communicator, std::function<int()> stop_signal) {
  return std::make_unique<CudaTraining>(options, data, parallel, communicator, std::move(stop_signal));
}

}  // namespace trainer::cuda
