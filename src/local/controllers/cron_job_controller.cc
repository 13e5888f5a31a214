#include "local/controllers/cron_job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/time_zone.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/cron_schedule.h"
#include "kml/kube/objects/object.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;

namespace {

/// The clock is read at least this often, because the loop's timers stop while the machine sleeps, and do not
/// notice if the clock is changed.
constexpr nanoseconds kLongestSleep = 1min;

std::optional<TimeZone> zone_of(const Json& cron_job) {
  const std::string name = api::zone_name_of(cron_job);
  return name.empty() ? TimeZone::local() : TimeZone::find(name);
}

/// Removes the Job from status.active; returns false if it was not in there.
bool remove_active(Json& cron_job, const std::string& uid) {
  Json& active = cron_job["status"]["active"];
  const auto found = std::find_if(active.begin(), active.end(),
                                  [&](const Json& reference) { return api::entry_uid(reference) == uid; });
  if (found == active.end()) return false;
  active.erase(found);
  return true;
}

/// Whether a missed start may still be made up for.
bool is_in_time(const Json& cron_job, Time scheduled, Time now) {
  const Json* deadline = find(cron_job, {"spec", "startingDeadlineSeconds"});
  return !deadline || scheduled + std::chrono::seconds(deadline->get<int64_t>()) >= now;
}

}  // namespace

