#pragma once

#include <optional>
#include <string>

#include "kml/core/json.h"

namespace kml::sweep {

/// Whether a Katib trialParameter refers to its trial's manifest, as in ${trialSpec.Name}, and to no
/// parameter.
bool is_trial_reference(const std::string& reference);

/// What such a reference stands for: Name, the job's; Namespace, Kind, APIVersion, Labels[KEY] and
/// Annotations[KEY] of `trial`, its manifest. Empty where it is none of these, or the key is not there.
/// Source: Katib, pkg/controller.v1beta1/experiment/manifest/generator.go.
std::optional<std::string> trial_reference(const std::string& reference, const Json& trial,
                                           const std::string& job);

}  // namespace kml::sweep
