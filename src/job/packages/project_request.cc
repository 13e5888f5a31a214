#include "job/packages/project_request.h"

#include <algorithm>
#include <set>

#include "job/packages/script_header.h"
#include "job/packages/toml.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPyproject = "pyproject.toml";

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

Error wrong_value(const std::string& shown, const std::string& toml, const std::string& key,
                  const std::string& what, const std::string& fix) {
  Error error = usage_error("invalid " + key, "", fix);
  error.problems.push_back({shown, line_with(toml, key), 0, key, what});
  return error;
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

void add_power(Requested& to, const Power& place, const std::string& word, const std::string& toml,
               std::string text) {
  Power power = place;
  power.problem.line = line_with(toml, word);
  power.problem.text = std::move(text);
  to.powers.push_back(std::move(power));
}

/// Adds the settings in a table [tool.uv] that name sources of packages.
void add_powers_of_uv(Requested& to, const Power& place, const std::string& toml, const Json& uv) {
  for (const std::string_view name : kSources) {
    const std::string key(name);
    if (uv.contains(key) && (key != "sources" || names_places(uv[key])))
      add_power(to, place, key, toml, "it sets " + key + " for uv");
  }
}

/// The key of the table that is the same name for uv; empty if there is none.
std::string key_like(const Json& table, const std::string& name) {
  for (const auto& [key, value] : table.items())
    if (normal_name(key) == normal_name(name)) return key;
  return {};
}

/// Reads the requests for packages in a project's table or a script's header.
class TomlRequest {
 public:
  TomlRequest(Requested& to, const std::string& toml)
      : to_(to), toml_(toml), place_({to.file, {to.shown, 0, 0, "", ""}}) {}

  void take(const Json& project, const Json& uv) {
    to_.python = required_python(project, to_.shown, toml_);
    to_.requirements = listed(project, "dependencies");
    to_.constraints = listed(uv, "constraint-dependencies");
    to_.overrides = listed(uv, "override-dependencies");
    add_powers_of_uv(to_, place_, toml_, uv);
    to_.indexes = indexes_of_uv(uv, to_.file.parent_path());
  }

  /// Looks in the lists of --extra and --group for settings that need the user's trust.
  void take_chosen(const Json& keys) {
    for (const std::string& extra : to_.extras) {
      require_list(keys, {"project", "optional-dependencies"}, "extra", extra);
      take_extra(extra);
    }
    for (const std::string& group : to_.groups) {
      require_list(keys, {"dependency-groups"}, "group", group);
      take_group(object_at(keys, {"dependency-groups"}), group);
    }
  }

 private:
  void require_list(const Json& keys, std::initializer_list<std::string_view> path, const char* what,
                    const std::string& name) const {
    const Json& lists = object_at(keys, path);
    if (!key_like(lists, name).empty()) return;
    std::vector<std::string> names;
    for (const auto& [each, list] : lists.items()) names.push_back(each);
    throw usage_error(to_.shown + " has no " + what + " \"" + name + "\"",
                      names.empty() ? "the file has none" : "",
                      names.empty() ? "" : suggestion(name, names, "the file has " + join(names, ", ")));
  }

  void take_group(const Json& groups, const std::string& name) {
    const std::string key = key_like(groups, name);
    if (!taken_.insert("group " + key).second) return;
    require_list_of(groups, key, true);
    look_for_powers(texts(array_at(groups, {key})));
    for (const Json& item : array_at(groups, {key}))
      if (item.is_object()) take_group(groups, string_at(item, {"include-group"}));
  }

  void take_extra(const std::string& name) {
    const Json& extras = object_at(to_.keys, {"project", "optional-dependencies"});
    const std::string key = key_like(extras, name);
    if (taken_.insert("extra " + key).second) listed(extras, key);
  }

  /// A project may ask for its own extras: all = ["p[gpu]"].
  void take_own_extras(const std::string& requirement) {
    const size_t begin = requirement.find('['), end = requirement.find(']');
    const std::string own = string_at(to_.keys, {"project", "name"});
    if (end == std::string::npos || begin > end || own.empty()) return;
    if (normal_name(trim(requirement.substr(0, begin))) != normal_name(own)) return;
    for (const std::string& extra : split(requirement.substr(begin + 1, end - begin - 1), ','))
      take_extra(std::string(trim(extra)));
  }

  std::vector<std::string> listed(const Json& table, const std::string& key) {
    require_list_of(table, key, false);
    std::vector<std::string> list = texts(array_at(table, {key}));
    look_for_powers(list);
    return list;
  }

  void look_for_powers(const std::vector<std::string>& requirements) {
    for (const std::string& requirement : requirements) {
      if (std::string power = power_in(requirement); !power.empty())
        add_power(to_, place_, requirement, toml_, std::move(power));
      take_own_extras(requirement);
    }
  }

  /// A group may also have tables, which include other groups.
  void require_list_of(const Json& table, const std::string& key, bool may_have_tables) const {
    const auto is_fine = [&](const Json& item) {
      return item.is_string() || (may_have_tables && item.is_object());
    };
    if (!table.contains(key) || (table[key].is_array() && std::ranges::all_of(table[key], is_fine))) return;
    throw wrong_value(to_.shown, toml_, key, "it is not a list of strings", key + " = [\"numpy>=2\"]");
  }

  Requested& to_;
  const std::string& toml_;
  const Power place_;
  std::set<std::string> taken_;  ///< the extras and groups that were read
};

/// Says which settings for uv have no effect. If the user trusts the file, uv itself reads the settings.
void note_ignored_settings(Requested& requested) {
  if (requested.lock.exists() || requested.has_powers()) return;
  const Json& uv = object_at(requested.keys, {"tool", "uv"});
  for (const char* key : {"dependency-metadata", "index-strategy", "no-binary", "no-binary-package"})
    if (uv.contains(key))
      requested.notes.push_back("kml ignores " + std::string(key) + " in [tool.uv] of " + requested.shown);
}

/// Throws usage Error if the file lists no packages: it may only configure tools, or have Poetry's own lists.
void require_project_table(const Requested& requested) {
  if (requested.keys.contains("project") || requested.lock.exists() || !requested.groups.empty()) return;
  const bool is_poetrys = find(requested.keys, {"tool", "poetry"}) != nullptr,
             has_members = find(requested.keys, {"tool", "uv", "workspace"}) != nullptr;
  throw usage_error(
      requested.shown + " has no [project] table",
      is_poetrys    ? "kml does not read the packages in [tool.poetry]"
      : has_members ? "it is the root of a workspace without a uv.lock, which lists the packages"
                    : "kml finds the packages in that table",
      has_members ? "uv lock"
                  : "add it: dependencies = [\"numpy\"] under [project]; or use --requirements FILE");
}

/// Adds the groups that `uv sync` installs without being asked. With uv.lock, uv adds them itself. kml
/// installs the group dev only on request.
void add_default_groups(Requested& requested) {
  const Json& uv = object_at(requested.keys, {"tool", "uv"});
  std::vector<std::string> names = texts(array_at(uv, {"default-groups"}));
  if (string_at(uv, {"default-groups"}) == "all")
    for (const auto& [name, list] : object_at(requested.keys, {"dependency-groups"}).items())
      names.push_back(name);
  for (const std::string& name : names)
    if (normal_name(name) != "dev" && std::ranges::find(requested.groups, name) == requested.groups.end())
      requested.groups.push_back(name);
}

/// A pyproject.toml with a script header's keys in its [project] table, where they have the same names.
Json project_of_header(Json header) {
  Json tool = header.contains("tool") ? header["tool"] : Json::object();
  header.erase("tool");
  header.update({{"name", "script"}, {"version", "0"}});
  return {{"project", std::move(header)}, {"tool", std::move(tool)}};
}

/// Adds the settings of the workspace to which the project belongs, and of other folders in its lock.
void take_projects_of_lock(Requested& requested) {
  const fs::path folder = requested.file.parent_path(), root = requested.lock.file.parent_path();
  for (const auto& [at, keys] : requested.lock.projects) {
    if (at == folder) continue;
    const fs::path file = at / kPyproject;
    const Json& uv = object_at(keys, {"tool", "uv"});
    add_powers_of_uv(requested, {file, {file.lexically_relative(folder), 0, 0, "", ""}},
                     read_file_if_exists(file, kLargestRequest).value_or(""), uv);
    if (at == root) requested.indexes = indexes_of_uv(uv, root);
  }
}

/// Throws usage Error if kml cannot know what the project needs without uv.lock.
void require_lock(const Requested& requested, const Json& keys) {
  if (requested.lock.exists()) return;
  const std::vector<std::string> dynamic = texts(array_at(keys, {"project", "dynamic"}));
  if (std::find(dynamic.begin(), dynamic.end(), "dependencies") != dynamic.end())
    throw usage_error(requested.shown + " does not list its dependencies",
                      "its build backend would have to run here to find them: dynamic = [\"dependencies\"]",
                      "run `uv lock`, which writes them to uv.lock, or use --requirements FILE");
  for (const auto& [name, source] : object_at(keys, {"tool", "uv", "sources"}).items())
    if (source.contains("path") || bool_at(source, {"workspace"}))
      throw usage_error(
          requested.shown + " takes " + name + " from a folder, and has no uv.lock",
          "kml builds no packages on this machine, and finds what " + name + " needs in uv.lock", "uv lock");
}

}  // namespace

