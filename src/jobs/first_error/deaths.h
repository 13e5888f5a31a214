#pragma once

#include <optional>
#include <string_view>

#include "kml/jobs/first_error/first_error.h"

namespace kml::jobs {

/// By the exit alone.
EndKind kind_of(const ContainerExit& exit, bool disrupted);

/// own_error or peer_lost, where a line reports one.
std::optional<EndKind> kind_told_by(std::string_view line);

}  // namespace kml::jobs
