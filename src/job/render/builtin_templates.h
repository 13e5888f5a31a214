#pragma once

#include <span>
#include <string_view>

namespace kml::render {

/// A template from the folder `templates/`, compiled into the binary.
struct BuiltinTemplate {
  std::string_view name;
  std::string_view text;
};

/// All built-in templates, sorted by name. templates/embed.cmake generates the definition.
std::span<const BuiltinTemplate> builtin_templates();

}  // namespace kml::render
