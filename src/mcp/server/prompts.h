#pragma once

#include <variant>

#include "kml/base/json.h"
#include "mcp/protocol/message.h"

namespace kml::mcp {

/// The results of `prompts/list` and `prompts/get`.
Json prompts();
std::variant<Json, Refusal> prompt(const Json& params);

}  // namespace kml::mcp
