#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kml::local {

/// Maps images to the commands that replace them on this machine; stored in images.json of the state folder.
/// The trainer's image has a built-in command.
class Images {
 public:
  explicit Images(const std::filesystem::path& folder) : file_(folder / "images.json") {}

  /// Empty if the image has none. Reads the file on each call, since another process may have changed it.
  std::vector<std::string> command_of(const std::string& image) const;
  /// An empty command removes it.
  void set(const std::string& image, const std::vector<std::string>& command) const;

 private:
  std::filesystem::path file_;
};

}  // namespace kml::local
