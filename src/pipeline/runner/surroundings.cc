#include "pipeline/runner/surroundings.h"

#include <sys/stat.h>
#include <time.h>
#include <algorithm>
#include <fstream>
#include <set>

#include "job/packages/requested.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/program_path.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/job/render/render.h"
#include "kml/job/spec/config.h"
#include "pipeline/engine/read_parts.h"
#include "pipeline/runner/python_packages.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

/// The digest of a file that the command names is part of the key only up to this size.
constexpr uintmax_t kMostNamedBytes = uintmax_t{1} << 30;

/// Flags that are left out of a key: those that do not change what the command does, such as where the job
/// runs, how large it is and what its name is, and those that have their own parts in the key.
const std::set<std::string> kNoPartFlags = {
    "gpus",       "cpu",        "memory",          "nodes",       "shm",        "node-selector",
    "toleration", "priority",   "queue",           "grace",       "ttl",        "label",
    "name",       "annotation", "service-account", "pull-secret", "time-limit", "code",
    "retries",    "topology",   "env-store",       "data",        "data-store"};

fs::path program_named(const std::string& name) {
  return find_program(name, environment("PATH"), ".");
}

bool is_below(const std::string& file, const std::string& folder) {
  return file == folder || file.starts_with(folder + "/");
}

/// Variables that decide what programs import.
constexpr const char* kPythonVariables[] = {"VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME"};

bool is_python(const fs::path& program) {
  const std::string name = program.filename();
  return name.starts_with("python") || name.starts_with("pypy");
}

/// The interpreter in the first line of a script, without its arguments; empty if the file is no script.
std::string interpreter_of(const std::string& script) {
  if (!script.starts_with("#!")) return {};
  std::vector<std::string> words = split(std::string(trim(script.substr(2, script.find('\n')))), ' ');
  std::erase(words, "");
  if (words.empty()) return {};
  const auto is_argument = [](const std::string& word) {
    return word.starts_with('-') || word.find('=') != std::string::npos;
  };
  if (fs::path(words[0]).filename() != "env") return words[0];
  const auto found = std::find_if_not(words.begin() + 1, words.end(), is_argument);
  return found == words.end() ? std::string() : *found;
}

/// The start of a file; empty if it cannot be read.
std::string start_of(const fs::path& file) {
  constexpr size_t kMost = size_t{64} << 10;
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMost, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(kMost));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

bool names_python(std::string_view text) {
  return contains(text, "python") || contains(text, "pip install") || contains(text, "uv run");
}

/// The kernel's coarse clock, from which it takes the times of files.
Time time_of_files() {
#ifdef CLOCK_REALTIME_COARSE
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return Time(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
#else
  return system_clock().now();
#endif
}

/// The text of a setting; empty if the step does not have the setting, or its text has placeholders.
std::string plain_setting(const Step& step, std::string_view key) {
  const yaml::Node* value = step.settings.find(key);
  return value && value->text.find("${") == std::string::npos ? value->text : "";
}

}  // namespace

StepSurroundings::StepSurroundings(const LocalStore& store, fs::path file,
                                   std::vector<spec::Setting> defaults,
                                   std::vector<fs::path> template_folders, bool is_local)
    : store_(store),
      file_(std::move(file)),
      defaults_(std::move(defaults)),
      template_folders_(std::move(template_folders)),
      is_local_(is_local),
      since_(time_of_files()),
      code_(digests_,
            [this](const fs::path& folder, const std::string& name) { return is_left_out(folder, name); }) {}

/// Leaves out the pipeline file, whose steps are compared one by one, and what Python and kml write.
bool StepSurroundings::is_left_out(const fs::path& folder, const std::string& name) const {
  const std::string state =
      fs::absolute(state_folder()).lexically_normal().lexically_relative(folder).string();
  return folder / name == file_ || is_by_product(name) || (state != "." && is_below(name, state));
}

KeyParts StepSurroundings::of(const Step& step, const std::vector<std::string>& written) {
  KeyParts parts;
  add_code(step, is_local_ ? written : std::vector<std::string>(), parts);
  add_requirements(step, parts);
  if (is_local_) {
    add_named_files(step, parts);
    add_program(step, parts);
    if (step.program) add_python(*step.program, parts);
  } else {
    parts["place"] = "a cluster";  // results made on this machine, without the image, may differ
  }
  add_template(step, parts);
  add_defaults(step, parts);
  return parts;
}

