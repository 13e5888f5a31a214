#include "sweep/engine/stop_options.h"

namespace kml::sweep {

StopOptions stop_options(const Stopping& stopping) {
  using Rule = Stopping::Rule;
  StopOptions options;
  options.min = stopping.min;
  options.max = stopping.max;
  options.eta = stopping.eta;
  options.grace = stopping.start;
  options.least_trials = stopping.min_trials;
  if (stopping.rule == Rule::median) options.rule = StopRule::median;
  if (stopping.rule == Rule::asha || stopping.rule == Rule::hyperband) options.rule = StopRule::asha;
  if (stopping.rule == Rule::hyperband) options.brackets = static_cast<int>(rungs(options).size());
  return options;
}

}  // namespace kml::sweep
