#include "pod/commands/copy_side.h"

#include <string_view>

namespace kml::cli {

namespace {

/// The characters that names of jobs, kinds and ranks may contain.
constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyz0123456789-./@";

}  // namespace

CopySide parse_copy_side(const std::string& text) {
  constexpr std::string_view kClaim = "pvc/";
  CopySide here{.path = text};
  if (text.empty() || text.find_first_of("/.~") == 0) return here;
  if (text.starts_with(kClaim)) {
    const size_t end = text.find('/', kClaim.size());
    return {CopySide::Kind::claim, text.substr(kClaim.size(), end - kClaim.size()),
            end == std::string::npos ? "" : text.substr(end + 1)};
  }
  const size_t colon = text.find(':');
  if (colon == std::string::npos || text.find_first_not_of(kOfNames) != colon) return here;
  return {CopySide::Kind::job, text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace kml::cli
