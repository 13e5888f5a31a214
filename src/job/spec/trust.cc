#include "kml/job/spec/trust.h"

#include <algorithm>
#include <sstream>

#include "kml/base/damage.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"

namespace fs = std::filesystem;

namespace kml::spec {

std::optional<Error> distrust(const ProjectFile& file, const std::string& why, const std::string& fix) {
  using State = TrustRecords::State;
  const State state = file.path.empty() ? State::unknown : trust_records().state_of(file.path, file.text);
  if (state == State::trusted) return {};
  return usage_error(
      file.shown + (state == State::changed ? " has changed since you trusted it" : " is not trusted"), why,
      fix);
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path from =
      fs::weakly_canonical(fs::absolute(path)).lexically_relative(fs::weakly_canonical(folder));
  return !from.empty() && *from.begin() != "..";
}

namespace {

std::string key_of(const Setting& setting) {
  const Flag* flag = submit_flag(setting.name);
  return flag ? std::string(flag->key) : setting.name;
}

bool adds_up(const Setting& setting) {
  const Flag* flag = submit_flag(setting.name);
  return (flag && flag->repeats) || setting.name == "templates";
}

/// The settings in the project file that no later setting overrides, and those that can be repeated.
std::vector<Setting> of_project_file(std::span<const Setting> settings) {
  std::vector<Setting> result;
  for (size_t i = 0; i < settings.size(); ++i) {
    const auto same = [&](const Setting& later) { return later.name == settings[i].name; };
    const auto rest = settings.subspan(i + 1);
    if (settings[i].origin.source == Source::project_file &&
        (adds_up(settings[i]) || std::none_of(rest.begin(), rest.end(), same)))
      result.push_back(settings[i]);
  }
  return result;
}

std::string secret_text(const std::string& value) {
  const std::string name = value.substr(0, value.find('='));
  if (name.size() == value.size()) return "sends your environment variable " + name;
  const std::string from = value.substr(name.size() + 1);
  return from.starts_with('@') ? "sends the file " + from.substr(1) : "sends your standard input as " + name;
}

std::string mount_text(const std::string& value, const ProjectFile& file) {
  const std::string folder = value.substr(0, value.find(':'));
  if (folder.starts_with('/') && !is_inside(folder, file.path.parent_path()))
    return "mounts a folder outside the folder of " + file.shown + ": " + value;
  if (value.starts_with("host/")) return "mounts a folder on the host: " + value;
  if (value.starts_with("nfs/")) return "mounts a folder of a file server: " + value;
  if (value.starts_with("secret/")) return "mounts a secret: " + value;
  return {};
}

/// A template controls everything in a job, including mounted secrets.
std::string template_text(const std::string& value, const std::set<std::string>& templates) {
  return templates.contains(value) ? "" : "uses a template that is neither built in nor your own: " + value;
}

std::string templates_text(const std::string& folder, const ProjectFile& file,
                           const std::set<std::string>& templates) {
  if (!is_inside(folder, file.path.parent_path())) return folder + " is outside the folder of " + file.shown;
  std::set<std::string> hidden;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == ".yaml" && templates.contains(entry.path().stem()))
      hidden.insert(entry.path().stem());
  const std::vector<std::string> names(hidden.begin(), hidden.end());
  return names.empty() ? "" : "replaces built-in templates or your own: " + join(names, ", ");
}

/// Variables that only tune a program. They refer to no file, host, account or code, and do not change the
/// command. Other variables may be harmless too, but their names do not show how a program uses them.
constexpr std::string_view kTuning[] = {"CUDA_DEVICE_ORDER",
                                        "CUDA_LAUNCH_BLOCKING",
                                        "CUDA_VISIBLE_DEVICES",
                                        "GLOO_SOCKET_IFNAME",
                                        "MKL_NUM_THREADS",
                                        "NCCL_ALGO",
                                        "NCCL_ASYNC_ERROR_HANDLING",
                                        "NCCL_BLOCKING_WAIT",
                                        "NCCL_BUFFSIZE",
                                        "NCCL_DEBUG",
                                        "NCCL_DEBUG_SUBSYS",
                                        "NCCL_IB_DISABLE",
                                        "NCCL_IB_GID_INDEX",
                                        "NCCL_IB_HCA",
                                        "NCCL_IB_TIMEOUT",
                                        "NCCL_NVLS_ENABLE",
                                        "NCCL_P2P_DISABLE",
                                        "NCCL_P2P_LEVEL",
                                        "NCCL_PROTO",
                                        "NCCL_SHM_DISABLE",
                                        "NCCL_SOCKET_IFNAME",
                                        "NUMEXPR_NUM_THREADS",
                                        "OMP_NUM_THREADS",
                                        "OPENBLAS_NUM_THREADS",
                                        "PYTHONFAULTHANDLER",
                                        "PYTHONHASHSEED",
                                        "PYTHONUNBUFFERED",
                                        "PYTORCH_CUDA_ALLOC_CONF",
                                        "TF_CPP_MIN_LOG_LEVEL",
                                        "TF_FORCE_GPU_ALLOW_GROWTH",
                                        "TOKENIZERS_PARALLELISM",
                                        "TORCH_CPP_LOG_LEVEL",
                                        "TORCH_DISTRIBUTED_DEBUG",
                                        "TORCH_NCCL_ASYNC_ERROR_HANDLING",
                                        "TORCH_SHOW_CPP_STACKTRACES",
                                        "TZ"};

std::string variable_text(const std::string& value, const UsersOwn& own) {
  const std::string name = value.substr(0, value.find('='));
  const bool is_tuning = std::find(std::begin(kTuning), std::end(kTuning), name) != std::end(kTuning);
  return own.runs_files_command || is_tuning ? "" : "sets " + name + " for your command";
}

/// Labels and annotations with a domain may instruct controllers, for example to inject a secret.
std::string label_text(const Setting& setting, const UsersOwn& own) {
  const std::string name = setting.value.substr(0, setting.value.find('='));
  return own.runs_files_command || name.find('/') == std::string::npos
             ? ""
             : "sets the " + setting.name + " " + name;
}

/// Whether a parameter that the file sets may be passed to the user's own template. Only the template's
/// author knows what the parameter does; it may name a secret or an account.
bool may_use_written(std::span<const Setting> settings, const UsersOwn& own) {
  bool is_chosen = false;
  for (const Setting& setting : settings) {
    if (setting.name != "template") continue;
    is_chosen = true;
    const bool is_typed_path =
        setting.origin.source != Source::project_file && is_template_file(setting.value);
    if (is_typed_path || own.written.contains(setting.value)) return true;
  }
  return (!is_chosen || own.runs_files_command) && own.written.contains("job");
}

constexpr std::string_view kFree[] = {
    "image",         "gpus",       "cpu",      "memory",     "nodes",   "shm",   "chdir",
    "node-selector", "toleration", "priority", "queue",      "retries", "grace", "time-limit",
    "ttl",           "topology",   "uv",       "data-store", "record",  "extra", "group"};

/// What the setting could do, if it needs the user's trust; empty if it needs none.
std::string text_of(const Setting& setting, const ProjectFile& file, const UsersOwn& own) {
  const std::string& name = setting.name;
  const std::string& value = setting.value;
  if (std::find(std::begin(kFree), std::end(kFree), name) != std::end(kFree)) return {};
  if (name == "env") return variable_text(value, own);
  if (name == "label" || name == "annotation") return label_text(setting, own);
  if (name == "mount") return mount_text(value, file);
  if (name == "template") return template_text(value, own.templates);
  if (name == "templates") return templates_text(value, file, own.templates);
  if (name == "secret") return secret_text(value);
  if (name == "env-from" || name == "pull-secret") return "uses the secret " + value;
  if (name == "service-account") return "uses the service account " + value;
  if (name == "context") return value == own.context ? "" : "selects the context " + value;
  if (name == "namespace") return value == own.namespace_name ? "" : "selects the namespace " + value;
  if (name == "code")
    return is_inside(value, file.path.parent_path())
               ? ""
               : "sends a folder outside the folder of " + file.shown + ": " + value;
  if (name == "requirements" || name == "conda")
    return is_inside(value, file.path.parent_path())
               ? ""
               : "reads a file outside the folder of " + file.shown + ": " + value;
  if (name == "data") return "fetches data that you have not chosen: " + value;
  if (name == "env-store")
    return value.starts_with("host/") ? "keeps packages in a folder on the host: " + value : "";
  if (name == "param")
    return "sets the parameter " + value.substr(0, value.find('=')) + " of a template that you wrote";
  return "sets " + name;
}

}  // namespace

