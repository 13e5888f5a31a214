#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::packages {

/// uv's name for Linux on the given processor, as Kubernetes names it; empty if kml does not know the
/// processor. `image` may show that its libc is musl.
std::string uv_platform(const std::string& processor, const std::string& image);

/// Why the packages of a run's record cannot be installed on nodes with this processor (as Kubernetes names
/// it) without building one of them; empty if each has a wheel, or if that is unknown. Runs uv, once for each
/// lock, platform and version of Python. `image` may show that its libc is musl.
std::string missing_wheel(const Json& record, const std::string& processor, const std::string& image);

/// The processor for which the record's conda packages were built, as Kubernetes names it; empty for a lock
/// without conda packages.
std::string processor_of_conda(const Json& record);

}  // namespace kml::packages
