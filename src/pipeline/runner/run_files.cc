#include "pipeline/runner/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/base/agent.h"
#include "kml/base/archive.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/base/json_fields.h"
#include "kml/base/tar.h"
#include "kml/base/text.h"
#include "kml/job/spec/config.h"
#include "kml/job/submit/code.h"
#include "kml/pipeline/store/shared_store.h"
#include "pipeline/runner/input_secrets.h"
#include "pipeline/trees/unpack.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostPackedFiles = 16 * kMostOfSecret;
constexpr uintmax_t kMostOfFiles = uintmax_t{512} << 20;
/// The top folder in the archive, which contains all files.
constexpr const char* kTop = "files";

Error too_many_files(const std::string& why) {
  return usage_error("the pipeline's files are too large for --in-cluster", why,
                     "use smaller code folders in its steps, or let git ignore unneeded files; with --store "
                     "pvc/NAME, input files are copied to that volume");
}

/// Packs the files to send, each only once.
class Packer {
 public:
  void add_code(const fs::path& folder) {
    for (const job::CodeFile& file : job::code_files(folder))
      add(folder / file.name, file.is_executable, file.is_link);
  }
  /// Adds a file, or a folder with its contents.
  void add_tree(const fs::path& path) {
    if (!fs::is_directory(path)) return add_one(path);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path))
      if (entry.is_symlink() || entry.is_regular_file())
        add_one(entry.path());
      else if (entry.is_directory() && fs::is_empty(entry.path()))
        add_folder(entry.path());
  }
  void add_folder(const fs::path& path) { archive_.add_folder(name_of_path(path)); }

  std::string finish() {
    std::string bytes = archive_.finish();
    if (bytes.size() > kMostPackedFiles)
      throw too_many_files("compressed, they have " + size_text(bytes.size()) + ", and " +
                           size_text(kMostPackedFiles) + " is the limit");
    return bytes;
  }

 private:
  static std::string name_of_path(const fs::path& path) {
    return (kTop / path.lexically_normal().relative_path()).string();
  }
  void add_one(const fs::path& path) {
    const auto rights = fs::symlink_status(path).permissions();
    add(path, (rights & fs::perms::owner_exec) != fs::perms::none, fs::is_symlink(path));
  }
  void add(const fs::path& path, bool is_executable, bool is_link) {
    const std::string name = name_of_path(path);
    if (!names_.insert(name).second) return;
    if (is_link) return archive_.add_link(name, fs::read_symlink(path).string());
    std::error_code error;
    size_ += fs::file_size(path, error);
    if (size_ > kMostOfFiles) throw too_many_files("they have more than " + size_text(kMostOfFiles));
    archive_.add_file(name, read_file(path, kMostOfFiles), is_executable);
  }

  Archive archive_;
  std::set<std::string> names_;
  uintmax_t size_ = 0;
};

void require_relative(const std::string& what, const std::string& path) {
  if (!path.starts_with('/')) return;
  throw not_together(what + " " + path, "--in-cluster",
                     "it is an absolute path; files are copied by their path relative to the pipeline's file",
                     "use a path relative to the pipeline's file");
}

/// Adds the variable for `secret: NAME` or `env: NAME`, whose value comes from the environment.
void add_variable(const spec::Setting& setting, std::map<std::string, std::string>& variables) {
  const size_t equals = setting.value.find('=');
  const std::string name = setting.value.substr(0, equals);
  if (equals == std::string::npos) {
    const char* value = variable_for_job(name);
    variables[name] = value ? value : "";
  } else if (setting.name == "secret")
    throw not_together(
        "--secret " + name + " from a file or standard input", "--in-cluster",
        "only this machine has the secret",
        "export " + name + ", and write --secret " + name + "; or use an existing Secret: env-from");
}

void add_template(const std::string& name, const fs::path& folder, Packer& packer) {
  if (!spec::is_template_file(name)) return;
  require_relative("template", name);
  packer.add_tree(folder / name);
}

/// Adds what the setting needs from this machine. Relative paths are relative to `folder`.
void add_setting(const spec::Setting& setting, const fs::path& folder, Packer& packer,
                 std::map<std::string, std::string>& variables) {
  if (setting.name == "code") {
    require_relative("code", setting.value);
    packer.add_code((folder / setting.value).lexically_normal());
  } else if (setting.name == "template") {
    add_template(setting.value, folder, packer);
  } else if (setting.name == "secret" || setting.name == "env") {
    add_variable(setting, variables);
  }
}

constexpr std::tuple kSettingFields = {JsonField{"name", &spec::Setting::name},
                                       JsonField{"value", &spec::Setting::value}};
constexpr std::tuple kOriginFields = {JsonField{"origin", &spec::Origin::name},
                                      JsonField{"line", &spec::Origin::line},
                                      JsonField{"column", &spec::Origin::column}};

}  // namespace

Json to_json(const StepDefaults& defaults) {
  Json settings = Json::array(), folders = Json::array();
  for (const spec::Setting& setting : defaults.settings) {
    Json one = fields_to_json(setting, kSettingFields);
    one.update(fields_to_json(setting.origin, kOriginFields));
    one["source"] = static_cast<int>(setting.origin.source);
    settings.push_back(std::move(one));
  }
  for (const fs::path& folder : defaults.template_folders) folders.push_back(folder.string());
  return {{"settings", std::move(settings)}, {"templates", std::move(folders)}};
}

