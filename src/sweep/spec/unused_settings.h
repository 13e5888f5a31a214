#pragma once

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::sweep {

/// Settings of algorithms that are for Hyperopt, Optuna and scikit-optimize, which Katib uses and kml does
/// not.
inline constexpr std::string_view kUnusedSettings[] = {
    "n_EI_candidates",  "n_ei_candidates", "base_estimator", "acq_func", "acq_optimizer",
    "restart_strategy", "sigma",           "popsize",        "gamma",    "prior_weight"};

/// The note for a document that has such settings; empty if it has none.
std::string note_on_unused_settings(const Json& document);

}  // namespace kml::sweep
