#include "kml/job/packages/script_environment.h"

#include <map>

#include "job/packages/pod_programs.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/sha256.h"
#include "kml/job/packages/locked.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

/// in_pod.py recognizes a script by this first line of the file `lock`.
constexpr const char* kScript = "# kml: script\n";
constexpr const char* kLast = "settings";

/// What in_pod.py reads, as in the Secret of a job with packages.
std::map<std::string, std::string> files_for(const std::string& script) {
  const Json settings = {
      {"requires", ""}, {"source", "the component"},  {"uv", ""}, {"uvPath", ""}, {"noBuild", false},
      {"store", ""},    {"variables", Json::object()}};
  return {{"lock", kScript + script},
          {"in_pod.py", pod_program("in_pod")},
          {"verify.py", pod_program("verify")},
          {kLast, json_text(settings)}};
}

/// The folder with these files, whose name depends on their contents.
fs::path folder_with(const std::map<std::string, std::string>& files) {
  constexpr size_t kDigits = 32;
  std::string all;
  for (const auto& [name, text] : files) all += name + "\n" + std::to_string(text.size()) + "\n" + text;
  fs::path folder = locks_folder() / ("script-" + sha256_hex(all).substr(0, kDigits));
  std::error_code none;
  if (fs::exists(folder / kLast, none)) return folder;
  make_private_folder(folder);
  for (const auto& [name, text] : files)
    if (name != kLast) write_file_atomically(folder / name, text);
  write_file_atomically(folder / kLast, files.at(kLast));
  return folder;
}

}  // namespace

std::vector<std::string> in_script_environment(const std::string& script, const fs::path& python,
                                               const std::vector<std::string>& command) {
  const fs::path program = folder_with(files_for(script)) / "in_pod.py";
  std::vector<std::string> words = {python, "-I", "-S", program, environments_folder(), ""};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace kml::packages
