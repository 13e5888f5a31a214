#include "kube/kubeconfig/kubeconfig_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/kube/objects/field_types.h"
#include "kml/kube/objects/object.h"
#include "kube/kubeconfig/credentials.h"

namespace kml::kube {

namespace {

std::string own_namespace(const std::filesystem::path& folder) {
  if (std::string name = environment("POD_NAMESPACE"); !name.empty()) return name;
  const std::string name(trim(read_file_if_exists(folder / "namespace").value_or("")));
  return name.empty() ? "default" : name;
}

}  // namespace

std::optional<Target> in_cluster_target(const KubeconfigOptions& options) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST"),
                    port = environment("KUBERNETES_SERVICE_PORT");
  const std::filesystem::path& folder = options.service_account_folder;
  if (host.empty() || port.empty() || !std::filesystem::exists(folder / "token")) return {};
  Target target;
  target.context = "in-cluster";
  target.user = "service account";
  target.namespace_name = options.namespace_name.empty() ? own_namespace(folder) : options.namespace_name;
  target.endpoint.url =
      "https://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
  if (std::filesystem::exists(folder / "ca.crt")) {
    target.endpoint.authorities = renewed_pem(folder / "ca.crt");
    target.endpoint.ca_pem = target.endpoint.authorities();
  }
  apply_token_file(folder / "token", target.endpoint);
  return target;
}

namespace fs = std::filesystem;

namespace {

/// Most kubeconfigs are small; one with many clusters has a few hundred KiB.
constexpr size_t kLargestKubeconfig = size_t{16} << 20;

/// The faults in a kubeconfig. A value of the wrong type must not be ignored, because kml might then act with
/// the rights of another user or of no user. Like client-go, kml also rejects files of other kinds, and a
/// name that occurs twice.
std::vector<api::FieldFault> faults_of(const Json& config) {
  std::vector<api::FieldFault> faults = api::type_faults("Kubeconfig", config);
  if (!faults.empty()) return faults;
  for (const auto& [field, wanted] : {std::pair("apiVersion", "v1"), {"kind", "Config"}})
    if (const std::string found = string_at(config, {field}); !found.empty() && found != wanted)
      faults.push_back({{field}, field, fmt::format("this must be {} in a kubeconfig", wanted), false});
  for (const char* list : {"clusters", "users", "contexts"}) {
    std::set<std::string> names;
    const Json& entries = array_at(config, {list});
    for (size_t i = 0; i < entries.size(); ++i)
      if (!names.insert(api::entry_name(entries[i])).second)
        faults.push_back({{list, std::to_string(i), "name"},
                          fmt::format("{}[{}].name", list, i),
                          "an earlier entry has this name; rename or remove one of them",
                          false});
  }
  return faults;
}

Json read_one(const fs::path& file) {
  try {
    const yaml::Node text = yaml::parse_one(read_file(file, kLargestKubeconfig), file.string());
    Json config = yaml::to_json(text, file.string());
    if (config.is_null()) return config;
    Error error = usage_error("cannot read kubeconfig " + file.string());
    for (const api::FieldFault& fault : faults_of(config))
      error.problems.push_back(problem_of(fault, text, file));
    if (!error.problems.empty()) throw std::move(error);
    return config;
  } catch (Error& error) {
    error.code = ErrorCode::usage;
    if (error.fix.empty())
      error.fix = "correct the file, or name another file with --kubeconfig or KUBECONFIG";
    throw;
  }
}

/// Adds the entries in a list such as `clusters`. If a name exists already, keeps the existing entry: the
/// first file wins.
void merge(Stanzas& into, const Json& config, const char* list, const char* key, const fs::path& file) {
  for (const Json& entry : array_at(config, {list}))
    into.try_emplace(api::entry_name(entry), Stanza{object_at(entry, {key}), file});
}

}  // namespace

fs::path resolved(const Stanza& stanza, const std::string& path) {
  return fs::absolute(stanza.file).parent_path() / path;
}

Problem problem_of(const api::FieldFault& fault, const yaml::Node& text, const fs::path& file) {
  const yaml::Mark mark = yaml::mark_at(text, fault.steps, fault.is_key);
  return {file.string(), mark.line, mark.column, fault.path, fault.text};
}

Error stanza_error(const Stanza& stanza, const std::string& owner, std::string why, std::string fix) {
  return usage_error("cannot use " + owner + " of kubeconfig " + stanza.file.string(), std::move(why),
                     std::move(fix));
}

bool names_kubeconfig(const KubeconfigOptions& options) {
  return !options.kubeconfig.empty() || !environment("KUBECONFIG").empty();
}

std::vector<fs::path> kubeconfig_files(const KubeconfigOptions& options) {
  std::vector<std::string> candidates;
  const std::string variable = environment("KUBECONFIG"), home = environment("HOME");
  if (!options.kubeconfig.empty())
    candidates = {options.kubeconfig};
  else if (!variable.empty())
    candidates = split(variable, ':');
  else if (!home.empty())
    candidates = {home + "/.kube/config"};

  std::vector<fs::path> files;
  for (const std::string& candidate : candidates) {
    // if set, the file is treated as existing, and reading it will report the error
    std::error_code unreadable;
    if (candidate.empty() || std::find(files.begin(), files.end(), candidate) != files.end()) continue;
    if (fs::exists(candidate, unreadable) || unreadable) files.emplace_back(candidate);
  }
  if (files.empty() && !options.kubeconfig.empty())
    throw usage_error("cannot read kubeconfig " + options.kubeconfig, "the file does not exist",
                      "correct --kubeconfig");
  if (files.empty() && !variable.empty())
    throw usage_error("cannot read any kubeconfig", "none of the files in KUBECONFIG exists: " + variable,
                      "correct KUBECONFIG, or unset it to use ~/.kube/config or this machine");
  return files;
}

Kubeconfig read_kubeconfig(const std::vector<fs::path>& files) {
  Kubeconfig merged;
  for (const fs::path& file : files) {
    const Json config = read_one(file);
    merge(merged.clusters, config, "clusters", "cluster", file);
    merge(merged.users, config, "users", "user", file);
    merge(merged.contexts, config, "contexts", "context", file);
    if (merged.current_context.empty()) merged.current_context = string_at(config, {"current-context"});
  }
  return merged;
}

}  // namespace kml::kube
