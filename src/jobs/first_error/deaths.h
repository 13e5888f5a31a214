#pragma once

#include <optional>
#include <string_view>

#include "kml/jobs/first_error/first_error.h"

namespace kml::jobs {

/// From only the exit.
EndKind kind_of(const ContainerExit& exit, bool disrupted);

/// own_error or peer_lost if the line reports one; otherwise empty.
std::optional<EndKind> kind_told_by(std::string_view line);

}  // namespace kml::jobs
