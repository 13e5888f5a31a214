#include "kml/base/program_path.h"

#include <unistd.h>

#include "kml/base/text.h"

namespace kml {

namespace fs = std::filesystem;

namespace {

bool is_program(const fs::path& file) {
  std::error_code none;
  return ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, none);
}

}  // namespace

fs::path find_program(const std::string& program, const std::string& search, const fs::path& folder) {
  if (contains(program, "/")) return is_program(folder / program) ? folder / program : fs::path();
  for (const std::string& place : split(search, ':')) {
    if (folder.empty() && !place.starts_with('/')) continue;
    if (fs::path file = folder / place / program; is_program(file)) return file;
  }
  return {};
}

}  // namespace kml
