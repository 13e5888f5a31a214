#pragma once

#include <optional>
#include <string_view>

#include "kml/job/first_error/first_error.h"

namespace kml::job {

/// The kind of end, judging by the exit and by whether the cluster disrupted the pod, but not by the log.
EndKind kind_of(const ContainerExit& exit, bool disrupted);

/// Whether the line looks like the last line of a Python traceback: "ValueError: no such batch" or
/// "torch.cuda.OutOfMemoryError".
bool begins_with_exception(std::string_view line);

/// Returns own_error or peer_lost if the line reports one; otherwise empty.
std::optional<EndKind> kind_told_by(std::string_view line);

}  // namespace kml::job
