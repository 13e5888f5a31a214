#pragma once

#include <string_view>
#include <vector>

#include "kml/core/error.h"
#include "kml/spec/setting.h"

namespace kml::spec {

/// Keys of a file that are no flags of submit.
inline constexpr std::string_view kConfigKeys[] = {"context", "namespace", "templates"};

/// Reads the text of a configuration file. Its problems are added to `problems`.
std::vector<Setting> read_config(std::string_view text, const std::string& file, Source source,
                                 std::vector<Problem>& problems);

/// What is wrong with the value of one of kConfigKeys; empty where it is fine.
std::string config_value_problem(const Setting& setting);

}  // namespace kml::spec
