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

/// The source or target of `kml cp`, as it was typed.
struct CopySide {
  enum class Kind { here, job, claim };

  Kind kind = Kind::here;
  std::string name = {};  ///< "bert/3", or the claim's name
  std::string path = {};

  bool is_here() const { return kind == Kind::here; }
};

/// "bert:/out", "bert/3:out", "pvc/runs/bert", or a path on this machine: one that starts with "/", "./",
/// "../" or "~", and any that does not have the form of the others.
CopySide parse_copy_side(const std::string& text);

}  // namespace kml::cli
