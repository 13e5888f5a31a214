#include "cli/sweep_warm_start.h"

#include "cli/sweep_in_cluster.h"
#include "cli/sweep_selection.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kml/sweep/samplers/sampler.h"
#include "kml/sweep/spec/warm_start.h"

namespace kml::cli {

namespace {

sweep::WarmStart results_of(Context& context, const std::string& from, const sweep::SweepSpec& spec,
                            const sweep::Space& space) {
  constexpr size_t kLargest = size_t{1} << 30;
  if (from.ends_with(".jsonl") || from.ends_with(".csv") || from.find('/') != std::string::npos)
    return sweep::warm_start_of_file(read_file(from, kLargest), from, spec.objective.metric, space);
  const sweep::SweepState earlier = state_of(context, from);
  const sweep::Objective& other = earlier.spec().objective;
  const auto words = [](const sweep::Objective& objective) {
    return std::string(objective.maximize ? "maximizes " : "minimizes ") + objective.metric;
  };
  if (words(other) != words(spec.objective))
    throw usage_error("sweep " + from + " cannot teach this one",
                      "it " + words(other) + ", and this one " + words(spec.objective));
  return sweep::warm_start_of(earlier, space);
}

bool exists(Context& context, const std::string& name) {
  return has_begun(name) || find_cluster_sweep(context, name);
}

}  // namespace

void warm_start(Context& context, Json& document, const std::string& from) {
  const sweep::SweepSpec spec = sweep::parse_sweep(document, "the sweep");
  const sweep::Space space(spec.parameters, spec.constraints);
  sweep::WarmStart warm = results_of(context, from, spec, space);
  const size_t count = warm.entries.size();
  context.note(std::to_string(count) + (count == 1 ? " result of " : " results of ") + from + " teach" +
               (count == 1 ? "es" : "") + " this sweep" +
               (warm.outside == 0
                    ? ""
                    : "; " + std::to_string(warm.outside) + " are outside of its space, and left out"));
  const std::string algorithm =
      spec.algorithm == "auto" ? sweep::choose_sampler(space, spec.budget.trials) : spec.algorithm;
  if (sweep::make_sampler(algorithm, space)->is_static())
    context.note("they change nothing: " + algorithm + " does not learn from results");
  document["spec"]["warmStart"] = std::move(warm.entries);
}

std::string fork_name(Context& context, const std::string& name,
                      const std::function<Json(const std::string& name)>& document_for, std::string& parent) {
  if (!exists(context, name)) return name;
  std::string last = name;
  for (int i = 2;; ++i) {
    std::string next = name + "-" + std::to_string(i);
    if (!exists(context, next)) {
      const Json before = state_of(context, last).spec().document;
      if (sweep::changed_space(before, document_for(last)).empty()) return last;
      parent = last;
      return next;
    }
    last = next;
  }
}

}  // namespace kml::cli
