#include "job/packages/resolve.h"

#include <algorithm>
#include <iterator>

#include "job/packages/included.h"
#include "job/packages/lock_lines.h"
#include "job/packages/locked_by_uv.h"
#include "job/packages/own_hashes.h"
#include "job/packages/requirement_lines.h"
#include "job/packages/resolve_error.h"
#include "job/packages/scratch.h"
#include "job/packages/toml.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

/// The settings of [tool.uv] that are also flags of uv.
constexpr const char* kVersionChoices[] = {"exclude-newer", "resolution", "prerelease", "fork-strategy"};

/// The project's own name, which its extras may mention: all = ["p[gpu]"].
std::string own_name(const Requested& requested) {
  const std::string name = string_at(requested.keys, {"project", "name"});
  const bool is_project = requested.kind == Requested::Kind::project && !name.empty();
  return is_project ? name : "packages";
}

/// A pyproject.toml that asks for these packages.
Json plain_project(const Requested& requested) {
  Json project = {{"name", own_name(requested)}, {"version", "0"}, {"dependencies", requested.requirements}};
  if (!requested.python.empty()) project["requires-python"] = requested.python;
  project["optional-dependencies"] = object_at(requested.keys, {"project", "optional-dependencies"});
  return {{"project", project}, {"dependency-groups", object_at(requested.keys, {"dependency-groups"})}};
}

/// All requirements of a project or script, including its extras and groups.
Words all_texts(const Requested& requested) {
  Words texts = requested.requirements;
  for (const auto* lists : {&object_at(requested.keys, {"project", "optional-dependencies"}),
                            &object_at(requested.keys, {"dependency-groups"})})
    for (const auto& [name, list] : lists->items())
      for (const Json& item : list)
        if (item.is_string()) texts.push_back(item);
  return texts;
}

void add_list(OwnHashes& hashes, const Included& list) {
  for (const std::string& line : list.lines.requirements)
    list.are_constraints ? hashes.add_constraint(line) : hashes.add_requirement(line);
  for (const std::string& line : list.lines.constraints) hashes.add_constraint(line);
  if (list.lines.requires_hashes) hashes.require_all();
}

/// The hashes of a requirements file, or of a project's requirements, and of the lists that they include.
struct AllHashes {
  OwnHashes hashes = {};
  std::vector<Included> urls = {};  ///< whose hashes are still missing

  void add_urls() {
    for (const Included& url : urls)
      for (const Included& list : lists_at(url)) add_list(hashes, list);
  }
};

AllHashes hashes_of(const Requested& requested) {
  AllHashes all;
  for (const std::string& line : requested.requirements) all.hashes.add_requirement(line);
  for (const std::string& line : requested.constraints) all.hashes.add_constraint(line);
  if (requested.requires_hashes) all.hashes.require_all();
  for (Included& list : included_in(requested))
    if (list.is_url())
      all.urls.push_back(std::move(list));
    else
      add_list(all.hashes, list);
  return all;
}

/// Flags for the indexes that a trusted file names.
Words index_flags(const Indexes& indexes) {
  Words words;
  if (!indexes.first.empty()) words.insert(words.end(), {"--default-index", indexes.first});
  for (const std::string& index : indexes.more) words.insert(words.end(), {"--index", index});
  for (const std::string& place : indexes.find_links) words.insert(words.end(), {"--find-links", place});
  return words;
}

/// Flags for the settings of [tool.uv] that say which versions uv may choose.
Words choice_flags(const Json& uv) {
  Words words;
  for (const char* key : kVersionChoices)
    if (const std::string value = string_at(uv, {key}); !value.empty())
      words.push_back("--" + std::string(key) + "=" + value);
  for (const auto& [name, date] : object_at(uv, {"exclude-newer-package"}).items())
    if (date.is_string()) words.push_back("--exclude-newer-package=" + name + "=" + date.get<std::string>());
  return words;
}

/// The names of excluded packages. Other texts could be options in the file that kml writes for uv.
Words excluded_by(const Json& uv) {
  Words names;
  for (const Json& item : array_at(uv, {"exclude-dependencies"}))
    if (item.is_string() &&
        normal_name(item.get<std::string>()).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
            std::string::npos)
      names.push_back(item);
  std::erase_if(names, [](const std::string& name) { return name.empty() || name[0] == '-'; });
  return names;
}

bool has_hashes(const std::string& lock) {
  for (const std::string& line : split(lock, '\n'))
    if (contains(line, "==") && !line.starts_with(' ') && !line.starts_with('#') && !line.ends_with('\\'))
      return false;
  return true;
}

class Resolver {
 public:
  Resolver(const Uv& uv, const Requested& requested, const std::string& python)
      : uv_(uv), requested_(requested), python_(python) {}

