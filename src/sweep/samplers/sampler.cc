#include "kml/sweep/sampler.h"

#include "kml/core/error.h"
#include "kml/core/text.h"
#include "sweep/samplers/fixed.h"
#include "sweep/samplers/tpe.h"

namespace kml::sweep {

const std::vector<std::string>& sampler_names() {
  static const std::vector<std::string> kNames = {"grid", "random", "sobol", "tpe", "multivariate-tpe"};
  return kNames;
}

std::string choose_sampler(const Space& space, std::uint64_t trials) {
  const auto size = space.size();
  return size && (trials == 0 || *size <= trials) ? "grid" : "multivariate-tpe";
}

std::unique_ptr<Sampler> make_sampler(const std::string& name, const Space& space, SamplerOptions options) {
  if (name == "grid") return make_grid(space);
  if (name == "random") return make_random(space, options.seed);
  if (name == "sobol") return make_sobol(space, options.seed);
  if (name == "tpe") return make_tpe(space, std::move(options), false);
  if (name == "multivariate-tpe") return make_tpe(space, std::move(options), true);
  throw usage_error("there is no sampler \"" + name + "\"", did_you_mean(name, sampler_names()),
                    "choose one of: " + join(sampler_names(), ", "));
}

}  // namespace kml::sweep