void StepSurroundings::add_code(const Step& step, const std::vector<std::string>& written, KeyParts& parts) {
  if (step.program) return;  // a compiled component's code is in the pipeline file
  std::string code = plain_setting(step, "code");
  for (const spec::Setting& setting : defaults_)
    if (code.empty() && !is_local_ && setting.name == "code") code = setting.value;
  if (code.empty() && !is_local_) return;
  try {
    parts["code"] = code_list((file_.parent_path() / code).lexically_normal(), step.code_paths, written);
  } catch (const Error& error) {
    // if the step is not cached, its code need not be readable
    if (step.is_cached || error.code != ErrorCode::usage) throw;
  }
}

/// The digest of the list of the files in the folder.
std::string StepSurroundings::code_list(const fs::path& folder, const std::vector<std::string>& paths,
                                        const std::vector<std::string>& written) {
  KnownList& known =
      lists_["code " + folder.string() + "\n" + join(paths, "\n") + "\n\n" + join(written, "\n")];
  return digest_of(known, [&] { return code_.text(folder, paths, written); });
}

/// The digest of the list. The list is made again each time, unless it has thousands of files and was made a
/// short time ago, because there may be thousands of steps.
std::string StepSurroundings::digest_of(KnownList& known, const std::function<std::string()>& text) const {
  using Ticks = std::chrono::steady_clock;
  constexpr size_t kLong = size_t{1} << 20;
  constexpr int kShare = 10;
  const Ticks::time_point begin = Ticks::now();
  if (known.text.size() > kLong && begin - known.made < known.took * kShare) return known.digest;
  std::string now = text();
  if (known.digest.empty() || now != known.text) {
    known.digest = store_.keep_list(now);
    known.text = std::move(now);
  }
  known.made = begin;
  known.took = Ticks::now() - begin;
  return known.digest;
}

/// Adds files that the step's command names, wherever they are, and even if git ignores them.
void StepSurroundings::add_named_files(const Step& step, KeyParts& parts) {
  for (const yaml::Node& word : step.command.items) {
    const std::string name = word.text.substr(word.text.find('=') + 1);  // --config=a.yaml
    const fs::path path = file_.parent_path() / name;
    std::error_code error;
    if (name.empty() || name.find("${") != std::string::npos || path.lexically_normal() == file_ ||
        !fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostNamedBytes)
      continue;
    parts["file " + name] = digests_.of(path);
  }
}

/// Adds the files that list the step's packages, and the files that these include.
void StepSurroundings::add_requirements(const Step& step, KeyParts& parts) const {
  if (step.program) return;  // a compiled component installs its packages itself
  std::string file = plain_setting(step, "requirements"), conda = plain_setting(step, "conda");
  bool is_by_uv = plain_setting(step, "uv") == "true";
  for (const spec::Setting& setting : defaults_) {
    if (file.empty() && setting.name == "requirements") file = setting.value;
    if (conda.empty() && setting.name == "conda") conda = setting.value;
    is_by_uv = is_by_uv || (setting.name == "uv" && setting.value == "true");
  }
  const fs::path folder = file_.parent_path();
  const auto add = [&](const std::string& name, std::string spec::Packages::*member) {
    if (name.empty()) return;
    spec::Packages packages;
    packages.*member = folder / name;
    try {
      const packages::Requested requested = packages::requested_packages(packages, {}, folder, folder);
      // the folder's pyproject.toml may name the Python
      parts[kPackagesOf + name] = sha256_hex(requested.text + requested.python);
    } catch (const Error&) {
      // the submit of the step says what is wrong with the file
    }
  };
  add(file, &spec::Packages::requirements);
  add(conda, &spec::Packages::conda);
  std::error_code missing;
  for (const char* name : {"pyproject.toml", "uv.lock", ".python-version"})
    if (is_by_uv && file.empty() && fs::is_regular_file(folder / name, missing))
      parts[kPackagesOf + std::string(name)] = sha256_of_file(folder / name);
  if (is_by_uv && file.empty()) add_lock_elsewhere(step, parts);
}

/// Adds the lock of the step's script, or of the workspace above the pipeline's folder.
void StepSurroundings::add_lock_elsewhere(const Step& step, KeyParts& parts) const {
  const fs::path folder = file_.parent_path();
  std::vector<std::string> command;
  for (const yaml::Node& word : step.command.items) command.push_back(word.text);
  spec::Packages packages;
  packages.by_uv = true;
  try {
    const auto requested = packages::requested_packages(packages, command, folder, folder);
    if (requested.lock.exists() && requested.lock.file != folder / "uv.lock")
      parts[kPackagesOf + requested.lock.name()] = sha256_hex(requested.lock.text);
  } catch (const Error&) {
    // the submit of the step says what is wrong with the file
  }
}

