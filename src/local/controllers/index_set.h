#pragma once

#include <set>
#include <string>
#include <string_view>

namespace kml::local {

/// Completion indexes as Kubernetes writes them: "0,2-5".
std::set<int> parse_indexes(std::string_view text);
std::string format_indexes(const std::set<int>& indexes);

}  // namespace kml::local
