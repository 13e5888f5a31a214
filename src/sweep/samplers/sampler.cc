#include "kml/sweep/samplers/sampler.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "sweep/samplers/all_samplers.h"

namespace kml::sweep {

const std::vector<std::string>& sampler_names() {
  static const std::vector<std::string> kNames = {
      "grid", "random", "sobol", "tpe", "multivariate-tpe", "bayesianoptimization", "cmaes", "pbt"};
  return kNames;
}

const std::vector<std::string>& front_sampler_names() {
  static const std::vector<std::string> kNames = {"grid", "random", "sobol", "bayesianoptimization"};
  return kNames;
}

std::string choose_sampler(const Space& space, std::uint64_t trials, size_t objectives) {
  constexpr size_t kMostParameters = 20;
  constexpr std::uint64_t kMostTrials = 500;
  const auto size = space.size();
  if (size && (trials == 0 || *size <= trials)) return "grid";
  if (objectives > 1) return "bayesianoptimization";
  const bool small = space.dimensions() <= kMostParameters && trials > 0 && trials <= kMostTrials;
  return small ? "bayesianoptimization" : "multivariate-tpe";
}

std::unique_ptr<Sampler> make_sampler(const std::string& name, const Space& space, SamplerOptions options) {
  const auto& of_fronts = front_sampler_names();
  if (options.objectives > 1 && std::find(of_fronts.begin(), of_fronts.end(), name) == of_fronts.end())
    throw usage_error("algorithm " + name + " learns from one objective only", "",
                      "with several objectives, use one of: " + join(of_fronts, ", "));
  if (name == "grid") return make_grid(space);
  if (name == "random") return make_random(space, options.seed);
  if (name == "sobol") return make_sobol(space, options.seed);
  if (name == "tpe") return make_tpe(space, std::move(options), false);
  if (name == "multivariate-tpe") return make_tpe(space, std::move(options), true);
  if (name == "bayesianoptimization") return make_gp(space, std::move(options));
  if (name == "cmaes") return make_cmaes(space, std::move(options));
  if (name == "pbt") return make_population(space, std::move(options));
  throw usage_error("unknown algorithm \"" + name + "\"", "",
                    suggestion(name, sampler_names(), "choose one of: " + join(sampler_names(), ", ")));
}

}  // namespace kml::sweep
