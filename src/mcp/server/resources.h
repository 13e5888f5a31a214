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

/// Reads a resource: at once, or by a call whose result is that of `resources/read`.
std::variant<Json, Refusal, std::unique_ptr<Call>> read_resource(const std::string& uri,
                                                                 const Shared& shared);

}  // namespace kml::mcp
