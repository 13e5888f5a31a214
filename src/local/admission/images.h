#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kml::local {

/// The commands that stand in for images on this machine, stored in images.json in the state folder. The
/// trainer's image has a built-in command.
class Images {
 public:
  explicit Images(const std::filesystem::path& folder) : file_(folder / "images.json") {}

  /// The image's command; empty if it has none. Reads the file on each call, because another process may have
  /// changed it.
  std::vector<std::string> command_of(const std::string& image) const;
  /// Sets the image's command. An empty command removes it.
  void set(const std::string& image, const std::vector<std::string>& command) const;

 private:
  std::filesystem::path file_;
};

}  // namespace kml::local
