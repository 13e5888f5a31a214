#pragma once

#include <memory>
#include <string>
#include <variant>

#include "kml/base/json.h"
#include "mcp/protocol/message.h"
#include "mcp/tools/call.h"

namespace kml::mcp {

/// The results of `resources/list` and `resources/templates/list`.
Json resources();
Json resource_templates();

/// Reads a resource. Returns the result of `resources/read`, or a call that will produce that result.
std::variant<Json, Refusal, std::unique_ptr<Call>> read_resource(const std::string& uri,
                                                                 const Shared& shared);

}  // namespace kml::mcp
