#include "run/report.h"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "comm/collectives.h"
#include "run/parts.h"

namespace trainer {

Report::Report(const Options& options, const Dataset& data, unsigned threads, Communicator& communicator,
               const Training& training)
    : options_(options),
      data_(data),
      threads_(threads),
      communicator_(communicator),
      training_(training),
      schedule_(make_schedule(options)),
      metrics_(is_first() ? options.metrics : "", device_name(options.device)),
      pace_(training.flop(), 0),
      gpu_(metrics_.enabled() ? training.gpu_bus_id() : "") {}

void Report::started(bool resumed) {
  reported_step_ = training_.state.step;
  metrics_.write("start", {{"step", training_.state.step},
                           {"updates", training_.state.updates},
                           {"resumed", resumed},
                           {"max_steps", options_.max_steps},
                           {"seed", options_.seed},
                           {"batch_size", options_.batch_size},
                           {"threads", threads_},
                           {"ranks", communicator_.world()},
                           {"model", model_name(options_)},
                           {"optimizer", optimizer_name(options_)},
                           {"schedule", schedule_name(options_)},
                           {"data", data_.name}});
}

void Report::updated(const std::vector<double>& losses, double seconds) {
  pace_.updated(losses.size(), losses.size() * options_.batch_size, seconds);
  const auto count = static_cast<double>(losses.size());
  const uint64_t first_step = training_.state.step - losses.size();
  const uint64_t first_update = training_.state.updates - losses.size();
  for (size_t i = 0; i < losses.size(); ++i) {
    const auto examples_before = static_cast<double>((first_update + i) * options_.batch_size);
    metrics_.write("update", {{"step", first_step + i},
                              {"update", first_update + i + 1},
                              {"epoch", examples_before / data_.train.images.count},
                              {"loss", losses[i]},
                              {"learning_rate", schedule_.at(first_update + i + 1)},
                              {"seconds", seconds / count}});
  }
}

double Report::evaluated(uint32_t correct, double seconds, bool at_step) {
  const uint32_t images = data_.test.images.count;
  const double accuracy = static_cast<double>(correct) / images;
  pace_.evaluated(images);
  metrics_.write("evaluation", {{"step", training_.state.step},
                                {"updates", training_.state.updates},
                                {"accuracy", accuracy},
                                {"correct", correct},
                                {"images", images},
                                {"seconds", seconds}});
  if (at_step && is_first()) printf("Accuracy at step %" PRIu64 ": %.4f\n", training_.state.step, accuracy);
  return accuracy;
}

void Report::saved(const Saved& checkpoint, double stall) {
  metrics_.write("checkpoint", {{"step", checkpoint.step},
                                {"updates", checkpoint.updates},
                                {"file", checkpoint.file.string()},
                                {"seconds", checkpoint.seconds},
                                {"stall", stall}});
}

void Report::progress(bool at_end) {
  const double now = watch_.seconds();
  if (!metrics_.enabled() || (at_end ? pace_.empty() : pace_.seconds(now) < options_.progress_every)) return;
  const uint64_t step = training_.state.step, left = options_.max_steps - step;
  const Stretch stretch = pace_.report(now, communicator_.traffic().seconds, step - reported_step_, left);
  reported_step_ = step;
  nlohmann::ordered_json fields = {{"step", step},
                                   {"max_steps", options_.max_steps},
                                   {"updates", training_.state.updates},
                                   {"images_per_second", stretch.images_per_second},
                                   {"update_p50", stretch.update_p50},
                                   {"update_p99", stretch.update_p99},
                                   {"flops", stretch.flops},
                                   {"exchange_share", stretch.exchange_share}};
  if (const auto peak = training_.peak_flops())
    fields["peak_share"] = stretch.flops / (*peak * communicator_.world());
  if (const auto usage = gpu_.read()) {
    fields["gpu_util"] = usage->busy_percent;
    fields["gpu_memory_used"] = usage->memory_used;
    fields["gpu_memory_total"] = usage->memory_total;
  }
  if (stretch.remaining) fields["remaining_seconds"] = *stretch.remaining;
  metrics_.write("progress", fields);
}

void Report::stopped(int signal) {
  metrics_.write("stop",
                 {{"step", training_.state.step}, {"updates", training_.state.updates}, {"signal", signal}});
}

void Report::finished(double accuracy, double seconds) {
  metrics_.write("end", {{"step", training_.state.step},
                         {"updates", training_.state.updates},
                         {"accuracy", accuracy},
                         {"seconds", seconds},
                         {"ranks", shares()}});
}

/// The work of each rank, for users who want to check that it was shared.
nlohmann::ordered_json Report::shares() {
  struct Share {
    Work work;
    Traffic traffic;
  };
  const Share mine{training_.work(), communicator_.traffic()};
  auto list = nlohmann::ordered_json::array();
  for (const auto& [work, traffic] : all_gather_values(communicator_, mine)) {
    list.push_back({{"examples", work.examples},
                    {"parameters", work.parameters},
                    {"images", work.images},
                    {"update_bytes_sent", work.sent},
                    {"bytes_sent", traffic.sent},
                    {"bytes_received", traffic.received},
                    {"exchange_seconds", traffic.seconds}});
  }
  return list;
}

}  // namespace trainer
