#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kml/job/submit/code.h"
#include "pipeline/runner/file_digests.h"

namespace kml::pipeline {

/// The files of code folders as lists, with a line for each file: `"train.py" 644 SHA256`. Each call looks at
/// the files again, but only reads those that have changed.
class CodeList {
 public:
  using IsLeftOut = std::function<bool(const std::filesystem::path& folder, const std::string& name)>;

  explicit CodeList(FileDigests& digests, IsLeftOut is_left_out)
      : digests_(digests), is_left_out_(std::move(is_left_out)) {}

  /// With `paths`, lists only these files and folders. Leaves out the files at `written`. Throws Error if the
  /// files cannot be read, if there are too many, or if a path matches none of them.
  std::string text(const std::filesystem::path& folder, const std::vector<std::string>& paths,
                   const std::vector<std::string>& written = {});

 private:
  /// The files in a folder, and the stamps that change when other files appear.
  struct Listing {
    std::vector<job::CodeFile> files;
    std::map<std::string, std::string> stamps;
  };
  /// What a list covers so far, including the files to which links lead.
  struct Covered {
    std::filesystem::path folder;
    std::vector<std::string> names = {};
    bool is_whole = true;
    std::uintmax_t files = 0, bytes = 0;
  };

  const std::vector<job::CodeFile>& files_in(const std::filesystem::path& folder,
                                             const std::vector<std::string>& paths);
  std::string line(const std::filesystem::path& folder, const job::CodeFile& file, Covered& covered,
                   int links);
  std::string link_content(const std::filesystem::path& link, Covered& covered, int links);

  FileDigests& digests_;
  const IsLeftOut is_left_out_;
  std::map<std::string, Listing> listings_;
};

}  // namespace kml::pipeline
