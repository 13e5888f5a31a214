#include "job/packages/requested.h"

#include <algorithm>
#include <map>
#include <span>

#include "job/packages/conda_file.h"
#include "job/packages/own_hashes.h"
#include "job/packages/project_request.h"
#include "job/packages/script_header.h"
#include "job/packages/toml.h"
#include "kml/base/files.h"
#include "kml/base/missing_path.h"
#include "kml/base/text.h"
#include "kml/job/spec/trust.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr const char* kProject = "pyproject.toml";

/// The word of the command that names a Python file in the folder; empty if none does.
std::string script_in(const std::vector<std::string>& command, const fs::path& folder) {
  std::error_code ignored;
  for (const std::string& word : command)
    if (word.ends_with(".py") && !word.starts_with('-') && fs::is_regular_file(folder / word, ignored))
      return word;
  return {};
}

fs::path absolute_folder(const fs::path& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

fs::path existing_file(const std::string& name) {
  fs::path file = fs::absolute(name).lexically_normal();
  std::error_code missing;
  if (fs::is_regular_file(file, missing)) return file;
  throw not_a_file(file, name);
}

void take_requirements(Requested& requested, const std::string& name, const fs::path& folder) {
  requested.file = existing_file(name);
  requested.shown = name;
  if (requested.file.extension() == ".toml") {
    take_project(requested, requested.file, name);
    return;
  }
  requested.kind = Requested::Kind::requirements;
  RequirementLines lines = read_requirements(requested.file, name);
  requested.requirements = std::move(lines.requirements);
  requested.constraints = std::move(lines.constraints);
  requested.options = std::move(lines.options);
  requested.requires_hashes = lines.requires_hashes;
  requested.indexes = indexes_of_options(requested.options);
  requested.powers = std::move(lines.powers);
  requested.text = std::move(lines.text);
  // a project's requirements file does not name the Python; its pyproject.toml may
  if (const auto toml = read_file_if_exists(folder / kProject, kLargestRequest))
    requested.python = required_python(object_at(read_toml(*toml, kProject), {"project"}), kProject, *toml);
}

/// uv would install the packages once more, for each pod.
void refuse_uv_run(const std::vector<std::string>& command, const std::string& script) {
  if (command.size() < 2 || command[0] != "uv" || command[1] != "run") return;
  const auto rest = std::ranges::find(command, script);
  throw usage_error(
      "--uv cannot be used with `uv run`", "kml installs the packages before it runs the command",
      script.empty() ? "leave out `uv run`" : "-- python " + shell_quoted(std::span(rest, command.end())));
}

void take_by_uv(Requested& requested, const std::vector<std::string>& command, const fs::path& folder,
                const fs::path& root) {
  const std::string script = script_in(command, folder);
  refuse_uv_run(command, script);
  if (!script.empty() && take_script(requested, script, folder)) return;
  for (const fs::path& place : {folder, root})
    if (take_project(requested, place / kProject, kProject)) return;
  const std::string project = (root / kProject).lexically_normal();
  throw usage_error("--uv found no list of packages",
                    (script.empty() ? "the command names no Python file here"
                                    : script + " has no header (\"# /// script\")") +
                        ", and " + project + " does not exist",
                    script.empty()
                        ? "use --requirements FILE, or start kml in the folder with pyproject.toml"
                        : "add one: uv add --script " + script + " NAME; or use --requirements FILE");
}

/// Reads .python-version, as `uv run` does. uv also accepts paths and names of other Pythons there.
void take_pin(Requested& requested, const fs::path& folder) {
  constexpr const char* kPin = ".python-version";
  constexpr size_t kLargestPin = 4096;
  for (const fs::path& place : {folder, requested.file.parent_path()}) {
    const auto text = read_file_if_exists(place / kPin, kLargestPin);
    if (!text) continue;
    const std::string pin(trim(text->substr(0, text->find('\n'))));
    const bool is_version =
        !pin.empty() && is_digit(pin[0]) && pin.find_first_not_of("0123456789.") == std::string::npos;
    if (is_version)
      requested.pin = pin;
    else
      requested.notes.push_back("kml ignores " + std::string(kPin) + ": \"" + pin + "\" is not a version");
    return;
  }
}

/// Says which other lists of packages the user might expect to be used.
void note_unused_lists(Requested& requested, const spec::Packages& packages,
                       const std::vector<std::string>& command, const fs::path& folder) {
  const bool is_conda = requested.kind == Requested::Kind::conda;
  const std::string flag = is_conda ? "--conda" : "--requirements", script = script_in(command, folder);
  if (!packages.by_uv && !script.empty() &&
      script_header(read_file(folder / script, kLargestRequest), script))
    requested.notes.push_back(flag + " ignores the packages in the header of " + script +
                              "; --uv installs those");
  std::error_code none;
  for (const char* lock : {"conda-lock.yml", "pixi.lock"})
    if (is_conda && fs::exists(requested.file.parent_path() / lock, none))
      requested.notes.push_back("--conda ignores " + std::string(lock) + ": kml makes its own lock of " +
                                requested.shown);
}

void require_project(const Requested& requested) {
  if (requested.kind == Requested::Kind::project) return;
  const char* flag = !requested.extras.empty() ? "--extra" : "--group";
  throw usage_error(std::string(flag) + " needs a pyproject.toml",
                    requested.shown + " has no extras and groups", "leave out " + std::string(flag));
}

/// Adds everything else that determines the lock to the text.
void complete_text(Requested& requested) {
  requested.text += "\n" + requested.lock.text;
  for (const auto& [folder, keys] : requested.lock.projects)
    requested.text +=
        "\n" + folder.lexically_relative(requested.file.parent_path()).string() + json_text(keys);
  for (const std::string& name : requested.extras) requested.text += "\nextra " + name;
  for (const std::string& name : requested.groups) requested.text += "\ngroup " + name;
  // earlier versions of kml made locks that lack these hashes, or ignored these settings of uv
  if (may_have_hashes(requested.text)) requested.text += "\nown hashes";
  for (const char* key : {"exclude-", "resolution", "prerelease", "fork-strategy"})
    if (contains(requested.text, key)) requested.text += "\nsetting " + std::string(key);
}

}  // namespace

