#include "kml/spec/trust.h"

#include <algorithm>
#include <sstream>

#include "kml/core/files.h"
#include "kml/core/sha256.h"
#include "kml/core/text.h"

namespace fs = std::filesystem;

namespace kml::spec {

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path from =
      fs::weakly_canonical(fs::absolute(path)).lexically_relative(fs::weakly_canonical(folder));
  return !from.empty() && *from.begin() != "..";
}

namespace {

std::string key_of(const Setting& setting) {
  const Flag* flag = submit_flag(setting.name);
  return flag ? std::string(flag->key) : setting.name;
}

bool adds_up(const Setting& setting) {
  const Flag* flag = submit_flag(setting.name);
  return (flag && flag->repeats) || setting.name == "templates";
}

/// The settings of the project file that no later setting overrides.
std::vector<Setting> of_project_file(std::span<const Setting> settings) {
  std::vector<Setting> result;
  for (size_t i = 0; i < settings.size(); ++i) {
    const auto same = [&](const Setting& later) { return later.name == settings[i].name; };
    const auto rest = settings.subspan(i + 1);
    if (settings[i].origin.source == Source::project_file &&
        (adds_up(settings[i]) || std::none_of(rest.begin(), rest.end(), same)))
      result.push_back(settings[i]);
  }
  return result;
}

std::string secret_text(const std::string& value) {
  const std::string name = value.substr(0, value.find('='));
  if (name.size() == value.size()) return "sends your environment variable " + name;
  const std::string from = value.substr(name.size() + 1);
  return from.starts_with('@') ? "sends the file " + from.substr(1) : "sends your standard input as " + name;
}

std::string mount_text(const std::string& value, const ProjectFile& file) {
  const std::string folder = value.substr(0, value.find(':'));
  if (folder.starts_with('/') && !is_inside(folder, file.path.parent_path()))
    return "mounts a folder outside the folder of " + file.shown + ": " + value;
  if (value.starts_with("host/")) return "mounts a folder of the machine: " + value;
  if (value.starts_with("secret/")) return "mounts a secret: " + value;
  return {};
}

/// A template decides everything about a job, including mounted secrets.
std::string template_text(const std::string& value, const std::set<std::string>& templates) {
  return templates.contains(value) ? "" : "uses a template that is neither built in nor your own: " + value;
}

std::string templates_text(const std::string& folder, const ProjectFile& file,
                           const std::set<std::string>& templates) {
  if (!is_inside(folder, file.path.parent_path())) return folder + " is outside the folder of " + file.shown;
  std::set<std::string> hidden;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == ".yaml" && templates.contains(entry.path().stem()))
      hidden.insert(entry.path().stem());
  const std::vector<std::string> names(hidden.begin(), hidden.end());
  return names.empty() ? "" : "replaces built-in templates or your own: " + join(names, ", ");
}

/// What the setting does that needs the user's trust; empty if it needs none.
std::string text_of(const Setting& setting, const ProjectFile& file, const std::set<std::string>& templates) {
  const std::string& value = setting.value;
  if (setting.name == "secret") return secret_text(value);
  if (setting.name == "env-from" || setting.name == "pull-secret") return "uses the secret " + value;
  if (setting.name == "service-account") return "uses the service account " + value;
  if (setting.name == "context") return "selects the context " + value;
  if (setting.name == "mount") return mount_text(value, file);
  if (setting.name == "template") return template_text(value, templates);
  if (setting.name == "templates") return templates_text(value, file, templates);
  if (setting.name == "code" && !is_inside(value, file.path.parent_path()))
    return "sends a folder outside the folder of " + file.shown + ": " + value;
  return {};
}

}  // namespace

std::vector<Problem> untrusted_settings(const ProjectFile& file, std::span<const Setting> settings,
                                        const std::set<std::string>& templates) {
  std::vector<Problem> problems;
  for (const Setting& setting : of_project_file(settings))
    if (std::string text = text_of(setting, file, templates); !text.empty()) {
      problems.push_back(setting.origin.problem(std::move(text)));
      problems.back().path = key_of(setting);
    }
  return problems;
}

std::vector<std::string> project_keys(std::span<const Setting> settings) {
  std::vector<std::string> keys;
  for (const Setting& setting : of_project_file(settings))
    if (std::string key = key_of(setting); std::find(keys.begin(), keys.end(), key) == keys.end())
      keys.push_back(std::move(key));
  return keys;
}

namespace {

constexpr std::string_view kRevoked = "-";
constexpr std::string_view kBetween = "  ";

/// The same path for a file, whatever links lead to its folder. The file may no longer exist.
std::string recorded_path(const fs::path& file) {
  const fs::path whole = fs::absolute(file).lexically_normal();
  return (fs::weakly_canonical(whole.parent_path()) / whole.filename()).string();
}

void append_record(const fs::path& records, std::string_view sum, const std::string& path) {
  make_private_folder(records.parent_path());
  append_durably(records, std::string(sum) + std::string(kBetween) + path + "\n");
}

}  // namespace

std::map<std::string, std::string> TrustRecords::all() const {
  std::map<std::string, std::string> sums;
  std::istringstream lines(read_file_if_exists(records_).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const size_t between = line.find(kBetween);
    if (between == std::string::npos) continue;
    const std::string path = line.substr(between + kBetween.size());
    if (line.compare(0, between, kRevoked) == 0)
      sums.erase(path);
    else
      sums[path] = line.substr(0, between);
  }
  return sums;
}

TrustRecords::State TrustRecords::state_of(const fs::path& file, std::string_view text) const {
  const auto sums = all();
  const auto found = sums.find(recorded_path(file));
  if (found == sums.end()) return State::unknown;
  return found->second == sha256_hex(text) ? State::trusted : State::changed;
}

void TrustRecords::trust(const fs::path& file, std::string_view text) {
  const std::string path = recorded_path(file);
  if (path.find('\n') != std::string::npos)
    throw usage_error("cannot trust " + path, "its path has a line break", "rename the folder");
  append_record(records_, sha256_hex(text), path);
}

void TrustRecords::revoke(const fs::path& file) {
  const std::string path = recorded_path(file);
  if (!all().contains(path)) throw usage_error(path + " is not trusted", "", "see kml trust --list");
  append_record(records_, kRevoked, path);
}

TrustRecords trust_records() {
  return TrustRecords(state_folder() / "trusted");
}

}  // namespace kml::spec
