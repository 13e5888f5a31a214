#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kml::pipeline {

/// A file's name in the form in which lines of lists begin with it. Different names have different forms,
/// even if they are not UTF-8.
std::string name_in_list(const std::string& name);

/// The name that name_in_list() wrote; empty for any other text.
std::optional<std::string> name_of_line(std::string_view quoted);

/// A file's name for people. If the name is not UTF-8, bytes that are not ASCII are written as \xe9.
std::string shown_name(const std::string& name);

}  // namespace kml::pipeline
