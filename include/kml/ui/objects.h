#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/base/streams.h"

namespace kml::ui {

/// The usual values of `-o`; "wide" and "" select a table.
inline const std::vector<std::string> kFormats = {"json", "yaml", "name", "wide"};

/// The prefixes of further formats, as in kubectl: "jsonpath={.metadata.name}".
inline constexpr std::string_view kJsonPath = "jsonpath=", kCustomColumns = "custom-columns=";

/// Whether the format is for data, not for a table or names: json, yaml, jsonpath=… or custom-columns=….
bool is_data(std::string_view format);
/// Throws usage Error if the template in a jsonpath or custom-columns format is invalid.
void check_format(std::string_view format);

/// "job.batch/bert".
std::string object_name(const Json& object);

/// Prints objects in the format of `-o`. A single object is printed as it is, unless `as_list` is set.
/// Several objects are printed as a v1 List in JSON and for JSONPath, as separate documents in YAML, and as
/// rows of custom columns. If `format` selects a table, prints nothing and returns false.
bool print_objects(const Streams& streams, std::span<const Json> objects, const std::string& format,
                   bool as_list, bool with_header = true);

/// Prints one value in a format for which is_data() is true. With custom columns, each item of an array
/// becomes a row.
void print_value(const Streams& streams, const Json& value, const std::string& format,
                 bool with_header = true);

}  // namespace kml::ui
