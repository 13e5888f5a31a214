// A user's sweep file: kml's own format, a Katib Experiment, or a sweep of Weights & Biases.
#include "fuzz/input.h"
#include "kml/base/yaml.h"
#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "sweep/commands/sweep_overlay.h"
#include "sweep/spec/document.h"
#include "sweep/spec/trial_template.h"
#include "sweep/spec/wandb.h"

using namespace kml;

namespace {

cli::SweepRequest all_flags() {
  cli::SweepRequest request;
  request.names = {"name"};
  request.parameters = {"x=1..2"};
  request.constraints = {"x < 3"};
  request.maximize = "accuracy";
  request.goal = request.gpu_hours = "1";
  request.algorithm = "random";
  request.early_stopping = "asha";
  request.mode = "promote";
  request.fidelity = "epoch:27";
  request.fan_out = "jobs";
  request.checkpoints = request.metrics_file = "/file";
  request.trials = request.parallel = request.seed = 1;
  request.time = std::chrono::seconds(1);
  request.submit.settings = {{"retries", "1", {}}};
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::refuse_or([&] {
    const yaml::Limits limits{.bytes = 1 << 16, .nodes = 10'000, .alias_nodes = 1'000, .depth = 50};
    const auto documents = yaml::parse(fuzz::text_of(data, size), "input", limits);
    if (documents.empty()) return;
    Json document = yaml::to_json(documents[0], "input");
    if (sweep::is_wandb(document)) document = sweep::import_wandb(document, "input").document;
    sweep::require_sections(document, "input");
    Json changed = document;
    cli::lay_over(changed, all_flags());  // a document with valid sections can be changed
    const sweep::SweepSpec spec = sweep::parse_sweep(document, "input");
    const sweep::Space space(spec.parameters, spec.constraints);
    // An accepted space can be searched, and each point's values give that point again.
    const auto sampler = sweep::make_sampler("random", space, {.seed = spec.seed});
    for (std::uint64_t trial = 0; trial < 3; ++trial) {
      const auto point = sampler->propose(trial, {});
      if (!point) break;
      const Json values = space.assignment(*point);
      fuzz::require(space.assignment(space.point(values)) == values);
      sweep::TrialTemplate(spec).manifest({.name = "t", .trial = trial, .values = values});
    }
  });
  return 0;
}
