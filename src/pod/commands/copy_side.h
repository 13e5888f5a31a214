#pragma once

#include <string>
#include <string_view>

namespace kml::cli {

/// The arguments of `kml cp` and `kml sync`.
inline constexpr const char* kCopySides = "SOURCE... TARGET";
inline constexpr const char* kSyncSides = "FOLDER JOB[/RANK]:PATH";
inline bool are_sides(std::string_view name) {
  return name == kCopySides || name == kSyncSides;
}

/// The source or target of `kml cp`, as the user typed it.
struct CopySide {
  enum class Kind { here, job, claim };

  Kind kind = Kind::here;
  std::string name = {};  ///< the name before the colon, such as "bert/3", or the name of a claim
  std::string path = {};

  bool is_here() const { return kind == Kind::here; }
};

/// Parses "bert:/out", "bert/3:out", "pvc/runs/bert", or a path on this machine. A text is a path on this
/// machine if it starts with "/", "." or "~", or has none of the other forms.
CopySide parse_copy_side(const std::string& text);

}  // namespace kml::cli
