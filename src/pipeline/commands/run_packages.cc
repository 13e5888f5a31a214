#include "pipeline/commands/run_packages.h"

#include <algorithm>
#include <set>

#include "job/commands/check_wheels.h"

namespace kml::cli {

namespace {

bool wants_packages(const std::string& setting) {
  return setting == "uv" || setting == "requirements" || setting == "conda";
}

/// Whether any step may install packages. Making samples of all steps takes time.
bool any_wants_packages(const PipelineHere& here) {
  return std::ranges::any_of(here.defaults().settings, wants_packages, &spec::Setting::name) ||
         std::ranges::any_of(here.samples().steps, [](const pipeline::Step& step) {
           return std::ranges::any_of(step.settings.entries,
                                      [](const auto& entry) { return wants_packages(entry.key.text); });
         });
}

}  // namespace

void check_wheels_of_steps(Context& context, const PipelineHere& here, const Json& params) {
  if (context.place().is_local || !any_wants_packages(here)) return;
  std::set<Json> checked;
  for (const StepSample& sample : here.step_samples(params))
    if (checked.insert(sample.packages).second) check_wheels(context, sample.objects, sample.packages);
}

}  // namespace kml::cli
