#pragma once

#include <optional>
#include <string>

#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// From what a kubelet or a scheduler says of an object that it did not find: `secret "x" not found`,
/// `couldn't find key K in Secret ns/x`, `persistentvolumeclaim "x" not found`, and the same for config maps.
/// Empty where the text says nothing of the kind.
std::optional<Cause> missing_object(const std::string& message, const std::string& namespace_name);

}  // namespace kml::jobs
