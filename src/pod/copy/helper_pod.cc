#include "kml/pod/copy/helper_pod.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kml/base/error.h"
#include "kml/job/submit/marks.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/claim.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"
#include "pod/streams/container_start.h"

namespace kml::pod {

namespace {

constexpr const char* kHelperContainer = "kml";
constexpr const char* kVolume = "/volume";
/// One day, which should be enough for any copy.
constexpr int kLongestLife = 86400;

const api::ResourceKind& pod_kind() {
  return *api::find_kind("v1", "Pod");
}

Json helper_pod(const std::string& image, Json mounts, Json volumes) {
  Json container = {{"name", kHelperContainer},
                    {"image", image},
                    {"command", {"sh", "-c", "sleep " + std::to_string(kLongestLife)}},
                    {"resources",
                     {{"requests", {{"cpu", "100m"}, {"memory", "64Mi"}}},
                      {"limits", {{"cpu", "2"}, {"memory", "512Mi"}}}}},
                    {"volumeMounts", std::move(mounts)}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", job::drawn_name("kml-cp")}, {"labels", {{std::string(api::kManagedBy), "kml"}}}}},
          {"spec",
           {{"restartPolicy", "Never"},
            {"activeDeadlineSeconds", kLongestLife},
            {"terminationGracePeriodSeconds", 0},
            {"containers", Json::array({std::move(container)})},
            {"volumes", std::move(volumes)}}}};
}

bool is_under(const std::string& path, const std::string& folder) {
  return path == folder || folder == "/" || path.starts_with(folder + "/");
}

/// The container with that name; the first container if the name is empty.
const Json* container_in(const Json& template_, const std::string& name) {
  const Json& containers = api::containers_of(template_);
  if (!name.empty()) return api::find_container(template_, name);
  return containers.empty() ? nullptr : &containers[0];
}

const Json* claim_volume(const Json& template_, const std::string& name) {
  for (const Json& volume : array_at(template_, {"spec", "volumes"}))
    if (api::entry_name(volume) == name) return api::claim_name_of(volume).empty() ? nullptr : &volume;
  return nullptr;
}

/// The mount of a claim that contains the path; nullptr if there is none.
const Json* mount_of(const Json& template_, const Json& container, const std::string& path) {
  const Json* best = nullptr;
  for (const Json& mount : api::mounts_of(container))
    if (is_under(path, api::mount_path_of(mount)) &&
        (!best || api::mount_path_of(*best).size() < api::mount_path_of(mount).size()))
      best = &mount;
  const bool is_usable =
      best && !best->contains("subPathExpr") && claim_volume(template_, string_at(*best, {"name"}));
  return is_usable ? best : nullptr;
}

bool mounts_claim(const Json& pod, const std::string& claim) {
  const Json& volumes = array_at(pod, {"spec", "volumes"});
  return std::any_of(volumes.begin(), volumes.end(),
                     [&](const Json& volume) { return api::claim_name_of(volume) == claim; });
}

/// The claim; null if the user may not read it. Throws Error if the claim does not exist, because a pod would
/// wait for it forever.
Json read_claim(kube::Client& client, const std::string& namespace_name, const std::string& name) {
  try {
    auto claim = client.get_if_exists(*api::find_kind("v1", "PersistentVolumeClaim"), namespace_name, name);
    if (claim) return std::move(*claim);
  } catch (const Error& error) {
    if (error.code != ErrorCode::auth) throw;
    return nullptr;
  }
  throw Error(ErrorCode::failure, "no volume claim \"" + name + "\" in namespace " + namespace_name, "",
              "`kml list claims` lists the volume claims of the namespace");
}

/// If only one node at a time can mount the volume, the pod must run on the same node as a pod that uses the
/// volume.
void follow_claim(kube::Client& client, const std::string& namespace_name, const std::string& name,
                  Json& pod) {
  const Json claim = read_claim(client, namespace_name, name);
  if (!api::is_of_one_node(claim)) return;
  for (const Json& other : client.list(pod_kind(), namespace_name).items)
    if (api::phase_of(other) == "Running" && mounts_claim(other, name)) {
      const Json of_node = {
          {"key", "metadata.name"}, {"operator", "In"}, {"values", Json::array({api::node_of(other)})}};
      pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
         ["nodeSelectorTerms"] = Json::array({{{"matchFields", Json::array({of_node})}}});
      return;
    }
}

}  // namespace

HelperPlan helper_for_claim(const std::string& claim, const std::string& path, const std::string& image,
                            bool is_read_only) {
  Json volumes = Json::array({{{"name", "volume"}, {"persistentVolumeClaim", {{"claimName", claim}}}}});
  Json mounts = Json::array({{{"name", "volume"}, {"mountPath", kVolume}, {"readOnly", is_read_only}}});
  HelperPlan plan{helper_pod(image, std::move(mounts), std::move(volumes)), claim, path.empty() ? "." : path};
  plan.pod["spec"]["containers"][0]["workingDir"] = kVolume;
  return plan;
}

std::optional<HelperPlan> helper_for_job(const Json& job, const std::string& path,
                                         const std::string& container, bool is_read_only) {
  std::optional<HelperPlan> plan;
  job::each_pod_template(job, [&](const Json& template_, int) {
    const Json* of_job = plan ? nullptr : container_in(template_, container);
    if (!of_job) return;
    const std::string place =
        (std::filesystem::path(string_at(*of_job, {"workingDir"})) / path).lexically_normal().string();
    const Json* mount = mount_of(template_, *of_job, place);
    if (!mount) return;
    const Json& volume = *claim_volume(template_, string_at(*mount, {"name"}));
    Json its_mount = *mount;
    if (is_read_only) its_mount["readOnly"] = true;
    plan = {helper_pod(api::image_of(*of_job), Json::array({std::move(its_mount)}), Json::array({volume})),
            api::claim_name_of(volume), place};
    // The pod runs as the same user, so that it can read the same files, and pulls its image in the same way.
    Json& spec = plan->pod["spec"];
    for (const char* field : {"securityContext", "imagePullSecrets", "nodeSelector", "tolerations"})
      if (const Json* value = find(template_, {"spec", field})) spec[field] = *value;
    if (const Json* value = find(*of_job, {"securityContext"}))
      spec["containers"][0]["securityContext"] = *value;
  });
  return plan;
}

HelperPod::HelperPod(kube::Client& client, const std::string& namespace_name, const HelperPlan& plan,
                     Note note)
    : client_(client), note_(std::move(note)) {
  Json pod = plan.pod;
  follow_claim(client_, namespace_name, plan.claim, pod);
  note_("starting pod " + api::name_of(pod) + ", which mounts claim " + plan.claim);
  pod["metadata"]["labels"][std::string(api::kUser)] = api::to_dns_label(job::user_name());
  pod_ = client_.create(pod_kind(), namespace_name, pod);
}

HelperPod::~HelperPod() {
  try {
    client_.remove(pod_kind(), api::namespace_of(pod_), api::name_of(pod_),
                   {.grace_seconds = 0, .uid = api::uid_of(pod_)});
  } catch (const Error& error) {
    if (error.reason != "NotFound")
      note_("cannot remove pod " + api::name_of(pod_) +
            ", which stops within a day: " + message_and_why(error));
  }
}

RunningRank HelperPod::wait(const job::Interrupt& interrupt) {
  RunningRank place{.namespace_name = api::namespace_of(pod_),
                    .pod = api::name_of(pod_),
                    .pod_uid = api::uid_of(pod_),
                    .container = kHelperContainer,
                    .job = api::name_of(pod_)};
  wait_until_container_runs(client_, place, interrupt,
                            "for pvc/CLAIM, --image names another image; it needs `sh`");
  return place;
}

}  // namespace kml::pod