/// Adds a program that is found in PATH. A program given by its path is part of the code, or one of the named
/// files.
void StepSurroundings::add_program(const Step& step, KeyParts& parts) {
  if (step.command.items.empty()) return;
  const std::string& name = step.command.items[0].text;
  if (name.empty() || name.find('$') != std::string::npos) return;
  fs::path program = file_.parent_path() / name;
  if (name.find('/') == std::string::npos) {
    program = program_named(name);
    if (program.empty()) return;
    parts["program " + name] = digests_.of(program);
  }
  if (is_python(program)) return add_packages({program}, parts);
  const std::string interpreter = interpreter_of(start_of(program));
  if (is_python(interpreter))
    return add_packages({interpreter.starts_with('/') ? fs::path(interpreter) : program_named(interpreter)},
                        parts);
  const bool is_any_set = std::any_of(std::begin(kPythonVariables), std::end(kPythonVariables),
                                      [](const char* variable) { return !environment(variable).empty(); });
  if (is_any_set || may_use_python(step)) add_packages({}, parts);
}

/// Whether a word of the command, or a script that the command names, mentions Python, pip or uv.
bool StepSurroundings::may_use_python(const Step& step) const {
  return std::any_of(step.command.items.begin(), step.command.items.end(), [&](const yaml::Node& word) {
    if (names_python(word.text)) return true;
    const fs::path path = file_.parent_path() / word.text;
    std::error_code unknown;
    return !word.text.empty() && word.text.size() < 256 && fs::is_regular_file(path, unknown) &&
           names_python(start_of(path));
  });
}

/// A component's Python can import packages from the active environment.
void StepSurroundings::add_python(const StepProgram& program, KeyParts& parts) {
  program.add_here_to_key(parts);
  if (parts.contains("program python3")) add_packages({}, parts);
}

/// Adds what the interpreter imports besides the code. Without an interpreter, adds what the interpreters in
/// PATH import.
void StepSurroundings::add_packages(std::vector<fs::path> interpreters, KeyParts& parts) {
  if (interpreters.empty()) interpreters = {program_named("python3"), program_named("python")};
  std::erase(interpreters, fs::path());
  std::string name = "packages";
  for (const fs::path& interpreter : interpreters) name += "\n" + interpreter.string();
  parts["packages"] = digest_of(lists_[name], [&] {
    const fs::path folder = file_.parent_path();
    PythonPackages packages(digests_, folder);
    for (const fs::path& interpreter : interpreters) packages.add_interpreter(interpreter);
    packages.add_search_path(environment("PYTHONPATH"));
    return packages.text();
  });
  std::error_code unknown;
  std::string real;
  for (const fs::path& interpreter : interpreters)
    real += fs::weakly_canonical(interpreter, unknown).string() + "\n";
  parts["interpreter"] = real;
  for (const char* variable : kPythonVariables)
    if (const std::string value = environment(variable); !value.empty())
      parts["variable " + std::string(variable)] = value;
}

void StepSurroundings::add_template(const Step& step, KeyParts& parts) {
  const std::string name = plain_setting(step, "template");
  if (name.empty()) return;
  std::string& digest = known_["template " + name];
  if (digest.empty()) {
    const std::string file =
        spec::is_template_file(name) ? (file_.parent_path() / name).lexically_normal().string() : name;
    digest = sha256_hex(render::Catalog(template_folders_).load(file).text);
  }
  parts["template " + name] = digest;
}

void StepSurroundings::add_defaults(const Step& step, KeyParts& parts) const {
  for (const spec::Setting& setting : defaults_) {
    const spec::Flag* flag = spec::submit_flag(setting.name);
    if (!flag || kNoPartFlags.contains(setting.name)) continue;
    const yaml::Node* own = step.settings.find(flag->key);
    const std::string entry = setting.value.substr(0, setting.value.find('='));
    if (own && (!flag->is_map || own->find(entry))) continue;
    std::string& part = parts["default " + std::string(flag->key) + (flag->is_map ? " " + entry : "")];
    part = sha256_hex(part + setting.value);
  }
}

}  // namespace kml::pipeline
