#include <algorithm>
#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/net/s3/settings.h"

namespace kml::s3 {

namespace {

using Sections = std::map<std::string, std::map<std::string, std::string>>;

/// The value without a comment. A comment starts with a blank and "#" or ";".
std::string without_comment(std::string_view value) {
  for (const char* begin : {" #", " ;", "\t#", "\t;"}) value = value.substr(0, value.find(begin));
  return std::string(trim(value));
}

/// Both "[profile dev]" and "[dev]" become "dev". An indented line belongs to the key above it: "s3.max_...".
Sections parse_sections(const std::string& text) {
  Sections sections;
  std::string section, group;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view content = trim(line);
    if (content.empty() || content[0] == '#' || content[0] == ';') continue;
    if (content[0] == '[') {
      section = trim(content.substr(1, content.find(']') - 1));
      if (section.starts_with("profile ")) section = trim(std::string_view(section).substr(8));
      sections[section];
      group.clear();
      continue;
    }
    const size_t equals = content.find('=');
    if (equals == std::string_view::npos || section.empty()) continue;
    const std::string key = lower(trim(content.substr(0, equals)));
    const std::string value = without_comment(content.substr(equals + 1));
    const bool is_inner = (line[0] == ' ' || line[0] == '\t') && !group.empty();
    sections[section][is_inner ? group + "." + key : key] = value;
    if (!is_inner) group = value.empty() ? key : "";
  }
  return sections;
}

std::filesystem::path aws_file(const char* variable, const char* name) {
  std::string path = environment(variable);
  if (!path.empty()) return path;
  return std::filesystem::path(environment("HOME")) / ".aws" / name;
}

Sections sections_in(const std::filesystem::path& file) {
  const auto text = read_file_if_exists(file);
  return text ? parse_sections(*text) : Sections();
}

}  // namespace

Profile read_profile() {
  Profile profile;
  profile.name = environment("AWS_PROFILE");
  const bool is_chosen = !profile.name.empty();
  if (!is_chosen) profile.name = "default";
  const Sections config = sections_in(aws_file("AWS_CONFIG_FILE", "config"));
  const Sections keys = sections_in(aws_file("AWS_SHARED_CREDENTIALS_FILE", "credentials"));
  if (const auto found = config.find(profile.name); found != config.end()) profile.values = found->second;
  if (const auto found = keys.find(profile.name); found != keys.end()) profile.credentials = found->second;
  profile.is_there = config.contains(profile.name) || keys.contains(profile.name);
  if (profile.is_there || !is_chosen) return profile;
  std::vector<std::string> names;
  for (const Sections* sections : {&config, &keys})
    for (const auto& [name, values] : *sections) names.push_back(name);
  throw usage_error("no AWS profile \"" + profile.name + "\"", "AWS_PROFILE selects it",
                    names.empty()
                        ? "`aws configure` creates one in ~/.aws"
                        : suggestion(profile.name, names, "the profiles are " + some_of(names, 10)));
}

}  // namespace kml::s3
