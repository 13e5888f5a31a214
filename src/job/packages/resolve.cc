#include "job/packages/resolve.h"

#include "job/packages/scratch.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

/// A pyproject.toml that asks for these packages. Strings of JSON are also strings of TOML.
std::string plain_project(const Requested& requested) {
  std::string text = "[project]\nname = \"packages\"\nversion = \"0\"\n";
  if (!requested.python.empty()) text += "requires-python = " + compact_text(Json(requested.python)) + "\n";
  return text + "dependencies = " + compact_text(Json(requested.requirements)) + "\n";
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
    if (!requested_.uv_lock.empty()) return lock_of_project();
    const fs::path project =
        write("pyproject.toml", is_trusted() ? requested_.toml : plain_project(requested_));
    return is_trusted() ? compiled(project, folder(), {}) : compiled(project, folder(), own_limits());
  }

 private:
  bool is_trusted() const { return !requested_.powers.empty(); }
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

  /// The lock in the project's uv.lock. A uv.lock has no hashes of packages from a folder.
  std::string lock_of_project() const {
    write("pyproject.toml", requested_.toml);
    write("uv.lock", requested_.uv_lock);
    Words words = {"export", "--frozen", "--no-emit-project", "--no-dev", "--format", "requirements-txt"};
    for (std::string& flag : Uv::own_config_flags()) words.push_back(std::move(flag));
    const std::string lock = run(std::move(words), folder(), "exported.txt");
    return has_hashes(lock) ? lock : compiled(folder() / "exported.txt", folder(), Uv::own_config_flags());
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
