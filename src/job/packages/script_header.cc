#include "job/packages/script_header.h"

#include <vector>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace {

constexpr std::string_view kBegin = "# /// script";
constexpr std::string_view kEnd = "# ///";

bool is_of_header(std::string_view line) {
  return line == "#" || line.starts_with("# ");
}

Error header_error(const std::string& file, size_t line, const std::string& what) {
  Error error =
      usage_error("invalid header of " + file, "", "see PEP 723: the header begins with \"# /// script\"");
  error.problems.push_back({file, static_cast<int>(line), 0, "", what});
  return error;
}

}  // namespace

std::optional<std::string> script_header(std::string_view script, const std::string& file) {
  std::vector<std::string> lines = split(script, '\n');
  for (std::string& line : lines)
    if (line.ends_with('\r')) line.pop_back();
  std::optional<std::string> header;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] != kBegin) continue;
    if (header) throw header_error(file, i + 1, "the script has a second header");
    size_t last = i, end = i + 1;
    for (; end < lines.size() && is_of_header(lines[end]); ++end)
      if (lines[end] == kEnd) last = end;
    if (last == i) throw header_error(file, i + 1, "the header has no end: \"# ///\"");
    header = std::string(i + 1, '\n');
    for (size_t at = i + 1; at < last; ++at) *header += lines[at].substr(lines[at] == "#" ? 1 : 2) + "\n";
    i = last;
  }
  return header;
}

}  // namespace kml::packages
