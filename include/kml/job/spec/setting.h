#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/error.h"

namespace kml::spec {

/// Where a value came from, in order of increasing precedence.
enum class Source { builtin, user_file, project_file, environment, flag };

struct Origin {
  Source source = Source::flag;
  std::string name;  ///< the file's path, the variable's name, or the flag with its dashes
  int line = 0;      ///< in a file, from 1
  int column = 0;

  /// "kml.yaml:3:8", "KML_IMAGE", "--image", "default".
  std::string text() const;
  Problem problem(std::string what) const;
};

/// One value for one flag of submit, from any source. `name` is the flag's name without dashes. A repeatable
/// flag has one setting per value.
struct Setting {
  std::string name;
  std::string value;
  Origin origin;
};

/// An unknown flag such as "--max_steps 500", and its value, if it has one. For submit it may be a parameter
/// of the template.
struct UnknownFlag {
  std::string name;
  std::optional<std::string> value;
  std::string near;  ///< the command's nearest flag, "--gpus"; empty if none is near
};

/// A flag of submit that describes the job. The command line's options and kml.yaml's keys both come from
/// this table.
struct Flag {
  std::string_view name;
  std::string_view value;        ///< the placeholder of its value in help: "[TYPE:]N"
  std::string_view help;         ///< a phrase
  std::string_view details;      ///< sentences for the man page
  std::string_view heading;      ///< in help
  std::string_view after = {};   ///< the flag after which help lists it, with dashes; empty: as in the table
  std::string_view letter = {};  ///< its short form, with a dash
  std::string_view key = {};     ///< key in kml.yaml; empty if a default makes no sense
  bool repeats = false;
  bool is_map = false;  ///< the values are `k=v`; in kml.yaml they are a mapping
};

std::span<const Flag> submit_flags();
/// The flag with that name, or nullptr.
const Flag* submit_flag(std::string_view name);

}  // namespace kml::spec