void Requested::require_trust() const {
  std::map<fs::path, std::vector<Problem>> by_file;
  for (const Power& power : powers) by_file[power.file].push_back(power.problem);
  for (const auto& [path, problems] : by_file) {
    const std::string trusted = trusted_text(path, read_own_file(path));
    auto error = spec::distrust(
        {path, problems[0].file, trusted}, "packages would come from sources that you have not chosen",
        "read it, then: kml trust " + problems[0].file + "; your own index belongs in ~/.config/uv/uv.toml");
    if (!error) continue;
    error->problems = problems;
    throw *std::move(error);
  }
}

Requested requested_packages(const spec::Packages& packages, const std::vector<std::string>& command,
                             const fs::path& folder_of_command, const fs::path& root) {
  const fs::path folder = absolute_folder(folder_of_command);
  Requested requested;
  if (!packages.conda.empty()) requested = read_conda_file(existing_file(packages.conda), packages.conda);
  requested.extras = packages.extras;
  requested.groups = packages.groups;
  if (!packages.requirements.empty())
    take_requirements(requested, packages.requirements, folder);
  else if (packages.conda.empty())
    take_by_uv(requested, command, folder, absolute_folder(root));
  if (packages.by_uv) take_pin(requested, folder);
  if (!packages.extras.empty() || !packages.groups.empty()) require_project(requested);
  note_unused_lists(requested, packages, command, folder);
  complete_text(requested);
  return requested;
}

std::string trusted_text(const fs::path& file, const std::string& text) {
  if (file.extension() != ".py") return text;
  return script_header(text, file.filename().string()).value_or(text);
}

}  // namespace kml::packages
