#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "kml/base/error.h"
#include "kml/pipeline/store/store.h"
#include "support/temporary_folder.h"

namespace kml::pipeline::tests {

namespace fs = std::filesystem;

inline void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

inline struct stat stat_of(const fs::path& path) {
  struct stat at {};
  REQUIRE(::lstat(path.c_str(), &at) == 0);
  return at;
}

inline mode_t mode_of(const fs::path& path) {
  return stat_of(path).st_mode & 07777;
}

inline void set_mtime(const fs::path& path, timespec time) {
  const timespec times[2] = {time, time};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
}

inline std::string digest_of(const fs::path& path) {
  return manifest_of(path).tree.digest;
}

inline Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e;
  }
  FAIL("it threw nothing");
  return usage_error("");
}

/// The output of a test's step: a folder with files, a link and an empty folder.
struct Made {
  TemporaryFolder temporary;
  fs::path root = temporary.path() / "out";
  Made() {
    write(root / "b/weights", "0123");
    write(root / "a", "text");
    fs::create_directory(root / "empty");
    fs::create_symlink("b/weights", root / "latest");
  }
};

}  // namespace kml::pipeline::tests