  std::string lock() const {
    if (requested_.kind == Requested::Kind::requirements) return lock_of_lines();
    if (requested_.lock.exists()) return lock_of_uv();
    const fs::path project = write("pyproject.toml", toml_text(is_trusted() ? checkable(requested_.keys, true)
                                                                            : plain_project(requested_)));
    Words words = is_trusted() ? Words() : own_limits();
    for (const std::string& extra : requested_.extras) words.insert(words.end(), {"--extra", extra});
    for (const std::string& group : requested_.groups)
      words.insert(words.end(), {"--group", project.string() + ":" + group});
    return compiled(project, folder(), std::move(words), hashes_of(requested_));
  }

 private:
  bool is_trusted() const { return requested_.has_powers(); }
  const fs::path& folder() const { return scratch_.path(); }

  fs::path write(const char* name, const std::string& text) const {
    write_file_atomically(folder() / name, text);
    return folder() / name;
  }
  fs::path write(const char* name, const Words& lines) const { return write(name, join(lines, "\n") + "\n"); }

  /// Flags for the user's configuration, and for the settings of the request. uv would find these settings
  /// itself only if it read the whole pyproject.toml.
  Words own_limits() const {
    Words words = Uv::own_config_flags();
    const Json& uv = object_at(requested_.keys, {"tool", "uv"});
    std::ranges::move(choice_flags(uv), std::back_inserter(words));
    if (const Words excluded = excluded_by(uv); !excluded.empty())
      words.insert(words.end(), {"--excludes", write("excludes.txt", excluded)});
    if (!requested_.constraints.empty())
      words.insert(words.end(), {"--constraint", write("constraints.txt", requested_.constraints)});
    if (!requested_.overrides.empty())
      words.insert(words.end(), {"--override", write("overrides.txt", requested_.overrides)});
    return words;
  }

  /// The paths in a trusted file are relative to its folder.
  std::string lock_of_lines() const {
    Words lines = requested_.options;
    lines.insert(lines.end(), requested_.requirements.begin(), requested_.requirements.end());
    return compiled(write("requirements.in", lines), is_trusted() ? requested_.file.parent_path() : folder(),
                    own_limits(), hashes_of(requested_));
  }

  /// A lock of uv has no hashes of packages from a folder.
  std::string lock_of_uv() const {
    std::string lock = locked_by_uv(uv_, requested_);
    if (has_hashes(lock)) return lock;
    std::string notes;
    for (const std::string& line : split(lock, '\n'))
      if (line.starts_with('#')) notes += line + "\n";
    Words words = Uv::own_config_flags();
    std::ranges::move(index_flags(requested_.indexes), std::back_inserter(words));
    AllHashes hashes;
    hashes.hashes.add_lock(lock);
    return notes + compiled(write("exported.txt", lock), folder(), std::move(words), std::move(hashes));
  }

  std::string compiled(const fs::path& input, const fs::path& where, Words more, AllHashes all) const {
    Words words = {"pip",        "compile",          input,  "--universal", "--generate-hashes",
                   "--no-build", "--python-version", python_};
    if (!is_trusted()) words.emplace_back("--no-sources");
    words.insert(words.end(), more.begin(), more.end());
    const std::string lock = with_absolute_places(run(std::move(words), where, "compiled.txt"), where);
    all.add_urls();
    return all.hashes.kept_in(lock, requested_.shown,
                              [&](const std::string& line) { return has_other_hash(line, where); });
  }

  /// uv compares a hash that the index does not have only when it installs the package. This installation
  /// runs no code of the package.
  bool has_other_hash(const std::string& line, const fs::path& where) const {
    Words words = {"pip",           "install", "--target", folder() / "compared",      "--quiet", "--no-deps",
                   "--only-binary", ":all:",   "-r",       write("compared.txt", line)};
    std::ranges::move(Uv::own_config_flags(), std::back_inserter(words));
    std::ranges::move(index_flags(requested_.indexes), std::back_inserter(words));
    return contains(uv_.run(std::move(words), where).out, "Hash mismatch");
  }

  std::string run(Words words, const fs::path& where, const char* output) const {
    words.insert(words.end(), {"--no-header", "--no-annotate", "--color", "never", "--quiet", "--output-file",
                               folder() / output});
    const ProcessResult result = uv_.run(std::move(words), where);
    if (result.exit_code == 0) return read_file(folder() / output);
    std::string reason = reason_in(result.out);
    if (is_about_the_project(reason)) reason = reason_of_requirements(reason);
    throw resolve_error(reason, requested_);
  }

  /// If uv cannot read a requirement of a project, it tries to build the project, and reports only that
  /// building is disabled.
  std::string reason_of_requirements(const std::string& reason) const {
    const ProcessResult checked = uv_.run({"pip", "compile", write("requirements.in", all_texts(requested_)),
                                           "--offline", "--no-index", "--no-config", "--color", "never"},
                                          folder());
    const std::string found = reason_in(checked.out);
    return is_about_syntax(found) ? found : reason;
  }

  const Uv& uv_;
  const Requested& requested_;
  const std::string& python_;
  Scratch scratch_;
};

}  // namespace

std::string resolve(const Uv& uv, const Requested& requested, const std::string& python) {
  return Resolver(uv, requested, python).lock();
}

}  // namespace kml::packages
