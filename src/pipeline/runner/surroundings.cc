#include "pipeline/runner/surroundings.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "job/packages/requested.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/job/render/render.h"
#include "kml/job/spec/config.h"
#include "kml/job/submit/code.h"
#include "pipeline/engine/read_parts.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

/// Limits for the files whose digests are computed in each run.
constexpr uintmax_t kMostBytes = uintmax_t{1} << 30;
constexpr size_t kMostFiles = 50'000;

/// Flags that are left out of a key: those about a job's place, size and name, and those that have their own
/// parts in the key.
const std::set<std::string> kNoPartFlags = {
    "gpus",       "cpu",        "memory",          "nodes",       "shm",        "node-selector",
    "toleration", "priority",   "queue",           "grace",       "ttl",        "label",
    "name",       "annotation", "service-account", "pull-secret", "time-limit", "code",
    "retries",    "topology",   "env-store",       "data",        "data-store"};

bool is_below(const std::string& file, std::string path) {
  path = fs::path(path).lexically_normal().string();
  if (path.ends_with('/')) path.pop_back();
  return path == "." || file == path || file.starts_with(path + "/");
}

std::vector<job::CodeFile> only(std::vector<job::CodeFile> files, const std::vector<std::string>& paths) {
  if (paths.empty()) return files;
  for (const std::string& path : paths)
    if (std::none_of(files.begin(), files.end(),
                     [&](const job::CodeFile& file) { return is_below(file.name, path); }))
      throw usage_error(
          "code.paths matches no file: " + path,
          "paths are relative to the code's folder, and files that git ignores are left out",
          "name the folder, `code: {folder: .., paths: [src]}`; for data, use an input: {path: FILE}");
  std::erase_if(files, [&](const job::CodeFile& file) {
    return std::none_of(paths.begin(), paths.end(),
                        [&](const std::string& path) { return is_below(file.name, path); });
  });
  return files;
}

void refuse_too_much(const std::vector<job::CodeFile>& files, const fs::path& folder) {
  uintmax_t bytes = 0;
  for (const job::CodeFile& file : files) bytes += file.size;
  if (files.size() <= kMostFiles && bytes <= kMostBytes) return;
  throw usage_error(
      "too many files for a step's code in " + folder.string(),
      std::to_string(files.size()) + " files, " + std::to_string(bytes >> 20) +
          " MiB: a change to any file that a step may read makes it run again",
      "list the files that the step needs, `code: {paths: [train.py, lib]}`, or let git ignore the others");
}

std::string file_line(const fs::path& folder, const job::CodeFile& file) {
  const fs::path path = folder / file.name;
  const std::string digest =
      file.is_link ? sha256_hex(fs::read_symlink(path).string()) : sha256_of_file(path);
  return json_text(Json(file.name)) +
         (file.is_link         ? " link "
          : file.is_executable ? " 755 "
                               : " 644 ") +
         digest + "\n";
}

/// The path of the program, which is searched for as in execvp(3); empty if it does not exist.
fs::path program_named(const std::string& name) {
  for (const std::string& folder : split(environment("PATH"), ':')) {
    fs::path path = fs::path(folder) / name;
    if (::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path)) return path;
  }
  return {};
}

