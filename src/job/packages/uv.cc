#include "job/packages/uv.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/program_path.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr const char* kInstall = "pip install uv, or see https://docs.astral.sh/uv";

ProcessResult run_uv(const std::vector<std::string>& argv, const fs::path& folder,
                     std::vector<std::string> variables = {}) {
  ProcessOptions options;
  options.folder = folder;
  options.merge_errors = true;
  options.environment = std::move(variables);
  options.environment.insert(options.environment.end(), {"UV_PYTHON_DOWNLOADS=never", "UV_NO_PROGRESS=1"});
  return run_process(argv, options);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 9 && std::ranges::all_of(text, is_digit);
}

}  // namespace

Uv::Uv(const std::string& what_for) : path_(find_program("uv", environment("PATH"))) {
  if (path_.empty()) throw Error(ErrorCode::failure, "uv is not installed", what_for + " needs uv", kInstall);
  const ProcessResult result = run_uv({path_, "--version"}, "/");
  const std::vector<std::string> words = split(std::string(trim(result.out)), ' ');
  if (result.exit_code != 0 || words.size() < 2)
    throw Error(ErrorCode::failure, "cannot run " + path_, std::string(trim(result.out)), kInstall);
  version_ = words[1];
}

Interpreter Uv::find_python(const std::string& wanted, const std::string& asked_by) const {
  std::vector<std::string> words = {"python", "find", "--no-project", "--no-config", "--color", "never"};
  if (!wanted.empty()) words.push_back(wanted);
  const ProcessResult found = run(std::move(words), "/");
  if (found.exit_code != 0)
    throw Error(ErrorCode::failure, "no Python " + (wanted.empty() ? "" : wanted + " ") + "on this machine",
                wanted.empty() ? reason_in(found.out) : asked_by + " asks for it",
                "uv python install" + (wanted.empty() ? "" : " " + shell_quoted({&wanted, 1})));
  const std::string path(trim(found.out));
  const ProcessResult version =
      run_process({path, "-I", "-S", "-c", "import platform; print(platform.python_version())"});
  return {path, std::string(trim(version.out))};
}

ProcessResult Uv::run(std::vector<std::string> words, const fs::path& folder,
                      const std::vector<std::string>& variables) const {
  words.insert(words.begin(), path_);
  return run_uv(words, folder, variables);
}

std::vector<std::string> Uv::own_config_flags() {
  if (!environment("UV_CONFIG_FILE").empty()) return {};
  const fs::path own = own_config();
  return own.empty() ? std::vector<std::string>{"--no-config"}
                     : std::vector<std::string>{"--config-file", own};
}

fs::path Uv::own_config() {
  const std::string folder = environment("XDG_CONFIG_HOME");
  std::error_code ignored;
  for (const fs::path& file :
       {(folder.empty() ? fs::path(environment("HOME")) / ".config" : fs::path(folder)) / "uv/uv.toml",
        fs::path("/etc/uv/uv.toml")})
    if (file.is_absolute() && fs::is_regular_file(file, ignored)) return file;
  return {};
}

std::string lowest_python(const std::string& requires_python) {
  for (const std::string& clause : split(requires_python, ',')) {
    const std::string_view text = trim(clause);
    if (!text.starts_with(">") && !text.starts_with("~=") && !text.starts_with("==")) continue;
    std::string version(trim(text.substr(std::min(text.find_first_not_of("<>=~! "), text.size()))));
    if (version.ends_with(".*")) version.resize(version.size() - 2);
    return version;
  }
  return {};
}

bool is_older(const std::string& version, const std::string& other) {
  const std::vector<std::string> left = split(version, '.'), right = split(other, '.');
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    if (left[i] != right[i])
      return is_number(left[i]) && is_number(right[i]) && std::stoi(left[i]) < std::stoi(right[i]);
  return false;
}

std::string reason_in(const std::string& output) {
  constexpr std::array<std::string_view, 8> kSigns = {"×",  "╰─▶",    "├─▶",    "│",
                                                      "╰─", "error:", "cause:", "hint:"};
  constexpr std::string_view kGeneral = "No solution found when resolving dependencies";
  std::vector<std::string> lines;
  std::istringstream all(output);
  for (std::string line; std::getline(all, line);) {
    std::string_view text = trim(line);
    const bool is_aside = text.starts_with("warning:") || contains(text, " interpreter at: ");
    if (is_aside) continue;
    for (const std::string_view sign : kSigns)
      if (text.starts_with(sign)) text = trim(text.substr(sign.size()));
    if (!text.empty() && !text.starts_with(kGeneral)) lines.emplace_back(text);
  }
  return lines.empty() ? std::string(trim(output)) : join(lines, " ");
}

}  // namespace kml::packages
