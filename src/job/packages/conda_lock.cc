#include "job/packages/conda_lock.h"

#include <algorithm>

#include "job/packages/requirement_lines.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace {

// in_pod.py reads these, too
constexpr std::string_view kFirstLine = "# kml: conda packages\n";
constexpr std::string_view kOfInstaller = "#installer ", kOfPip = "#pip ";
constexpr std::string_view kPackage = "- conda: ";

std::string marked_lines(std::string_view mark, const std::string& text) {
  std::string marked;
  for (const std::string& line : split(text, '\n'))
    if (!line.empty()) marked += std::string(mark) + line + "\n";
  return marked;
}

}  // namespace

std::string conda_lock(const std::string& rattlers_lock, const std::string& installer,
                       const std::string& pip) {
  return std::string(kFirstLine) + rattlers_lock + marked_lines(kOfInstaller, installer) +
         marked_lines(kOfPip, pip);
}

bool is_conda_lock(std::string_view lock) {
  return lock.starts_with(kFirstLine);
}

std::map<std::string, std::string> conda_versions_in(std::string_view lock) {
  std::map<std::string, std::string> versions;
  for (const std::string& line : split(std::string(lock), '\n')) {
    if (!line.starts_with(kPackage)) continue;
    // .../NAME-VERSION-BUILD.conda
    const std::string file = line.substr(line.rfind('/') + 1);
    const size_t build = file.rfind('-');
    const size_t version = build == std::string::npos || build == 0 ? build : file.rfind('-', build - 1);
    if (version == std::string::npos) continue;
    versions[file.substr(0, version)] = file.substr(version + 1, build - version - 1);
  }
  return versions;
}

std::string processor_of(std::string_view lock) {
  constexpr std::string_view kSystem = "- name: linux-";
  const size_t at = lock.find(kSystem);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = lock.substr(at + kSystem.size());
  const std::string name(rest.substr(0, rest.find('\n')));
  return name == "64" ? "amd64" : name == "aarch64" ? "arm64" : name;
}

std::string pip_part_of(std::string_view lock) {
  std::string part;
  for (const std::string& line : split(std::string(lock), '\n'))
    if (line.starts_with(kOfPip)) part += line.substr(kOfPip.size()) + "\n";
  return part;
}

std::string without_packages(const std::string& requirements, const Json& names) {
  std::string kept;
  bool is_left_out = false;
  for (const std::string& line : split(requirements, '\n')) {
    if (line.empty()) continue;
    if (!line.starts_with(' ')) {
      const std::string name = normal_name(line.substr(0, line.find_first_of("=[ ;@")));
      is_left_out = std::ranges::any_of(names.items(),
                                        [&](const auto& item) { return normal_name(item.key()) == name; });
    }
    if (!is_left_out) kept += line + "\n";
  }
  return kept;
}

}  // namespace kml::packages