CronJobController::CronJobController(EventLoop& loop, Store& store, const Dependents& dependents,
                                     const Admission& admission, EventRecorder& events, const Clock& clock)
    : store_(store),
      dependents_(dependents),
      admission_(admission),
      events_(events),
      clock_(clock),
      queue_(loop, [this](const std::string& key) { look(key); }) {
  store.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void CronJobController::recover() {
  for (const ObjectPtr& cron_job : store_.list(kinds::cron_job, "")) queue_.add(api::full_name_of(*cron_job));
}

void CronJobController::on_event(const StoreEvent& event) {
  const Json& object = *event.object;
  if (event.kind == &kinds::job) {
    if (const std::string owner = controller_name(object, kinds::cron_job); !owner.empty()) queue_.add(owner);
    return;
  }
  if (event.kind != &kinds::cron_job) return;
  const std::string key = api::full_name_of(object);
  if (event.change == Change::deleted) {
    changed_.erase(key);
    queue_.forget(key);
    return;
  }
  if (event.previous && (api::schedule_of(object) != api::schedule_of(*event.previous) ||
                         api::zone_name_of(object) != api::zone_name_of(*event.previous)))
    changed_[key] = clock_.now();
  queue_.add(key);
}

void CronJobController::look(const std::string& key) {
  const ObjectPtr stored = get_by_full_name(store_, kinds::cron_job, key);
  if (!stored) return;
  Json cron_job = *stored;
  const std::string uid = uid_of(cron_job);
  std::vector<ObjectPtr> jobs = dependents_.of(uid, &kinds::job);
  std::erase_if(jobs, [&](const ObjectPtr& job) { return controller_uid(*job) != uid; });
  note_ends(cron_job, jobs);
  if (!is_being_deleted(cron_job) && !api::is_suspended(cron_job)) start_due(cron_job);
  remove_old(cron_job, jobs);
  store_.modify(kinds::cron_job, namespace_of(cron_job), name_of(cron_job), [&](Json& next) {
    if (uid_of(next) != uid) return;
    next["status"] = cron_job["status"];
    if (api::active_jobs_of(next).empty()) next["status"].erase("active");
  });
}

/// Updates status.active and status.lastSuccessfulTime.
void CronJobController::note_ends(Json& cron_job, const std::vector<ObjectPtr>& jobs) {
  Json& status = cron_job["status"];
  if (!status.contains("active")) status["active"] = Json::array();
  std::set<std::string> there;
  for (const ObjectPtr& job : jobs) {
    there.insert(uid_of(*job));
    if (!is_finished(*job)) continue;
    const bool succeeded = api::condition_is_true(*job, "Complete");
    if (remove_active(cron_job, uid_of(*job)))
      record(cron_job, "Normal", "SawCompletedJob",
             fmt::format("Saw completed job: {}, condition: {}", name_of(*job),
                         succeeded ? "Complete" : "Failed"));
    const std::string end = string_at(*job, {"status", "completionTime"});
    if (succeeded && end > string_at(status, {"lastSuccessfulTime"})) status["lastSuccessfulTime"] = end;
  }
  for (const Json& reference : Json(status["active"]))
    if (!there.contains(api::entry_uid(reference))) {
      remove_active(cron_job, api::entry_uid(reference));
      record(cron_job, "Normal", "MissingJob", "Active job went missing: " + api::entry_name(reference));
    }
}

/// Deletes the oldest ended Jobs if there are more than the history limit allows.
void CronJobController::remove_old(const Json& cron_job, const std::vector<ObjectPtr>& jobs) {
  constexpr std::pair<const char*, const char*> kLimits[] = {{"Complete", "successfulJobsHistoryLimit"},
                                                             {"Failed", "failedJobsHistoryLimit"}};
  for (const auto& [condition, limit] : kLimits) {
    const Json* most = find(cron_job, {"spec", limit});
    if (!most) continue;
    std::vector<std::tuple<std::string, std::string>> ended;  // the ended Jobs, each with its start and name
    for (const ObjectPtr& job : jobs)
      if (api::condition_is_true(*job, condition)) ended.emplace_back(api::start_text(*job), name_of(*job));
    std::sort(ended.begin(), ended.end());
    const auto kept = std::min(ended.size(), most->get<size_t>());
    for (size_t i = 0; i < ended.size() - kept; ++i) remove(cron_job, std::get<1>(ended[i]));
  }
}

/// Starts a Job if one is due. Sets a timer for the next one.
void CronJobController::start_due(Json& cron_job) {
  const std::string key = api::full_name_of(cron_job), text = api::schedule_of(cron_job);
  const std::optional<TimeZone> zone = zone_of(cron_job);
  if (!zone)  // the time zone database has changed since the CronJob was created
    return record(cron_job, "Warning", "UnknownTimeZone",
                  fmt::format("invalid timeZone: \"{}\"", api::zone_name_of(cron_job)));
  const api::CronSchedule schedule = api::parse_cron(text);
  const Time now = clock_.now();
  Time begin = api::last_scheduled(cron_job);
  if (const auto changed = changed_.find(key); changed != changed_.end())
    begin = std::max(begin, changed->second);
  const std::optional<Time> due = last_start(schedule, *zone, begin, now),
                            next = next_after(schedule, *zone, due.value_or(begin));
  if (!next)
    return record(cron_job, "Warning", "InvalidSchedule",
                  "invalid schedule: " + text + " : it has no time in the next five years");
  queue_.add_after(key, std::min<nanoseconds>(*next - now, kLongestSleep));
  if (!due || !is_in_time(cron_job, *due, now) || !make_room(cron_job)) return;
  const bool has_zone = !api::zone_name_of(cron_job).empty();
  start(cron_job, *due, rfc3339_in(has_zone ? *zone : TimeZone::utc(), *due));
}

/// Applies the concurrencyPolicy. Returns whether another Job may start now.
bool CronJobController::make_room(Json& cron_job) {
  const Json active = api::active_jobs_of(cron_job);
  const std::string policy = string_at(cron_job, {"spec", "concurrencyPolicy"});
  if (policy == "Forbid" && !active.empty()) {
    record(cron_job, "Normal", "JobAlreadyActive",
           "Not starting job because prior execution is running and concurrency policy is Forbid");
    return false;
  }
  if (policy != "Replace") return true;
  for (const Json& reference : active) {
    remove(cron_job, api::entry_name(reference));
    remove_active(cron_job, api::entry_uid(reference));
  }
  return true;
}

/// The name only depends on the scheduled time. If the server is killed before it has written the start to
/// the status, the next server therefore does not start the Job again.
void CronJobController::start(Json& cron_job, Time scheduled, const std::string& scheduled_text) {
  const auto minute = std::chrono::floor<std::chrono::minutes>(scheduled).time_since_epoch().count();
  const std::string name = fmt::format("{}-{}", name_of(cron_job), minute);
  ObjectPtr job = store_.get(kinds::job, namespace_of(cron_job), name);
  if (job && controller_uid(*job) != uid_of(cron_job)) return;  // a different owner's Job has this name
  if (!job) try {
      Json fresh = api::new_job_of(cron_job, name);
      fresh["metadata"]["ownerReferences"] = Json::array({controller_reference(cron_job)});
      api::set_annotation(fresh, api::kScheduledTime, scheduled_text);
      fresh["metadata"]["uid"] = new_uid();
      admission_.admit_new(kinds::job, fresh);
      job = store_.create(kinds::job, std::move(fresh));
      record(cron_job, "Normal", "SuccessfulCreate", "Created job " + name);
    } catch (const Error& error) {
      if (error.http_status == 0) throw;
      record(cron_job, "Warning", "FailedCreate", "Error creating job: " + error.message);
      return queue_.add_after(api::full_name_of(cron_job), 5s);
    }
  Json& status = cron_job["status"];
  status["lastScheduleTime"] = rfc3339(scheduled);
  if (is_finished(*job)) return;
  status["active"].push_back({{"apiVersion", "batch/v1"},
                              {"kind", "Job"},
                              {"name", name},
                              {"namespace", namespace_of(*job)},
                              {"uid", uid_of(*job)},
                              {"resourceVersion", api::revision_of(*job)}});
}

void CronJobController::remove(const Json& cron_job, const std::string& job_name) {
  if (!store_.get(kinds::job, namespace_of(cron_job), job_name)) return;
  store_.remove(kinds::job, namespace_of(cron_job), job_name);
  record(cron_job, "Normal", "SuccessfulDelete", "Deleted job " + job_name);
}

void CronJobController::record(const Json& cron_job, std::string_view type, std::string_view reason,
                               std::string message) {
  events_.record(cron_job, type, reason, std::move(message), "cronjob-controller");
}

}  // namespace kml::local
