#include "job/control/single_start.h"

#include <string>
#include <utility>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

const api::ResourceKind& guarded_kind() {
  return *api::find_kind("batch/v1", "CronJob");
}

const api::ResourceKind& guard_kind() {
  return *api::find_kind("batch/v1", "Job");
}

/// A Job that finishes at once, because it needs no completions (kubernetes/pkg/controller/job, syncJob). It
/// has the same pod template as the scheduled job, so that no policy rejects it.
Json guard_of(const Json& cron_job, Time start) {
  constexpr std::chrono::hours kKept = 180 * std::chrono::hours(24);
  const auto ttl = std::chrono::ceil<std::chrono::seconds>(start - system_clock().now() + kKept);
  Json labels = {{api::kManagedBy, "kml"}, {api::kStartGuard, api::name_of(cron_job)}};
  for (const std::string_view label : {api::kSubmitId, api::kUser})
    if (const std::string value = api::label_of(cron_job, label); !value.empty())
      labels[std::string(label)] = value;
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", api::name_of(cron_job) + "-once-" + random_suffix()},
            {"namespace", api::namespace_of(cron_job)},
            {"labels", std::move(labels)}}},
          {"spec",
           {{"completions", 0},
            {"ttlSecondsAfterFinished", ttl.count()},
            {"template", object_at(api::job_template_of(cron_job), {"spec", "template"})}}}};
}

}  // namespace

Json allow_single_start(kube::Client& client, const Json& cron_job) {
  const std::string namespace_name = api::namespace_of(cron_job), name = api::name_of(cron_job);
  const Time start = api::single_start_of(cron_job).value();
  if (const auto created = api::created_at(cron_job); created && *created >= start) {
    client.remove(guarded_kind(), namespace_name, name, {.uid = api::uid_of(cron_job)});
    throw Error(ErrorCode::failure, "the time of --at passed before schedule \"" + name + "\" was created",
                "the server created it at " + rfc3339(*created), "choose a later time, as in --at +2m");
  }
  const Json guard = client.create(guard_kind(), namespace_name, guard_of(cron_job, start));
  return client.patch(guarded_kind(), namespace_name, name, kube::PatchType::merge,
                      {{"metadata", {{"ownerReferences", Json::array({api::owner_reference(guard)})}}},
                       {"spec", {{"suspend", false}}}});
}

void remove_start_guards(kube::Client& client, const Json& cron_job, const std::vector<Json>& jobs) {
  for (const Json& job : jobs)
    if (api::label_of(job, api::kStartGuard) == api::name_of(cron_job) &&
        api::namespace_of(job) == api::namespace_of(cron_job))
      client.remove(guard_kind(), api::namespace_of(job), api::name_of(job), {.uid = api::uid_of(job)});
}

}  // namespace kml::job
