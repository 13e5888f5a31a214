#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/core/streams.h"

namespace kml::ui {

/// The values of `-o` that every listing knows; "wide" and "" mean a table.
inline const std::vector<std::string> kFormats = {"json", "yaml", "name", "wide"};

/// What the formats begin with that kubectl has, too: "jsonpath={.metadata.name}".
inline constexpr std::string_view kJsonPath = "jsonpath=", kCustomColumns = "custom-columns=";

/// Whether the format prints whole objects: json, yaml, jsonpath=… or custom-columns=….
bool is_data(std::string_view format);
/// Throws usage Error if the text of such a format is not right.
void check_format(std::string_view format);

/// "job.batch/bert".
std::string object_name(const Json& object);

/// Prints objects as `-o` says: a single one as itself, several as a v1 List in JSON and for a JSONPath, as
/// documents in YAML, as rows of custom columns. Returns false, having printed nothing, where `format` asks
/// for a table.
bool print_objects(const Streams& streams, std::span<const Json> objects, const std::string& format,
                   bool as_list, bool with_header = true);

/// One value in that format, where is_data(). Of an array, each item is a row of custom columns;
/// they alone have a header.
void print_value(const Streams& streams, const Json& value, const std::string& format,
                 bool with_header = true);

}  // namespace kml::ui