/// The packages in the program's virtual environment, one per line, in the form NAME-VERSION (PEP 376). Empty
/// if the program is not in a virtual environment.
std::string packages_beside(const fs::path& program) {
  const fs::path root = program.parent_path().parent_path();
  std::error_code error;
  if (!fs::exists(root / "pyvenv.cfg", error)) return {};
  std::set<std::string> lines;
  for (const fs::directory_entry& python : fs::directory_iterator(root / "lib", error))
    for (const fs::directory_entry& entry : fs::directory_iterator(python.path() / "site-packages", error)) {
      const std::string name = entry.path().filename().string();
      const size_t dash = name.find('-');
      if (!name.ends_with(".dist-info") || dash == std::string::npos) continue;
      lines.insert(json_text(Json(name.substr(0, dash))) + " " +
                   name.substr(dash + 1, name.size() - dash - 1 - std::string_view(".dist-info").size()));
    }
  // not empty, because an environment without packages must differ from no environment
  std::string text = "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
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
      since_(time_of_files()) {}

KeyParts StepSurroundings::of(const Step& step) {
  KeyParts parts;
  add_code(step, parts);
  add_requirements(step, parts);
  if (is_local_) {
    add_named_files(step, parts);
    add_program(step, parts);
    if (step.program) add_python(*step.program, parts);
  } else {
    parts["place"] = "a cluster";  // results made on this machine, without the image, are different
  }
  add_template(step, parts);
  add_defaults(step, parts);
  return parts;
}

void StepSurroundings::add_code(const Step& step, KeyParts& parts) {
  if (step.program) return;  // a compiled component's code is in the pipeline file
  std::string code = plain_setting(step, "code");
  for (const spec::Setting& setting : defaults_)
    if (code.empty() && !is_local_ && setting.name == "code") code = setting.value;
  if (code.empty() && !is_local_) return;
  try {
    parts["code"] = code_list((file_.parent_path() / code).lexically_normal(), step.code_paths);
  } catch (const Error& error) {
    // if the step is not cached, its code need not be readable
    if (step.is_cached || error.code != ErrorCode::usage) throw;
  }
}

/// The digest of the list of the files in the folder.
std::string StepSurroundings::code_list(const fs::path& folder, const std::vector<std::string>& paths) {
  std::string& digest = known_["code " + folder.string() + "\n" + join(paths, "\n")];
  if (!digest.empty()) return digest;
  const auto may_count = [&](const std::string& inner) {
    return paths.empty() || std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
             return is_below(inner, path) || is_below(fs::path(path).lexically_normal(), inner);
           });
  };
  std::vector<job::CodeFile> files = only(job::code_files(folder, may_count), paths);
  const std::string state =
      fs::absolute(state_folder()).lexically_normal().lexically_relative(folder).string();
  std::erase_if(files, [&](const job::CodeFile& file) {
    return folder / file.name == file_ || is_by_product(file.name) ||
           (state != "." && is_below(file.name, state));
  });
  refuse_too_much(files, folder);
  std::string text;
  for (const job::CodeFile& file : files) text += file_line(folder, file);
  return digest = store_.keep_list(text);
}

/// Adds files that the step's command names, wherever they are, and even if git ignores them.
void StepSurroundings::add_named_files(const Step& step, KeyParts& parts) {
  for (const yaml::Node& word : step.command.items) {
    const std::string name = word.text.substr(word.text.find('=') + 1);  // --config=a.yaml
    const fs::path path = file_.parent_path() / name;
    std::error_code error;
    if (name.empty() || name.find("${") != std::string::npos || path.lexically_normal() == file_ ||
        !fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostBytes)
      continue;
    std::string& digest = known_["file " + path.string()];
    if (digest.empty()) digest = sha256_of_file(path);
    parts["file " + name] = digest;
  }
}

/// Adds the files that name the step's packages, with those that they include.
void StepSurroundings::add_requirements(const Step& step, KeyParts& parts) const {
  if (step.program) return;  // it installs its packages itself
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
      parts["file " + name] = sha256_hex(packages::requested_packages(packages, {}, folder, folder).text);
    } catch (const Error&) {
      // the submit of the step says what is wrong with the file
    }
  };
  add(file, &spec::Packages::requirements);
  add(conda, &spec::Packages::conda);
  std::error_code missing;
  for (const char* name : {"pyproject.toml", "uv.lock"})
    if (is_by_uv && file.empty() && fs::is_regular_file(folder / name, missing))
      parts["file " + std::string(name)] = sha256_of_file(folder / name);
}

/// Adds a program that is found in PATH. A program given by its path is part of the code, or the user's
/// responsibility.
void StepSurroundings::add_program(const Step& step, KeyParts& parts) {
  if (step.command.items.empty()) return;
  const std::string& name = step.command.items[0].text;
  if (name.empty() || name.find('/') != std::string::npos || name.find('$') != std::string::npos) return;
  const auto [known, is_new] = programs_.try_emplace(name);
  if (is_new) known->second = program_named(name);
  const fs::path& program = known->second;
  if (program.empty()) return;
  std::string& digest = known_["program " + program.string()];
  if (digest.empty()) digest = sha256_of_file(program);
  parts["program " + name] = digest;
  add_packages(program, parts);
}

/// A component's Python can import packages from the active environment.
void StepSurroundings::add_python(const StepProgram& program, KeyParts& parts) {
  program.add_here_to_key(parts);
  if (parts.contains("program python3")) add_packages(program_named("python3"), parts);
}

void StepSurroundings::add_packages(const fs::path& program, KeyParts& parts) {
  std::string& packages = known_["packages " + program.parent_path().string()];
  if (packages.empty()) {
    const std::string text = packages_beside(program);
    packages = text.empty() ? "none" : store_.keep_list(text);
  }
  if (packages != "none") parts["packages"] = packages;
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