StepDefaults step_defaults_from_json(const Json& json) {
  StepDefaults defaults{.are_copied = true};
  for (const Json& one : array_at(json, {"settings"})) {
    spec::Setting& setting = defaults.settings.emplace_back();
    read_fields(one, setting, kSettingFields);
    read_fields(one, setting.origin, kOriginFields);
    setting.origin.source = static_cast<spec::Source>(int_at(one, {"source"}));
  }
  for (const Json& folder : array_at(json, {"templates"}))
    defaults.template_folders.emplace_back(folder.get<std::string>());
  return defaults;
}

RunFiles pack_run_files(const Pipeline& pipeline, const StepDefaults& defaults,
                        const std::vector<spec::Setting>& settings, const Json& outside) {
  RunFiles files;
  Packer packer;
  packer.add_folder(fs::current_path());  // the engine uses both folders, so they must exist
  packer.add_folder(pipeline.folder);
  for (const spec::Setting& setting : settings)
    add_setting(setting, pipeline.folder, packer, files.variables);
  for (const spec::Setting& setting : defaults.settings)
    if (setting.name == "template" && spec::is_template_file(setting.value))
      packer.add_tree(fs::absolute(setting.value));
    else
      add_setting(setting, fs::current_path(), packer, files.variables);
  for (const Step& step : pipeline.steps)
    for (const Input& input : step.inputs)
      if (!input.path.empty() && !outside.contains(input.text())) {
        require_relative("input", input.path);
        packer.add_tree(pipeline.folder / input.path);
      }
  for (const Json& input : outside)
    if (input.contains("path") && !is_on_volume(input)) packer.add_tree(string_at(input, {"path"}));
  for (const fs::path& folder : defaults.template_folders)
    if (fs::is_directory(folder)) packer.add_tree(folder);
  files.parts = secret_parts(packer.finish());
  return files;
}

fs::path place_below(const fs::path& root, const fs::path& file) {
  return root / file.lexically_normal().relative_path();
}

void unpack_run_files(const fs::path& from, const fs::path& root) {
  std::vector<fs::path> parts;
  for (const fs::directory_entry& entry : fs::directory_iterator(from))
    if (entry.path().filename().string().starts_with("part-")) parts.push_back(entry.path());
  std::sort(parts.begin(), parts.end());
  std::string packed;
  for (const fs::path& part : parts) packed += read_file(part, 2 * kMostOfSecret);
  const std::string archive = gunzipped(packed, 2 * kMostOfFiles);
  TarReader reader(archive);
  std::vector<TarEntry> entries;
  for (TarEntry entry; reader.next(entry);) entries.push_back(entry);
  if (reader.is_damaged())
    throw Error(ErrorCode::failure, "the run's files are damaged", from.string(),
                "delete the run, and start it again");
  // any links are allowed, because these are the user's own files
  unpack(entries, kTop, root, Links::anywhere);
}

std::vector<Json> file_secrets(const RunFiles& files, const std::string& run,
                               engine::EngineProgram& program) {
  std::vector<Json> secrets;
  const auto add = [&](const std::string& name, Json data) {
    secrets.push_back({{"apiVersion", "v1"},
                       {"kind", "Secret"},
                       {"metadata", {{"name", name}}},
                       {"type", "Opaque"},
                       {"data", std::move(data)}});
  };
  const std::string name = "kml-engine-" + run;
  for (size_t i = 0; i < files.parts.size(); ++i) {
    program.files.push_back(fmt::format("{}-{}", name, i));
    add(program.files.back(), {{fmt::format("part-{:03}", i), base64_encoded(files.parts[i])}});
  }
  if (files.variables.empty()) return secrets;
  Json data = Json::object();
  for (const auto& [variable, value] : files.variables) data[variable] = base64_encoded(value);
  program.variables.push_back(name);
  add(name, std::move(data));
  return secrets;
}

engine::EngineProgram run_engine_program(const engine::EngineMarks& marks,
                                         const std::vector<std::string>& kinds) {
  engine::EngineProgram program{{"kml", "run", "engine", marks.name}, engine::engine_rules(marks, kinds)};
  // Inputs are sent to pods as Secrets, and a claim in --store must exist.
  program.rules.push_back(engine::rule("", "secrets", {"create", "get", "patch"}));
  program.rules.push_back(engine::rule("", "persistentvolumeclaims", {"get"}));
  const auto has = [&](const char* kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  if (has("/persistentvolumeclaims"))  // needed for createPvc and deletePvc
    program.rules.push_back(engine::rule("", "persistentvolumeclaims", {"delete"}));
  if (has("apps/deployments")) {  // needed for kml serve
    program.rules.push_back(engine::rule("apps", "deployments", {"update"}));
    program.rules.push_back(engine::rule("apps", "replicasets", {"list", "watch", "patch"}));
    program.rules.push_back(engine::rule("", "events", {"list"}));
    program.rules.push_back(engine::rule("", "services/proxy", {"create"}));
  }
  return program;
}

std::vector<std::string> kinds_of(const std::vector<Json>& objects) {
  std::set<std::string> kinds;
  for (const Json& object : objects)
    if (const api::ResourceKind* kind = api::kind_of(object))
      kinds.insert(std::string(kind->group) + "/" + std::string(kind->plural));
  return {kinds.begin(), kinds.end()};
}

}  // namespace kml::pipeline
