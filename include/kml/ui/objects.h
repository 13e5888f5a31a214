#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/core/streams.h"

namespace kml::ui {

/// The values of `-o` that every listing knows; "wide" and "" mean a table.
inline const std::vector<std::string> kFormats = {"json", "yaml", "name", "wide"};

/// "job.batch/bert".
std::string object_name(const Json& object);

/// Prints objects as `-o json|yaml|name` says: a single one as itself, several as a v1 List in JSON and as
/// documents in YAML. Returns false, having printed nothing, where `format` asks for a table.
bool print_objects(const Streams& streams, std::span<const Json> objects, const std::string& format,
                   bool as_list);

/// One value in that format (json or yaml).
void print_value(const Streams& streams, const Json& value, const std::string& format);

}  // namespace kml::ui
