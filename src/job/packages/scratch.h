#pragma once

#include <filesystem>
#include <string>

#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::packages {

/// A new folder for files that uv reads. It is in kml's state folder, because uv also looks into the folders
/// above it, which must belong to the user. The destructor deletes it.
class Scratch {
 public:
  Scratch() : path_(state_folder() / "locks" / (".uv-" + random_hex(8))) { make_private_folder(path_); }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kml::packages
