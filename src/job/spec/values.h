#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "kml/job/spec/submit_spec.h"

namespace kml::spec {

/// A parsed value, or the fault in the text.
template <typename T>
using Parsed = std::variant<T, std::string>;

/// Parses a whole number that is not less than `least`.
std::variant<int, std::string> parse_count(std::string_view text, int least);
Parsed<Gpus> parse_gpus(std::string_view text);
Parsed<Mount> parse_mount(std::string_view text);
/// Parses pvc/NAME[/SUB] or host/DIR, the value of --env-store.
Parsed<Mount> parse_env_store(std::string_view text);
Parsed<Array> parse_array(std::string_view text);
/// Parses KEY[=VALUE][:EFFECT] as in `kubectl taint`; "*" tolerates every taint.
Parsed<Json> parse_toleration(std::string_view text);

/// Splits "a=b=c" into ("a", "b=c"). If there is no "=", the key is empty.
std::pair<std::string, std::string> key_and_value(std::string_view text);

/// Why the text is not a duration that a user may type, see typed_duration().
std::string duration_problem(const std::string& text);
std::string env_name_problem(std::string_view name);
std::string absolute_path_problem(std::string_view path);
/// The shortest spelling of an absolute path without "..": without doubled slashes, "." and a slash at its
/// end. Two things at paths with the same spelling are at the same place in a container.
std::string plain_mount_path(std::string_view path);

}  // namespace kml::spec