std::vector<Problem> untrusted_settings(const ProjectFile& file, std::span<const Setting> settings,
                                        const UsersOwn& own) {
  std::vector<Problem> problems;
  const bool may_set_parameters = !may_use_written(settings, own);
  for (const Setting& setting : of_project_file(settings))
    if (setting.name == "param" && may_set_parameters) {
      continue;
    } else if (std::string text = text_of(setting, file, own); !text.empty()) {
      problems.push_back(setting.origin.problem(std::move(text)));
      problems.back().path = key_of(setting);
    }
  return problems;
}

std::vector<std::string> project_keys(std::span<const Setting> settings) {
  std::vector<std::string> keys;
  for (const Setting& setting : of_project_file(settings))
    if (std::string key = key_of(setting); std::find(keys.begin(), keys.end(), key) == keys.end())
      keys.push_back(std::move(key));
  return keys;
}

namespace {

constexpr std::string_view kRevoked = "-";
constexpr std::string_view kBetween = "  ";
constexpr size_t kLargestTemplate = size_t{1} << 20;

/// A canonical path of the file: the same whichever links lead to its folder. The file itself may no longer
/// exist.
std::string recorded_path(const fs::path& file) {
  const fs::path whole = fs::absolute(file).lexically_normal();
  return (fs::weakly_canonical(whole.parent_path()) / whole.filename()).string();
}

/// The template's file. If its name has a placeholder, the folder that contains the template for every value.
fs::path fixed_part(const std::string& name) {
  const size_t placeholder = name.find("${");
  return placeholder == std::string::npos ? fs::path(name)
                                          : fs::path(name.substr(0, placeholder)).parent_path();
}

/// Adds the path and the content of a file, or of the templates in a folder.
void add_content(const fs::path& path, std::string& content) {
  std::error_code unreadable;
  if (fs::is_directory(path, unreadable)) {
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path, unreadable))
      if (spec::is_template_file(entry.path().filename().string())) files.insert(entry.path());
    for (const fs::path& file : files) add_content(file, content);
  } else if (fs::is_regular_file(path, unreadable)) {
    content += "\n" + path.string() + " ";
    try {
      content += sha256_hex(read_file(path, kLargestTemplate));
    } catch (const Error&) {  // kml cannot use such a file; once it can, the digest changes, too
    }
  }
}

