#include "live/commands/service_rows.h"

#include <algorithm>
#include <utility>

#include "job/queue/rank.h"
#include "job/why/causes.h"
#include "kml/base/time_zone.h"
#include "kml/job/control/schedule.h"
#include "kml/job/tables/schedule_table.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/manifests.h"
#include "kml/serve/model/rollout.h"
#include "kml/serve/model/served.h"
#include "serve/commands/serve_view.h"
#include "serve/model/address.h"
#include "serve/model/kserve.h"
#include "serve/model/revisions.h"

namespace kml::cli {

using live::Table;

namespace {

/// How often the next start of schedules is computed again.
constexpr std::chrono::seconds kNextStarts{30};
constexpr std::chrono::seconds kAddress{2};

std::string state_of_schedule(const job::ScheduleView& schedule) {
  if (schedule.is_paused) return "paused";
  if (schedule.active > 0) return "running";
  return schedule.next ? "waiting" : "over";
}

std::string order_of(const Json& row) {
  return job::natural_order_text(string_at(row, {"namespace"}) + "/" + string_at(row, {"name"}));
}

Json row_of_served(const serve::Served& served, const std::string& address, std::span<const Json> pods) {
  const Json& deployment = served.deployment;
  Json row = {{"name", api::name_of(served.object)},
              {"namespace", api::namespace_of(served.object)},
              {"state", state_of_served(served, pods)}};
  set_said(row, {{"address", address},
                 {"created", api::creation_text(served.object)},
                 {"inputs", api::annotation_of(deployment, serve::kServedInputs)},
                 {"command", command_of_served(deployment)}});
  if (deployment.is_null()) return row;
  row["ready"] = int_at(deployment, {"status", "readyReplicas"});
  row["replicas"] = int_at(deployment, {"spec", "replicas"}, 1);
  row["revision"] = serve::revision_number(deployment);
  if (const Json* pod = row["state"] == "Crashing" ? crashing_replica(served, pods) : nullptr)
    if (const auto cause = job::pod_cause({.job = deployment}, *pod))
      set_said(row, {{"cause", cause->summary}});
  // The Deployment's own message, as long as its rollout is not complete.
  if (!serve::is_rolled_out(served))
    for (const char* type : {"ReplicaFailure", "Progressing"})
      if (const api::Condition said = api::condition(deployment, type);
          said && row["state"] != "Running" && !row.contains("cause"))
        set_said(row, {{"cause", said.message()}});
  return row;
}

}  // namespace

ServiceRows::ServiceRows(kube::Client& client, const std::string& namespace_name, Context& context,
                         RowWriter& rows)
    : client_(client), namespace_(namespace_name), context_(context), rows_(rows) {
  watch(api::known_kind("batch/v1", "CronJob"), "", [this](kube::Change change, const Json& object) {
    if (change == kube::Change::deleted)
      cron_jobs_.erase(api::full_name_of(object));
    else
      cron_jobs_[api::full_name_of(object)] = object;
    schedules_changed_ = true;
  });
  watch(api::known_kind("apps/v1", "Deployment"), serve::serve_selector(),
        [this](kube::Change, const Json&) { serves_changed_ = true; });
  watch(api::known_kind("v1", "Pod"), serve::serve_selector(), [this](kube::Change change, const Json& pod) {
    if (change == kube::Change::deleted)
      replicas_.erase(api::full_name_of(pod));
    else
      replicas_[api::full_name_of(pod)] = pod;
    serves_changed_ = true;
  });
}

void ServiceRows::watch(const api::ResourceKind& kind, const std::string& selector,
                        const std::function<void(kube::Change, const Json&)>& on_change) {
  kube::WatchHandler handler;
  handler.on_change = on_change;
  const auto note_listed = [this, place = is_listed_.size()] { is_listed_[place] = true; };
  is_listed_.push_back(false);
  handler.on_synced = note_listed;
  handler.on_failure = [note_listed](const Error&) { note_listed(); };  // the user may not read these objects
  watches_.push_back(kube::watch(client_, kind, namespace_, {.label_selector = selector}, handler));
}

void ServiceRows::wait_for_lists(const job::Interrupt& interrupt) {
  constexpr std::chrono::milliseconds kPiece{100};
  const int wake[] = {interrupt.fd()};
  while (std::ranges::count(is_listed_, false) > 0) {
    client_.transport().wait(kPiece, wake);
    interrupt.check();
  }
}

void ServiceRows::update(const std::map<std::string, Json>& of_schedules, bool jobs_changed) {
  const Time now = system_clock().now();
  if (std::exchange(schedules_changed_, false) || jobs_changed || now - schedules_shown_ >= kNextStarts) {
    schedules_shown_ = now;
    update_schedules(of_schedules);
  }
  // The embedded server gives a Service its port a moment later.
  const bool is_again = lacks_address_ && now - serves_shown_ >= kAddress;
  if (std::exchange(serves_changed_, false) || is_again) {
    serves_shown_ = now;
    update_serves();
  }
}

void ServiceRows::update_schedules(const std::map<std::string, Json>& of_schedules) {
  std::vector<Json> jobs;
  for (const auto& [line, job] : of_schedules) jobs.push_back(job);
  rows_.begin(Table::schedules);
  for (const auto& [name, cron_job] : cron_jobs_) {
    const job::ScheduleView view =
        job::view_of_schedule(cron_job, jobs, context_.place().is_local, system_clock().now());
    Json row = ui::to_json(view);
    row["state"] = state_of_schedule(view);
    if (view.result == job::State::failed) row["cause"] = "its last job " + view.last_job + " failed";
    rows_.set(Table::schedules, name, order_of(row), row);
  }
  rows_.end(Table::schedules);
}

void ServiceRows::update_serves() {
  const std::vector<serve::Served> served = serve::list_served(context_.client(), namespace_);
  std::map<std::string, std::string> urls;
  if (!served.empty())
    for (const Json& service :
         context_.client()
             .list(api::known_kind("v1", "Service"), namespace_, {.label_selector = serve::serve_selector()})
             .items)
      urls[api::full_name_of(service)] = serve::url_of(context_.place().is_local, service);
  std::vector<Json> pods;
  for (const auto& [name, pod] : replicas_) pods.push_back(pod);
  lacks_address_ = false;
  rows_.begin(Table::serves);
  for (const serve::Served& one : served) {
    const std::string name = api::full_name_of(one.object);
    const Json row =
        row_of_served(one, one.is_by_kserve() ? serve::address_of(one.object) : urls[name], pods);
    lacks_address_ = lacks_address_ || !row.contains("address");
    rows_.set(Table::serves, name, order_of(row), row);
  }
  rows_.end(Table::serves);
}

}  // namespace kml::cli
