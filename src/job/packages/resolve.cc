#include "job/packages/resolve.h"

#include <algorithm>
#include <iterator>

#include "job/packages/locked_by_uv.h"
#include "job/packages/scratch.h"
#include "job/packages/toml.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

/// A pyproject.toml that asks for these packages.
Json plain_project(const Requested& requested) {
  Json project = {{"name", "packages"}, {"version", "0"}, {"dependencies", requested.requirements}};
  if (!requested.python.empty()) project["requires-python"] = requested.python;
  project["optional-dependencies"] = object_at(requested.keys, {"project", "optional-dependencies"});
  return {{"project", project}, {"dependency-groups", object_at(requested.keys, {"dependency-groups"})}};
}

/// A fix for uv's reason; empty if the reason speaks for itself.
std::string fix_for(const std::string& reason, const Requested& requested) {
  const std::string text = lower(reason);
  for (const char* word :
       {"no-build", "building source distributions is disabled", "no usable wheels", "no wheels"})
    if (contains(text, word)) return "kml builds no packages on this machine: ask for a version with a wheel";
  for (const char* word : {"failed to fetch", "error sending request", "dns error"})
    if (contains(text, word))
      return "check the connection, or name your index: UV_DEFAULT_INDEX=URL, or in ~/.config/uv/uv.toml";
  if (contains(text, "python>") || contains(text, "python version"))
    return "name the Python of the job in " + requested.shown + ": requires-python = \">=3.12\"";
  return "";
}

/// Flags for the indexes that a trusted file names.
Words index_flags(const Indexes& indexes) {
  Words words;
  if (!indexes.first.empty()) words.insert(words.end(), {"--default-index", indexes.first});
  for (const std::string& index : indexes.more) words.insert(words.end(), {"--index", index});
  for (const std::string& place : indexes.find_links) words.insert(words.end(), {"--find-links", place});
  return words;
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
    return compiled(project, folder(), std::move(words));
  }

 private:
  bool is_trusted() const { return requested_.has_powers(); }
  const fs::path& folder() const { return scratch_.path(); }

  fs::path write(const char* name, const std::string& text) const {
    write_file_atomically(folder() / name, text);
    return folder() / name;
  }
  fs::path write(const char* name, const Words& lines) const { return write(name, join(lines, "\n") + "\n"); }

  /// Flags for the user's configuration, and for the request's constraints and overrides. uv would find these
  /// constraints and overrides itself only if it read the whole pyproject.toml.
  Words own_limits() const {
    Words words = Uv::own_config_flags();
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
                    own_limits());
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
    return notes + compiled(write("exported.txt", lock), folder(), std::move(words));
  }

  std::string compiled(const fs::path& input, const fs::path& where, Words more) const {
    Words words = {"pip",        "compile",          input,  "--universal", "--generate-hashes",
                   "--no-build", "--python-version", python_};
    if (!is_trusted()) words.emplace_back("--no-sources");
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words), where, "compiled.txt");
  }

  std::string run(Words words, const fs::path& where, const char* output) const {
    words.insert(words.end(), {"--no-header", "--no-annotate", "--color", "never", "--quiet", "--output-file",
                               folder() / output});
    const ProcessResult result = uv_.run(std::move(words), where);
    if (result.exit_code == 0) return read_file(folder() / output);
    const std::string reason = reason_in(result.out);
    throw Error(ErrorCode::failure, "cannot resolve the packages of " + requested_.shown, reason,
                fix_for(reason, requested_));
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