/// Adds the templates to which `template` and `templates` refer, anywhere in the document.
void add_templates(const yaml::Node& node, const fs::path& folder, std::string& content) {
  for (const yaml::Node& item : node.items) add_templates(item, folder, content);
  for (const yaml::Node::Entry& entry : node.entries) {
    add_templates(entry.value, folder, content);
    if (entry.key.text != "template" && entry.key.text != "templates") continue;
    if (entry.value.kind == yaml::Kind::scalar) add_content(folder / fixed_part(entry.value.text), content);
    for (const yaml::Node& item : entry.value.items)
      if (item.kind == yaml::Kind::scalar) add_content(folder / fixed_part(item.text), content);
  }
}

/// A digest of everything that the user trusts: the file's text, and the templates that it uses.
std::string digest_of(const fs::path& file, std::string_view text) {
  std::string content(text);
  try {
    for (const yaml::Node& document : yaml::parse(text, file.string()))
      add_templates(document, fs::absolute(file).lexically_normal().parent_path(), content);
  } catch (const Error&) {  // an invalid file refers to nothing that kml could read
  }
  return sha256_hex(content);
}

void append_record(const fs::path& records, std::string_view sum, const std::string& path) {
  make_private_folder(records.parent_path());
  append_durably(records, std::string(sum) + std::string(kBetween) + path + "\n");
}

}  // namespace

std::map<std::string, std::string> TrustRecords::digests() const {
  std::map<std::string, std::string> sums;
  const std::optional<std::string> text = read_file_if_exists(records_);
  if (text && text->empty()) note_damage(records_);
  std::istringstream lines(text.value_or(""));
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const size_t between = std::min(line.find(kBetween), line.size());
    const std::string path = line.substr(std::min(between + kBetween.size(), line.size()));
    if (lines.eof() || !path.starts_with('/') ||
        (line.compare(0, between, kRevoked) != 0 && !is_sha256_hex(line.substr(0, between)))) {
      note_damage(records_, number);
      continue;
    }
    if (line.compare(0, between, kRevoked) == 0)
      sums.erase(path);
    else
      sums[path] = line.substr(0, between);
  }
  return sums;
}

std::vector<std::string> TrustRecords::files() const {
  std::vector<std::string> files;
  for (const auto& [file, digest] : digests()) files.push_back(file);
  return files;
}

TrustRecords::State TrustRecords::state_of(const fs::path& file, std::string_view text) const {
  const auto sums = digests();
  const auto found = sums.find(recorded_path(file));
  if (found == sums.end()) return State::unknown;
  return found->second == digest_of(file, text) ? State::trusted : State::changed;
}

void TrustRecords::trust(const fs::path& file, std::string_view text) {
  const std::string path = recorded_path(file);
  if (path.find('\n') != std::string::npos)
    throw usage_error("cannot trust " + path, "its path has a line break", "rename the folder");
  append_record(records_, digest_of(file, text), path);
}

void TrustRecords::revoke(const fs::path& file) {
  const std::string path = recorded_path(file);
  if (!digests().contains(path)) throw usage_error(path + " is not trusted", "", "see kml trust --list");
  append_record(records_, kRevoked, path);
}

TrustRecords trust_records() {
  return TrustRecords(state_folder() / "trusted");
}

}  // namespace kml::spec
