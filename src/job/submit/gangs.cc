#include "job/submit/gangs.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "kml/base/text.h"
#include "kml/job/submit/belongings.h"
#include "kml/job/submit/missing_kind.h"
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

/// All pods have the group's priority, which the scheduler demands.
Json group_of(const Json& job, const std::string& submit_id) {
  Json group = {{"metadata",
                 {{"name", api::name_of(job) + "-" + submit_id},
                  {"namespace", api::namespace_of(job)},
                  {"labels",
                   {{api::kManagedBy, "kml"},
                    {api::kSubmitId, submit_id},
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

/// Why the cluster does not schedule gangs; empty if it does.
std::string refusal_of_groups(kube::Client& client, const Json& group) {
  const std::string namespace_name = api::namespace_of(group);
  if (client.absent_kinds().has(pod_group_kind(), namespace_name)) return "known";
  try {
    client.create(pod_group_kind(), namespace_name, group, true);
    return {};
  } catch (const Error& error) {
    const bool is_absent = is_about_path(error);
    if (is_absent || error.http_status == 403)
      client.absent_kinds().add(pod_group_kind(), namespace_name, error.http_status);
    if (is_absent) return "the cluster does not serve PodGroups of scheduling.k8s.io/v1beta1";
    if (error.http_status == 403) return "you may not create PodGroups in namespace " + namespace_name;
    if (error.http_status == 0 || error.http_status >= 500) throw;
    return error.why;
  }
}

/// Whether the job already says how its pods are scheduled together.
bool has_group(const Json& job) {
  bool has_own = find(job, {"spec", "scheduling"}) != nullptr;
  each_pod_template(job, [&](const Json& pod, int) { has_own = has_own || !api::pod_group_of(pod).empty(); });
  return has_own;
}

}  // namespace

std::optional<Json> Gangs::group_for(Json& job) {
  if (are_served_ == false || !may_get_group(job)) return {};
  Json group = group_of(job, submit_id_);
  if (!are_served_) {
    const std::string refusal = refusal_of_groups(client_, group);
    are_served_ = refusal.empty();
    if (refusal != "known") told_ = refusal;
    if (!refusal.empty()) return {};
  }
  const std::string name = api::name_of(group);
  each_pod_template(job, [&](Json& pod, int) { pod["spec"]["schedulingGroup"] = {{"podGroupName", name}}; });
  api::set_annotation(job, api::kPodGroup, name);
  return group;
}

void Gangs::create_group(const Json& group) try {
  client_.create(pod_group_kind(), api::namespace_of(group), group);
} catch (const Error& error) {
  if (error.reason != "AlreadyExists") throw;
}

void Gangs::remove_group(const Json& job) noexcept try {
  const std::string name = api::annotation_of(job, api::kPodGroup);
  if (!name.empty()) client_.remove(pod_group_kind(), api::namespace_of(job), name);
} catch (const std::exception&) {
}

void Gangs::hand_over(const Json& job) {
  const std::string name = api::annotation_of(job, api::kPodGroup);
  if (name.empty()) return;
  try {
    add_owners(client_, pod_group_kind(), api::namespace_of(job), name,
               Json::array({api::owner_reference(job)}));
  } catch (const Error& error) {
    if (error.reason != "NotFound") throw;  // another client has deleted the PodGroup
  }
}

namespace {

void add_refusal(const Gangs& gangs, std::vector<std::string>& notes) {
  if (!gangs.refusal().empty())
    notes.push_back(fmt::format("the pods start one by one, as nodes have room: {}", gangs.refusal()));
}

}  // namespace

bool needs_pod_groups(kube::Client& client, const std::vector<Json>& jobs, const std::string& namespace_name,
                      std::vector<std::string>& notes) {
  Gangs gangs(client, random_hex(8));
  for (Json job : jobs) {
    job["metadata"].update({{"name", "gang"}, {"namespace", namespace_name}});
    if (gangs.group_for(job)) return true;
  }
  add_refusal(gangs, notes);
  return false;
}

bool may_get_group(const Json& job) {
  return wants_gang(job) && !has_group(job);
}

void forget_groups(std::vector<Json>& objects) {
  std::set<std::pair<std::string, std::string>> forgotten;  // namespaces and names of PodGroups
  for (Json& object : objects) {
    const std::string group = api::annotation_of(object, api::kPodGroup);
    if (group.empty()) continue;
    object["metadata"]["annotations"].erase(std::string(api::kPodGroup));
    each_pod_template(object, [](Json& pod, int) { pod["spec"].erase("schedulingGroup"); });
    forgotten.emplace(api::namespace_of(object), group);
  }
  std::erase_if(objects, [&](const Json& object) {
    return api::kind_name(object) == "PodGroup" &&
           api::api_version_of(object).starts_with("scheduling.k8s.io/") &&
           api::label_of(object, api::kManagedBy) == "kml" &&
           forgotten.contains({api::namespace_of(object), api::name_of(object)});
  });
}

void use_gangs(kube::Client& client, SubmitPlan& plan, bool is_local) {
  if (is_local) return;
  Gangs gangs(client, plan.submit_id);
  for (Json& object : plan.objects)
    if (std::optional<Json> group = gangs.group_for(object))
      plan.belongings.push_back({.object = std::move(*group)});
  add_refusal(gangs, plan.notes);
}

}  // namespace kml::job
