#include "job/submit/gangs.h"

#include <fmt/format.h>

#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

const api::ResourceKind& pod_group_kind() {
  return api::known_kind("scheduling.k8s.io/v1beta1", "PodGroup");
}

bool wants_gang(const Json& object) {
  return is_plain_job(object) && api::annotation_of(object, api::kGang) == "true" &&
         api::label_of(object, api::kKueueQueue).empty() && api::parallelism_of(object, 1) > 1;
}

/// Removes the PodGroup of an earlier submit, whose job is submitted again.
void forget_group(Json& job) {
  if (api::annotation_of(job, api::kPodGroup).empty()) return;
  job["metadata"]["annotations"].erase(std::string(api::kPodGroup));
  each_pod_template(job, [](Json& pod, int) { pod["spec"].erase("schedulingGroup"); });
}

/// All pods have the group's priority, which the scheduler demands.
Json group_for(const Json& job, const SubmitPlan& plan) {
  Json group = {{"metadata",
                 {{"name", api::name_of(job) + "-" + plan.submit_id},
                  {"namespace", api::namespace_of(job)},
                  {"labels",
                   {{api::kManagedBy, "kml"},
                    {api::kSubmitId, plan.submit_id},
                    {api::kUser, api::label_of(job, api::kUser)}}}}},
                {"spec",
                 {{"schedulingPolicy", {{"gang", {{"minCount", api::parallelism_of(job, 1)}}}}},
                  {"disruptionMode", {{"all", Json::object()}}}}}};
  api::set_kind(group, pod_group_kind());
  each_pod_template(job, [&](const Json& pod, int) {
    if (std::string name = api::priority_class_in(api::spec_of(pod)); !name.empty())
      group["spec"]["priorityClassName"] = std::move(name);
  });
  return group;
}

/// Why the cluster makes no gangs; empty if it does.
std::string refusal_of_groups(kube::Client& client, const Json& group) {
  const std::string namespace_name = api::namespace_of(group);
  if (client.absent_kinds().has(pod_group_kind(), namespace_name)) return "known";
  try {
    client.create(pod_group_kind(), namespace_name, group, true);
    return {};
  } catch (const Error& error) {
    const bool is_absent =
        error.http_status == 404 && contains(error.why, "could not find the requested resource");
    if (is_absent || error.http_status == 403)
      client.absent_kinds().add(pod_group_kind(), namespace_name, error.http_status);
    if (is_absent) return "the cluster does not serve PodGroups of scheduling.k8s.io/v1beta1";
    if (error.http_status == 403) return "you may not create PodGroups in namespace " + namespace_name;
    if (error.http_status == 0 || error.http_status >= 500) throw;
    return error.why;
  }
}

}  // namespace

void use_gangs(kube::Client& client, SubmitPlan& plan, bool is_local) {
  std::optional<std::string> refusal;
  for (Json& object : plan.objects) {
    forget_group(object);
    if (is_local || !wants_gang(object)) continue;
    bool has_own_group = false;
    each_pod_template(object, [&](const Json& pod, int) { has_own_group = !api::pod_group_of(pod).empty(); });
    if (has_own_group || find(object, {"spec", "scheduling"})) continue;
    Json group = group_for(object, plan);
    if (!refusal) {
      refusal = refusal_of_groups(client, group);
      if (!refusal->empty() && *refusal != "known")
        plan.notes.push_back(fmt::format("the pods start one by one, as nodes have room: {}", *refusal));
    }
    if (!refusal->empty()) return;
    const std::string name = api::name_of(group);
    each_pod_template(object, [&](Json& pod, int) {
      pod["spec"]["schedulingGroup"] = {{"podGroupName", name}};
    });
    api::set_annotation(object, api::kPodGroup, name);
    plan.belongings.push_back({.object = std::move(group)});
  }
}

}  // namespace kml::job
