#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/error.h"

namespace kml::spec {

/// Where a value comes from, sorted by increasing precedence.
enum class Source { builtin, user_file, project_file, environment, flag };

struct Origin {
  Source source = Source::flag;
  std::string name;  ///< the path of the file, the name of the variable, or the flag with its dashes
  int line = 0;      ///< the line in a file, from 1
  int column = 0;

  /// "kml.yaml:3:8", "KML_IMAGE", "--image", "default".
  std::string text() const;
  Problem problem(std::string what) const;
};

/// Whether both come from the command line, from environment variables, or from the same file.
bool have_same_source(const Origin& a, const Origin& b);

/// A value for a flag of submit, from any source. `name` is the name of the flag without dashes. A flag that
/// can be repeated has one setting per value.
struct Setting {
  std::string name;
  std::string value;
  Origin origin;
};

/// An unknown flag with its value, such as "--max_steps 500". In submit, it may be a parameter of the
/// template.
struct UnknownFlag {
  std::string name;
  std::optional<std::string> value;
  std::string near;  ///< the command's nearest flag, such as "--gpus"; empty if none is near
};

/// A flag of submit that describes the job. Both the options on the command line and the keys in kml.yaml are
/// made from this table.
struct Flag {
  std::string_view name;
  std::string_view value;    ///< the placeholder for its value in help, such as "[TYPE:]N"
  std::string_view help;     ///< a phrase
  std::string_view details;  ///< sentences for the man page
  std::string_view heading;  ///< in help
  /// the flag after which help lists this one, with dashes; if empty, the order of the table is kept
  std::string_view after = {};
  std::string_view letter = {};  ///< the short form, with its dash
  std::string_view key = {};     ///< the key in kml.yaml; empty if a default would make no sense
  /// the value if the flag is given without one; any other value then needs "="
  std::string_view implied = {};
  bool repeats = false;
  bool is_map = false;  ///< whether the values have the form `k=v`; in kml.yaml they are a mapping
};

std::span<const Flag> submit_flags();
/// The flag with that name, or nullptr.
const Flag* submit_flag(std::string_view name);

}  // namespace kml::spec
