#include "job/packages/requested.h"

#include <algorithm>
#include <map>

#include "job/packages/conda_file.h"
#include "job/packages/script_header.h"
#include "job/packages/toml.h"
#include "kml/base/files.h"
#include "kml/base/missing_path.h"
#include "kml/base/text.h"
#include "kml/job/spec/trust.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLargest = size_t{64} << 20;
constexpr const char* kProject = "pyproject.toml";

/// The keys of [tool.uv] that name sources of packages.
constexpr std::string_view kSources[] = {"sources",         "index",      "index-url",
                                         "extra-index-url", "find-links", "pip"};

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> result;
  for (const Json& item : list)
    if (item.is_string()) result.push_back(item);
  return result;
}

/// The number of the line in which the word first occurs.
int line_with(std::string_view text, const std::string& word) {
  const size_t at = std::min(text.find(word), text.size());
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Whether the text is like ">=3.9,<4" (PEP 440). uv would take any other text for the path of a program to
/// run.
bool is_version_specifier(const std::string& text) {
  const std::vector<std::string> clauses = split(text, ',');
  return std::all_of(clauses.begin(), clauses.end(), [](const std::string& clause) {
    const std::string_view word = trim(clause);
    const size_t sign = std::min(word.find_first_not_of("<>=!~"), word.size());
    const std::string_view version = trim(word.substr(sign));
    return sign > 0 && !version.empty() && is_digit(version[0]) &&
           version.find_first_not_of("0123456789.*abcrpostdev+!") == std::string_view::npos;
  });
}

/// The table's requires-python. Throws usage Error if it is not a version specifier.
std::string required_python(const Json& table, const std::string& shown, const std::string& toml) {
  std::string python = string_at(table, {"requires-python"});
  if (python.empty() || is_version_specifier(python)) return python;
  Error error = usage_error("invalid requires-python", "", "write it as in \">=3.11\"");
  error.problems.push_back({shown, line_with(toml, "requires-python"), 0, "requires-python",
                            "\"" + python + "\" is not a version specifier"});
  throw error;
}

/// Reads the requests for packages in a project's table or a script's header.
class TomlRequest {
 public:
  TomlRequest(Requested& to, const std::string& toml) : to_(to), toml_(toml) {}

  void take(const Json& project, const Json& uv) {
    to_.python = required_python(project, to_.shown, toml_);
    to_.requirements = listed(project, "dependencies");
    to_.constraints = listed(uv, "constraint-dependencies");
    to_.overrides = listed(uv, "override-dependencies");
    for (const std::string_view key : kSources)
      if (uv.contains(std::string(key)))
        add_power(std::string(key), "it sets " + std::string(key) + " for uv");
    for (const char* key : {"index-url", "extra-index-url"})
      for (const std::string& url : uv.contains(key) && uv[key].is_string()
                                        ? std::vector{string_at(uv, {key})}
                                        : texts(array_at(uv, {key})))
        to_.indexes.push_back(url);
    for (const Json& index : array_at(uv, {"index"}))
      if (std::string url = string_at(index, {"url"}); !url.empty()) to_.indexes.push_back(std::move(url));
  }

 private:
  std::vector<std::string> listed(const Json& table, const char* key) {
    std::vector<std::string> list = texts(array_at(table, {key}));
    for (const std::string& requirement : list)
      if (std::string power = power_in(requirement); !power.empty()) add_power(requirement, std::move(power));
    return list;
  }

  void add_power(const std::string& word, std::string text) {
    to_.powers.push_back({to_.file, {to_.shown, line_with(toml_, word), 0, "", std::move(text)}});
  }

  Requested& to_;
  const std::string& toml_;
};

/// The word of the command that names a Python file in the folder; empty if none does.
std::string script_in(const std::vector<std::string>& command, const fs::path& folder) {
  std::error_code ignored;
  for (const std::string& word : command)
    if (word.ends_with(".py") && !word.starts_with('-') && fs::is_regular_file(folder / word, ignored))
      return word;
  return {};
}

/// Adds a [project] table around a header's keys, which are the same as those of that table.
std::string project_of_header(const std::string& header) {
  return "[project]\nname = \"script\"\nversion = \"0\"\n" + header;
}

bool take_script(Requested& requested, const std::string& script, const fs::path& folder) {
  requested.kind = Requested::Kind::script;
  requested.file = folder / script;
  requested.shown = script;
  const std::optional<std::string> header = script_header(read_file(requested.file, kLargest), script);
  if (!header) return false;
  constexpr int kIndent = 2;  // "# "
  const Json keys = read_toml(*header, script, kIndent);
  TomlRequest(requested, *header).take(keys, object_at(keys, {"tool", "uv"}));
  requested.toml = project_of_header(*header);
  requested.text = *header;
  return true;
}

bool take_project(Requested& requested, const fs::path& file, const std::string& shown) {
  requested.kind = Requested::Kind::project;
  requested.file = file;
  requested.shown = shown;
  const std::optional<std::string> text = read_file_if_exists(requested.file, kLargest);
  if (!text) return false;
  const Json keys = read_toml(*text, requested.shown);
  const Json& project = object_at(keys, {"project"});
  requested.uv_lock = read_file_if_exists(file.parent_path() / "uv.lock", kLargest).value_or("");
  const std::vector<std::string> dynamic = texts(array_at(project, {"dynamic"}));
  const bool is_dynamic = std::find(dynamic.begin(), dynamic.end(), "dependencies") != dynamic.end();
  if (is_dynamic && requested.uv_lock.empty())
    throw usage_error(
        shown + " does not list its dependencies",
        "its build backend would have to run here to find the dependencies: dynamic = [\"dependencies\"]",
        "run `uv lock`, which writes the dependencies to uv.lock, or use --requirements FILE");
  TomlRequest(requested, *text).take(project, object_at(keys, {"tool", "uv"}));
  requested.toml = *text;
  requested.text = *text + "\n" + requested.uv_lock;
  return true;
}

fs::path existing_file(const std::string& name) {
  fs::path file = fs::absolute(name).lexically_normal();
  std::error_code missing;
  if (fs::is_regular_file(file, missing)) return file;
  throw usage_error("cannot read " + name,
                    fs::exists(file, missing) ? "it is not a file" : "it does not exist",
                    fix_for_missing(file));
}

Requested of_requirements(const std::string& name, const fs::path& folder) {
  Requested requested;
  requested.file = existing_file(name);
  requested.shown = name;
  if (requested.file.extension() == ".toml") {
    take_project(requested, requested.file, name);
    return requested;
  }
  requested.kind = Requested::Kind::requirements;
  RequirementLines lines = read_requirements(requested.file, name);
  requested.requirements = std::move(lines.requirements);
  requested.constraints = std::move(lines.constraints);
  requested.options = std::move(lines.options);
  requested.powers = std::move(lines.powers);
  requested.text = std::move(lines.text);
  // a project's requirements file does not name the Python; its pyproject.toml may
  if (const auto toml = read_file_if_exists(folder / kProject, kLargest))
    requested.python = required_python(object_at(read_toml(*toml, kProject), {"project"}), kProject, *toml);
  return requested;
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
                             const fs::path& folder, const fs::path& root) {
  if (!packages.requirements.empty()) return of_requirements(packages.requirements, folder);
  if (!packages.conda.empty()) return read_conda_file(existing_file(packages.conda), packages.conda);
  Requested requested;
  const std::string script = script_in(command, folder);
  if (!script.empty() && take_script(requested, script, folder)) return requested;
  for (const fs::path& place : {folder, root})
    if (take_project(requested, place / kProject, kProject)) return requested;
  const std::string project = (root / kProject).lexically_normal();
  throw usage_error("--uv found no list of packages",
                    (script.empty() ? "the command names no Python file here"
                                    : script + " has no header (\"# /// script\")") +
                        ", and " + project + " does not exist",
                    script.empty()
                        ? "use --requirements FILE, or start kml in the folder with pyproject.toml"
                        : "add one: uv add --script " + script + " NAME; or use --requirements FILE");
}

std::string trusted_text(const fs::path& file, const std::string& text) {
  if (file.extension() != ".py") return text;
  return script_header(text, file.filename().string()).value_or(text);
}

}  // namespace kml::packages
