#pragma once

#include <span>
#include <string_view>

namespace kml::job {

/// A file of the folder `templates/kinds`, compiled into the binary.
struct BuiltinKind {
  std::string_view name;  ///< the name of the file
  std::string_view text;
};

/// All built-in kinds, sorted by name. templates/embed.cmake generates the definition.
std::span<const BuiltinKind> builtin_kinds();

}  // namespace kml::job
