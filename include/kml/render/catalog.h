#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kml/render/template.h"

namespace kml::render {

/// The templates that can be named: those of some folders (`NAME.yaml`), then the built-in ones. A name found
/// earlier hides a later one.
class Catalog {
 public:
  explicit Catalog(std::vector<std::filesystem::path> folders);

  struct Entry {
    std::string name;
    std::string where;  ///< the file, or "built-in"
  };
  std::vector<Entry> list() const;

  /// By name, or by path where it holds a '/' or ends in .yaml or .yml. Throws Error (usage): no such
  /// template, with the nearest name; or every problem of the template.
  Template load(std::string_view name_or_path) const;

 private:
  std::vector<std::filesystem::path> folders_;
};

}  // namespace kml::render
