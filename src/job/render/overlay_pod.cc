#include <fmt/format.h>

#include <algorithm>

#include "job/render/gpu_choice.h"
#include "job/render/overlay.h"
#include "job/spec/values.h"
#include "kml/base/error.h"
#include "kml/job/render/render.h"
#include "kml/job/spec/gpu_types.h"

namespace kml::render {

namespace {

/// Unpacks the parts in the order of the names of their folders.
constexpr const char* kUnpack =
    R"(for program in cat gzip tar; do
  command -v $program >/dev/null || { echo "the image has no $program, which --code needs"; exit 1; }
done
cat /kml/parts/*/code | gzip -dc | tar -xof - -C /kml/code)";

/// A container with the fields that admission checks may require of every container, but without devices.
Json like(const Json& container) {
  Json copy = {{"name", "kml-code"}};
  for (const char* key : {"image", "imagePullPolicy", "securityContext"})
    if (container.contains(key)) copy[key] = container[key];
  for (const char* side : {"requests", "limits"})
    for (const auto& [name, amount] : object_at(container, {"resources", side}).items())
      if (name.find('/') == std::string::npos) copy["resources"][side][name] = amount;
  return copy;
}

}  // namespace

void overlay_code(const spec::SubmitSpec& spec, Json& pod, Json& container) {
  if (spec.code_secrets.empty()) return;
  Json unpack = like(container);
  unpack["command"] = {"sh", "-c", kUnpack};
  // If the image lacks a program, the pod's status then shows the error.
  unpack["terminationMessagePolicy"] = "FallbackToLogsOnError";
  pod["volumes"].push_back({{"name", "kml-code"}, {"emptyDir", Json::object()}});
  unpack["volumeMounts"].push_back({{"name", "kml-code"}, {"mountPath", kCodeFolder}});
  for (size_t i = 0; i < spec.code_secrets.size(); ++i) {
    const std::string name = fmt::format("kml-part-{:02}", i);
    pod["volumes"].push_back({{"name", name}, {"secret", {{"secretName", spec.code_secrets[i]}}}});
    unpack["volumeMounts"].push_back(
        {{"name", name}, {"mountPath", fmt::format("/kml/parts/{:02}", i)}, {"readOnly", true}});
  }
  Json& first = pod["initContainers"];
  if (!first.is_array()) first = Json::array();
  first.insert(first.begin(), std::move(unpack));
  container["volumeMounts"].push_back({{"name", "kml-code"}, {"mountPath", kCodeFolder}});
  if (spec.working_folder.empty()) container["workingDir"] = kCodeFolder;
}

namespace {

constexpr std::string_view kNvidia = "nvidia.com/";
constexpr std::string_view kAnyGpu = "nvidia.com/gpu";

bool is_gpu(std::string_view resource) {
  return resource.starts_with(kNvidia) || resource == "amd.com/gpu" || resource.starts_with("gpu.intel.com/");
}

/// The terms of a node affinity are alternatives, so each of the pod's own terms is combined with each
/// expression.
void require_node(Json& pod, const std::vector<std::vector<Json>>& choices) {
  if (choices.empty()) return;
  Json& terms =
      pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  if (terms.empty()) terms = Json::array({Json::object()});
  Json combined = Json::array();
  for (const Json& term : terms)
    for (const std::vector<Json>& choice : choices)
      for (const Json& expression : choice) {
        combined.push_back(term);
        combined.back()["matchExpressions"].push_back(expression);
      }
  terms = std::move(combined);
}

/// Prefers the nodes of the first alternatives.
void prefer_nodes(Json& pod, const std::vector<std::vector<Json>>& choices) {
  constexpr size_t kHighest = 100;
  for (size_t i = 0; i + 1 < choices.size(); ++i)
    for (const Json& expression : choices[i])
      pod["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"].push_back(
          {{"weight", kHighest / (i + 1)},
           {"preference", {{"matchExpressions", Json::array({expression})}}}});
}

void tolerate(Json& pod, Json toleration) {
  Json& tolerations = pod["tolerations"];
  const bool is_there = std::find(tolerations.begin(), tolerations.end(), toleration) != tolerations.end();
  if (!is_there) tolerations.push_back(std::move(toleration));
}

}  // namespace

void overlay_gpus(const spec::Gpus& gpus, Json& pod, Json& container) {
  const std::string resource = spec::gpu_resource(gpus.type);
  for (const char* side : {"requests", "limits"}) {
    if (Json* own = const_cast<Json*>(find(container, {"resources", side})); own && own->is_object()) {
      std::vector<std::string> replaced;
      for (const auto& [name, amount] : own->items())
        if (is_gpu(name)) replaced.push_back(name);
      for (const std::string& name : replaced) own->erase(name);
    }
    if (gpus.count > 0) container["resources"][side][resource] = gpus.count;
  }
  // For a rerun with other GPUs, the manifest still names the GPUs of the first run.
  if (!gpus.type.empty() || gpus.count == 0) forget_gpu_types(pod);
  if (gpus.count == 0) return;
  const std::vector<std::vector<Json>> choices = node_choices(gpus.type);
  require_node(pod, choices);
  prefer_nodes(pod, choices);
  if (resource.starts_with(kNvidia))
    tolerate(pod, {{"key", kAnyGpu}, {"operator", "Exists"}, {"effect", "NoSchedule"}});
}

namespace {

/// The item in the list that has this `value` for `key`. Adds it if it is missing.
Json& named_item(Json& list, const char* key, const std::string& value) {
  for (Json& item : list)
    if (string_at(item, {key}) == value) return item;
  list.push_back({{key, value}});
  return list.back();
}

void set_command(const std::vector<std::string>& command, Json& container) {
  if (command.empty()) return;
  container.erase("args");
  container["command"] = words_before_command(container);
  for (const std::string& word : command) container["command"].push_back(escape_dollars(word));
}

/// Sets request and limit to the same value. The memory is then guaranteed, and quotas that require limits
/// are satisfied.
void set_resource(const char* name, const std::string& quantity, Json& container) {
  if (quantity.empty()) return;
  for (const char* side : {"requests", "limits"}) container["resources"][side][name] = quantity;
}

void set_env(const spec::SubmitSpec& spec, Json& container) {
  for (const auto& [name, value] : spec.env) {
    Json& variable = named_item(container["env"], "name", name);
    variable.erase("valueFrom");
    variable["value"] = escape_dollars(value);
  }
  for (const spec::SecretVariable& secret : spec.secrets) {
    Json& variable = named_item(container["env"], "name", secret.name);
    variable.erase("value");
    variable["valueFrom"] = {{"secretKeyRef", {{"name", spec.secret_object}, {"key", secret.name}}}};
  }
  for (const std::string& secret : spec.env_from)
    container["envFrom"].push_back({{"secretRef", {{"name", secret}}}});
}

/// Whether mounts with the same source share a volume. Each mount that asks for a new volume gets a separate
/// one.
bool is_shared(const spec::Mount& mount) {
  return mount.kind != spec::Mount::Kind::new_claim && mount.kind != spec::Mount::Kind::empty;
}

/// The volume source of a mount. Mounts with the same source share a volume.
Json source_of(const spec::Mount& mount) {
  switch (mount.kind) {
    case spec::Mount::Kind::pvc: return {{"persistentVolumeClaim", {{"claimName", mount.source}}}};
    case spec::Mount::Kind::host:
    case spec::Mount::Kind::here: return {{"hostPath", {{"path", mount.source}}}};
    case spec::Mount::Kind::secret: return {{"secret", {{"secretName", mount.source}}}};
    case spec::Mount::Kind::config_map: return {{"configMap", {{"name", mount.source}}}};
    case spec::Mount::Kind::nfs: return {{"nfs", {{"server", mount.source}, {"path", mount.sub_path}}}};
    case spec::Mount::Kind::image: return {{"image", {{"reference", mount.source}}}};
    case spec::Mount::Kind::empty: return {{"emptyDir", Json::object()}};
    case spec::Mount::Kind::new_claim:
      return {{"ephemeral", {{"volumeClaimTemplate", {{"spec", new_claim_spec(mount, "ReadWriteOnce")}}}}}};
  }
  return {};
}

void mount_at(const std::string& path, Json mount, Json& container) {
  Json& mounts = container["volumeMounts"];
  Json kept = Json::array();
  for (Json& other : mounts)
    if (spec::plain_mount_path(string_at(other, {"mountPath"})) != path) kept.push_back(std::move(other));
  mount["mountPath"] = path;
  kept.push_back(std::move(mount));
  mounts = std::move(kept);
}

void set_mounts(const spec::SubmitSpec& spec, Json& pod, Json& container) {
  for (const spec::Mount& mount : spec.mounts) {
    Json entry = {{"name", volume_for(source_of(mount), "mount", is_shared(mount), pod)}};
    if (!mount.sub_path.empty() && mount.kind != spec::Mount::Kind::nfs) entry["subPath"] = mount.sub_path;
    if (mount.read_only) entry["readOnly"] = true;
    mount_at(mount.path, std::move(entry), container);
  }
  if (spec.shm.empty()) return;
  const Json source = {{"emptyDir", {{"medium", "Memory"}, {"sizeLimit", spec.shm}}}};
  mount_at("/dev/shm", {{"name", volume_for(source, "shm", true, pod)}}, container);
}

void set_scheduling(const spec::SubmitSpec& spec, Json& pod) {
  for (const auto& [key, value] : spec.node_selector) pod["nodeSelector"][key] = value;
  for (const Json& toleration : spec.tolerations) {
    Json& list = pod["tolerations"];
    if (std::find(list.begin(), list.end(), toleration) == list.end()) list.push_back(toleration);
  }
  if (!spec.priority.empty()) {
    pod["priorityClassName"] = spec.priority;
    pod.erase("priority");
  }
  if (spec.grace) pod["terminationGracePeriodSeconds"] = spec.grace->count();
  if (!spec.service_account.empty()) pod["serviceAccountName"] = spec.service_account;
  for (const std::string& secret : spec.pull_secrets) named_item(pod["imagePullSecrets"], "name", secret);
}

}  // namespace

Json new_claim_spec(const spec::Mount& mount, const char* access) {
  Json claim = {{"accessModes", Json::array({access})},
                {"resources", {{"requests", {{"storage", mount.source}}}}}};
  if (!mount.storage_class.empty()) claim["storageClassName"] = mount.storage_class;
  return claim;
}

std::string volume_for(const Json& source, const std::string& base, bool is_shared, Json& pod) {
  Json& volumes = pod["volumes"];
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(volumes.begin(), volumes.end(),
                       [&](const Json& v) { return string_at(v, {"name"}) == name; });
  };
  for (const Json& volume : volumes) {
    Json rest = volume;
    rest.erase("name");
    if (is_shared && rest == source) return string_at(volume, {"name"});
  }
  std::string name = base;
  for (int i = 1; is_taken(name); ++i) name = base + "-" + std::to_string(i);
  Json volume = source;
  volume["name"] = name;
  volumes.push_back(std::move(volume));
  return name;
}

std::string escape_dollars(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    const bool has_twin = text[i] == '$' && ((i > 0 && text[i - 1] == '$') || text[i + 1] == '$');
    if (has_twin) result += '$';
  }
  return result;
}

void overlay_pod(const spec::SubmitSpec& spec, Json& pod_template, bool with_command) {
  const Json& containers = array_at(pod_template, {"spec", "containers"});
  if (containers.empty() || !containers[0].is_object()) throw usage_error("the pod has no container");
  Json& pod = pod_template["spec"];
  Json& container = pod["containers"][0];
  if (with_command) set_command(spec.command, container);
  if (!spec.image.empty()) container["image"] = spec.image;
  if (!spec.working_folder.empty()) container["workingDir"] = spec.working_folder;
  set_resource("cpu", spec.cpu, container);
  set_resource("memory", spec.memory, container);
  if (spec.gpus) overlay_gpus(*spec.gpus, pod, container);
  set_env(spec, container);
  set_mounts(spec, pod, container);
  overlay_code(spec, pod, container);
  overlay_packages(spec, pod, container);
  set_scheduling(spec, pod);
  for (const auto& [key, value] : spec.labels) pod_template["metadata"]["labels"][key] = value;
}

namespace {

/// Whether the command or a flag of the command line changes a container.
bool changes_container(const spec::SubmitSpec& spec) {
  constexpr const char* kFlags[] = {"image", "gpus", "cpu",    "memory",   "env",
                                    "mount", "data", "secret", "env-from", "shm",
                                    "code",  "uv",   "conda",  "chdir",    "requirements"};
  return !spec.command.empty() || std::any_of(std::begin(kFlags), std::end(kFlags),
                                              [&](const char* flag) { return spec.given.contains(flag); });
}

}  // namespace

void overlay_spec_of_pod(const spec::SubmitSpec& spec, Json& pod, bool with_command) {
  if (pod.is_object() && array_at(pod, {"containers"}).empty() && !changes_container(spec))
    return set_scheduling(spec, pod);
  Json as_template = {{"spec", pod}};
  overlay_pod(spec, as_template, with_command);
  pod = std::move(as_template["spec"]);
}

}  // namespace kml::render
