#include "kml/job/control/schedule.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "job/control/single_start.h"
#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/base/time_zone.h"
#include "kml/job/records/records.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/cron_schedule.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

const api::ResourceKind& cron_job_kind() {
  static const api::ResourceKind& kind = *api::find_kind("batch/v1", "CronJob");
  return kind;
}

const api::ResourceKind& job_kind() {
  static const api::ResourceKind& kind = *api::find_kind("batch/v1", "Job");
  return kind;
}

bool is_of_schedule(const Json& job, const Json& cron_job) {
  const Json* owner = api::controller_of(job);
  return owner && api::entry_uid(*owner) == api::uid_of(cron_job);
}

std::vector<const Json*> jobs_of_schedule(const Json& cron_job, const std::vector<Json>& jobs) {
  std::vector<const Json*> own;
  for (const Json& job : jobs)
    if (is_of_schedule(job, cron_job)) own.push_back(&job);
  return own;
}

std::optional<Time> next_start(const Json& cron_job, bool is_local, Time now) try {
  const std::string name = api::zone_name_of(cron_job);
  const std::optional<TimeZone> zone = !name.empty() ? TimeZone::find(name)
                                       : is_local    ? std::optional(TimeZone::local())
                                                     : std::nullopt;
  if (!zone || api::is_suspended(cron_job)) return {};
  if (const auto once = api::single_start_of(cron_job))
    return find(cron_job, {"status", "lastScheduleTime"}) ? std::nullopt : once;
  const api::CronSchedule schedule = api::parse_cron(api::schedule_of(cron_job));
  const Time begin = api::last_scheduled(cron_job);
  return api::next_after(schedule, *zone, api::last_start(schedule, *zone, begin, now).value_or(begin));
} catch (const Error&) {  // the schedule contains TZ=, which older clusters accepted
  return {};
}

}  // namespace

ScheduleView view_of_schedule(const Json& cron_job, const std::vector<Json>& jobs, bool is_local, Time now) {
  ScheduleView view{.name = api::name_of(cron_job),
                    .namespace_name = api::namespace_of(cron_job),
                    .cron = api::schedule_of(cron_job),
                    .zone = api::zone_name_of(cron_job),
                    .once = api::single_start_of(cron_job),
                    .is_paused = api::is_suspended(cron_job),
                    .next = next_start(cron_job, is_local, now),
                    .last = api::time_at(cron_job, {"status", "lastScheduleTime"})};
  const std::vector<const Json*> own = jobs_of_schedule(cron_job, jobs);
  const auto newest = std::max_element(own.begin(), own.end(), [](const Json* a, const Json* b) {
    return std::pair(api::creation_text(*a), api::name_of(*a)) <
           std::pair(api::creation_text(*b), api::name_of(*b));
  });
  for (const Json* job : own)
    if (!has_ended(basic_view_of_job(*job).state)) ++view.active;
  if (newest == own.end()) return view;
  view.last = api::created_at(**newest);
  view.last_job = api::name_of(**newest);
  view.result = basic_view_of_job(**newest).state;
  return view;
}

std::vector<ScheduleView> list_schedules(kube::Client& client, std::string_view namespace_name, bool is_local,
                                         Time now) {
  const std::vector<Json> cron_jobs = client.list(cron_job_kind(), namespace_name).items;
  if (cron_jobs.empty()) return {};
  const std::vector<Json> jobs = client.list(job_kind(), namespace_name).items;
  std::vector<ScheduleView> views;
  for (const Json& cron_job : cron_jobs) views.push_back(view_of_schedule(cron_job, jobs, is_local, now));
  std::sort(views.begin(), views.end(), [](const ScheduleView& a, const ScheduleView& b) {
    return std::tie(a.namespace_name, a.name) < std::tie(b.namespace_name, b.name);
  });
  return views;
}

Json find_schedule(kube::Client& client, std::string_view namespace_name, const std::string& name) {
  if (auto found = client.get_if_exists(cron_job_kind(), namespace_name, name)) return *found;
  std::vector<std::string> names;
  for (const Json& cron_job : client.list(cron_job_kind(), namespace_name).items)
    names.push_back(api::name_of(cron_job));
  Error error(ErrorCode::failure, "no schedule \"" + name + "\" in namespace " + std::string(namespace_name),
              "", suggestion(name, names, "`kml schedule list` shows the schedules there"));
  error.reason = "NotFound";
  throw error;
}

Json start_now(kube::Client& client, const Json& cron_job) {
  Json job = api::new_job_of(cron_job, drawn_name(api::name_of(cron_job)));
  api::set_annotation(job, api::kStartedByHand, "manual");
  return client.create(job_kind(), api::namespace_of(cron_job), job);
}

void set_paused(kube::Client& client, const Json& cron_job, bool is_paused) {
  // If kml was killed after it created the schedule, the guard from allow_single_start() may be missing.
  if (!is_paused && api::single_start_of(cron_job) && api::owners_of(cron_job).empty()) {
    allow_single_start(client, cron_job);
    return;
  }
  client.patch(cron_job_kind(), api::namespace_of(cron_job), api::name_of(cron_job), kube::PatchType::merge,
               {{"spec", {{"suspend", is_paused}}}});
}

std::vector<Json> remove_schedule(kube::Client& client, const Json& cron_job) {
  const std::vector<Json> jobs = client.list(job_kind(), api::namespace_of(cron_job)).items;
  std::vector<Json> own;
  for (const Json* job : jobs_of_schedule(cron_job, jobs)) own.push_back(*job);
  for (const Json& job : own) Submissions::of_user().add_deleted(job);
  client.remove(cron_job_kind(), api::namespace_of(cron_job), api::name_of(cron_job),
                {.uid = api::uid_of(cron_job)});
  if (const std::string id = api::label_of(cron_job, api::kSubmitId); !id.empty())
    Submissions::of_user().add_outcome(id, job_key(cron_job),
                                       {State::cancelled, "deleted", system_clock().now()});
  remove_start_guards(client, cron_job, jobs);
  return own;
}

}  // namespace kml::job