std::string required_python(const Json& table, const std::string& shown, const std::string& toml) {
  constexpr const char* kKey = "requires-python";
  std::string python = string_at(table, {kKey});
  const bool is_text = !table.contains(kKey) || table[kKey].is_string();
  if (is_text && (python.empty() || is_version_specifier(python))) return python;
  throw wrong_value(shown, toml, kKey,
                    is_text ? "\"" + python + "\" is not a version specifier" : "it is not a string",
                    "write it as in \">=3.11\"");
}

bool take_script(Requested& requested, const std::string& script, const fs::path& folder) {
  requested.kind = Requested::Kind::script;
  requested.file = folder / script;
  requested.shown = script;
  const std::optional<std::string> header = script_header(read_file(requested.file, kLargestRequest), script);
  if (!header) return false;
  constexpr int kIndent = 2;  // "# "
  Json keys = read_toml(*header, script, kIndent);
  TomlRequest(requested, *header).take(keys, object_at(keys, {"tool", "uv"}));
  requested.lock = lock_of_script(requested.file);
  requested.keys = project_of_header(std::move(keys));
  requested.text = *header;
  note_ignored_settings(requested);
  return true;
}

bool take_project(Requested& requested, const fs::path& file, const std::string& shown) {
  requested.kind = Requested::Kind::project;
  requested.file = file;
  requested.shown = shown;
  const std::optional<std::string> text = read_file_if_exists(requested.file, kLargestRequest);
  if (!text) return false;
  requested.keys = read_toml(*text, requested.shown);
  const Json& keys = requested.keys;
  requested.lock = lock_of_project(file, keys);
  require_lock(requested, keys);
  if (!requested.lock.exists()) add_default_groups(requested);
  require_project_table(requested);
  TomlRequest request(requested, *text);
  request.take(object_at(keys, {"project"}), object_at(keys, {"tool", "uv"}));
  request.take_chosen(keys);
  if (requested.lock.exists()) take_projects_of_lock(requested);
  requested.text = *text;
  note_ignored_settings(requested);
  return true;
}

}  // namespace kml::packages
