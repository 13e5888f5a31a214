#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::sweep {

/// Makes the container run `script` with sh. The script's arguments are `arguments` and the container's
/// command, to which Kubernetes appends the container's args. If the manifest has no command for the
/// container, throws usage Error with `why` and `fix`.
void wrap_command(Json& container, std::string_view script, const std::vector<std::string>& arguments,
                  const std::string& why, const std::string& fix = "add the image's command to the manifest");

}  // namespace kml::sweep
