#include "pipeline/trees/manifest_lines.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/base/tree_names.h"
#include "pipeline/trees/tree_entries.h"

namespace kml::pipeline {

namespace {

Error damaged(const std::string& line) {
  return Error(ErrorCode::failure, "cannot read a manifest",
               "it has the invalid line " + json_text(Json(line)));
}

/// The name between the quotes. It is JSON, except that \udcXX stands for a byte that is not UTF-8.
std::string unquoted(std::string_view quoted, const std::string& line) {
  std::string name, json;
  const auto take_json = [&] {
    const Json text = Json::parse('"' + json + '"', nullptr, false);
    if (!text.is_string()) throw damaged(line);
    name += text.get<std::string>();
    json.clear();
  };
  constexpr std::string_view kByte = "\\udc";
  while (!quoted.empty()) {
    if (!quoted.starts_with(kByte)) {
      const size_t size = std::min<size_t>(quoted[0] == '\\' ? 2 : 1, quoted.size());
      json += quoted.substr(0, size);
      quoted.remove_prefix(size);
      continue;
    }
    take_json();
    int byte = 0;
    const std::string digits(quoted.substr(kByte.size(), 2));
    if (std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16).ptr != digits.data() + 2)
      throw damaged(line);
    name += static_cast<char>(byte);
    quoted.remove_prefix(kByte.size() + 2);
  }
  take_json();
  return name;
}

/// Removes a quoted name from the start of the line, and returns the name.
std::string taken_name(std::string_view& rest, const std::string& line) {
  size_t end = 1;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
  if (rest.empty() || rest[0] != '"' || end >= rest.size()) throw damaged(line);
  std::string name = unquoted(rest.substr(1, end - 1), line);
  rest.remove_prefix(end + 1);
  return name;
}

ManifestLine parse_line(const std::string& line) {
  std::string_view rest = line;
  ManifestLine parsed;
  parsed.path = taken_name(rest, line);
  if (rest.starts_with(" -> ")) {
    rest.remove_prefix(4);
    parsed.kind = ManifestLine::Kind::link;
    parsed.target = taken_name(rest, line);
    if (!rest.empty()) throw damaged(line);
  } else if (rest.empty() && parsed.path.ends_with('/')) {
    parsed.kind = ManifestLine::Kind::folder;
    parsed.path.pop_back();
  } else {
    const std::vector<std::string> words = split(rest, ' ');
    if (words.size() != 4 || (words[1] != "755" && words[1] != "644") || !is_sha256_hex(words[3]))
      throw damaged(line);
    parsed.is_executable = words[1] == "755";
    const char* const end = words[2].data() + words[2].size();
    if (std::from_chars(words[2].data(), end, parsed.bytes).ptr != end || words[2].empty())
      throw damaged(line);
    parsed.digest = words[3];
  }
  if (parsed.path != "." && !is_path_beneath(parsed.path)) throw damaged(line);
  return parsed;
}

}  // namespace

std::vector<ManifestLine> manifest_lines(const std::string& text) {
  std::vector<ManifestLine> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) throw damaged(text.substr(at));
    lines.push_back(parse_line(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

void check_paths(std::span<const ManifestLine> lines, const std::string& message) {
  std::vector<TreeName> names;
  for (const ManifestLine& line : lines)
    names.push_back({line.path, line.kind == ManifestLine::Kind::folder});
  const auto fault = fault_of_names(names);
  if (!fault) return;
  std::string why = "it has a file named " + quoted_name(fault->path) + fault->what;
  if (!fault->above.empty()) why += quoted_name(fault->above) + ", which is not a folder";
  throw Error(ErrorCode::failure, message, why);
}

}  // namespace kml::pipeline
