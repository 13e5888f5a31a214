#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::render {

/// Objects of a YAML or JSON text, as kubectl reads it: several documents, empty ones skipped, `List` kinds
/// expanded. `source` names the text in problems. Throws Error (usage) with every problem: what is not YAML
/// or JSON, or has no apiVersion or kind.
std::vector<Json> parse_manifests(std::string_view text, std::string_view source);

/// The objects of several files, of all .yaml, .yml and .json files of a folder (by name), and of
/// `stdin_text` for the path "-".
std::vector<Json> load_manifests(std::span<const std::string> paths, std::string_view stdin_text = {});

}  // namespace kml::render
