#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pipeline/runner/file_digests.h"

namespace kml::pipeline {

/// What a Python on this machine can import besides a step's own code, as far as this can be found out
/// without running Python or reading all packages.
class PythonPackages {
 public:
  /// `code` is the step's own folder. The arguments must outlive this object.
  PythonPackages(FileDigests& digests, const std::filesystem::path& code) : digests_(digests), code_(code) {}

  /// Adds the packages that an interpreter has installed: their names and versions, modules that are single
  /// files, and the folders that .pth files name.
  void add_interpreter(const std::filesystem::path& python);
  /// Adds the files in the folders of a search path such as PYTHONPATH.
  void add_search_path(const std::string& path);

  /// A list with a line for everything that was added, see lines_by_name(). Never empty.
  std::string text() const;

 private:
  void add_site(const std::filesystem::path& folder);
  void add_entry(const std::filesystem::path& entry);
  void add_folders_in(const std::filesystem::path& pth);
  void add_folder(const std::filesystem::path& folder);
  void add_file(const std::string& name, const std::filesystem::path& file, bool is_read);

  FileDigests& digests_;
  const std::filesystem::path& code_;
  std::set<std::string> folders_;
  std::map<std::string, std::string> lines_;
};

}  // namespace kml::pipeline
