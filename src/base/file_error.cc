#include "kml/base/file_error.h"

#include <cerrno>
#include <string>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml {

namespace {

bool is_kept_by_kml(const std::filesystem::path& file) {
  try {
    return file.string().starts_with((state_folder() / "").string());
  } catch (const Error&) {  // without HOME, kml keeps no files
    return false;
  }
}

}  // namespace

Error file_error(std::string_view verb, const std::filesystem::path& file, int errno_value) {
  Error error = system_error("cannot " + std::string(verb) + " " + file.string(), errno_value);
  if ((errno_value == EISDIR || errno_value == ELOOP) && is_kept_by_kml(file))
    error.fix =
        "move it away: " + shell_quoted(std::vector<std::string>{"mv", file, file.string() + ".away"});
  return error;
}

}  // namespace kml
