#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "kml/job/spec/submit_spec.h"

namespace kml::spec {

/// A flag's value, or the fault in the text.
template <typename T>
using Parsed = std::variant<T, std::string>;

/// A whole number of at least `least`.
std::variant<int, std::string> parse_count(std::string_view text, int least);
Parsed<Gpus> parse_gpus(std::string_view text);
Parsed<Mount> parse_mount(std::string_view text);
Parsed<Array> parse_array(std::string_view text);
/// KEY[=VALUE][:EFFECT] as in `kubectl taint`; "*" tolerates every taint.
Parsed<Json> parse_toleration(std::string_view text);

/// "a=b=c" is ("a", "b=c"); the key is empty if there is no "=".
std::pair<std::string, std::string> key_and_value(std::string_view text);

std::string env_name_problem(std::string_view name);
std::string absolute_path_problem(std::string_view path);

}  // namespace kml::spec
