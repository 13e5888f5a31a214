#include "live/commands/cluster_rows.h"

#include <fmt/format.h>

#include <limits>

#include "job/queue/rank.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"

namespace kml::cli {

using live::Table;

void LiveOutcomes::see(const std::string& submit, const std::string& job_key, job::Outcome outcome) {
  constexpr size_t kMostOthers = 1000;
  const auto [place, is_new] = by_submit_.try_emplace(submit);
  place->second[job_key] = std::move(outcome);
  changed_.insert(submit);
  if (!is_new) return;
  latest_.push_back(submit);
  if (latest_.size() <= kMostOthers) return;
  if (!wanted_.contains(latest_.front())) {
    by_submit_.erase(latest_.front());
    changed_.erase(latest_.front());
  }
  latest_.pop_front();
}

const LiveOutcomes::ByJob* LiveOutcomes::of(const std::string& submit) const {
  const auto found = by_submit_.find(submit);
  return found == by_submit_.end() ? nullptr : &found->second;
}

namespace {

/// Active jobs are in the order of the queue; ended ones follow, the newest first.
std::string order_of_job(const job::QueueChange& change) {
  if (change.is_listed) return change.order;
  const job::JobView& job = change.entry->job;
  const auto since = job.created.time_since_epoch().count();
  return fmt::format("9 {:016x} {}", std::numeric_limits<std::int64_t>::max() - since, job.name);
}

/// The cause, but without the time of the next attempt, which passes.
std::string cause_to_keep(const job::JobView& job) {
  return job.next_attempt ? job.last_failure : job.cause;
}

Json row_of_job(const job::QueueChange& change) {
  const job::QueueEntry& entry = *change.entry;
  const job::JobView& job = entry.job;
  const Json& object = *entry.object;
  Json row = {{"name", job.name}, {"kind", job.kind}, {"state", job::name_of(job.state)}};
  const auto time = [](const std::optional<Time>& when) { return when ? Json(rfc3339(*when)) : Json(); };
  const auto number = [](long long value) { return value != 0 ? Json(value) : Json(); };
  const bool waits = job.state == job::State::waiting;
  set_said(row, {{"namespace", job.namespace_name},
                 {"uid", job.uid},
                 {"user", job.user},
                 {"cause", cause_to_keep(job)},
                 {"message", job.message},
                 {"gpus", number(job.gpus)},
                 {"gpuType", entry.gpu_type},
                 {"gpusHeld", number(entry.gpus_held)},
                 {"pods", number(job.pods)},
                 {"podsRunning", number(job.running)},
                 {"podCounts", ui::pod_counts(job)},
                 {"created", rfc3339(job.created)},
                 {"started", time(job.started)},
                 {"finished", time(job.finished)},
                 {"waitingSince", waits && change.is_listed ? Json(rfc3339(entry.waiting_since)) : Json()},
                 {"priority", number(entry.priority)},
                 {"priorityClass", job.priority_class},
                 {"queue", entry.queue},
                 {"clusterQueue", entry.cluster_queue},
                 {"position", number(entry.position)},
                 {"nodes", job.nodes},
                 {"limit", time(entry.ends_by)},
                 {"estimatedEnd", time(entry.ends_at)},
                 {"nextAttempt", time(job.next_attempt)},
                 {"lastFailure", job.last_failure},
                 {"restarts", number(entry.restarts)},
                 {"command", job.command},
                 {"submitId", api::label_of(object, api::kSubmitId)},
                 {"sweep", api::label_of(object, api::kSweep)},
                 {"run", api::label_of(object, api::kRun)}});
  if (job.cause_code != job::CauseCode::none) row["code"] = job::text_of(job.cause_code);
  if (change.is_listed) row["active"] = true;
  if (change.group) row["group"] = *change.group;
  return row;
}

/// "bert (ana)"
std::string live_holder(const Json& pod, const job::JobView& job) {
  const std::string program = job::served_program_of(pod);
  return (program.empty() ? job.name : program) + (job.user.empty() ? "" : " (" + job.user + ")");
}

/// The parts of a pod that GpuCount reads.
Json with_gpus_only(const Json& pod) {
  const Json& spec = api::spec_of(pod);
  Json brief = {{"spec", {{"nodeName", api::node_of(pod)}}}};
  for (const char* key : {"containers", "initContainers", "overhead"})
    if (const auto found = spec.find(key); found != spec.end()) brief["spec"][key] = *found;
  brief["status"]["phase"] = api::phase_of(pod);
  return brief;
}

}  // namespace

void ClusterRows::begin() {
  rows_.begin(Table::jobs);
  holders_.clear();
  of_schedules_.clear();
  schedules_changed_ = nodes_changed_ = true;
}

void ClusterRows::update(job::QueueState& state) {
  state.queue.take_changes([this](const job::QueueChange& change) { take(change); });
}

void ClusterRows::take(const job::QueueChange& change) {
  hold(change);
  if (!change.entry) {
    schedules_changed_ = of_schedules_.erase(change.id) > 0 || schedules_changed_;
    return rows_.drop(Table::jobs, change.id);
  }
  remember(change, *change.entry->object);
  rows_.set(Table::jobs, change.id, order_of_job(change), row_of_job(change));
}

void ClusterRows::hold(const job::QueueChange& change) {
  std::vector<std::pair<std::string, Json>> held;
  for (const Json& pod : change.pods)
    if (change.entry && !api::node_of(pod).empty() && !api::pod_has_ended(pod) &&
        job::gpus_of_pod(api::spec_of(pod)) > 0)
      held.emplace_back(live_holder(pod, change.entry->job), with_gpus_only(pod));
  const auto before = holders_.find(change.id);
  if (held.empty() && before == holders_.end()) return;
  if (before != holders_.end() && before->second == held) return;
  nodes_changed_ = true;
  if (held.empty())
    holders_.erase(before);
  else
    holders_[change.id] = std::move(held);
}

void ClusterRows::remember(const job::QueueChange& change, const Json& job) {
  if (job.is_null()) return;
  const job::JobView& view = change.entry->job;
  if (const std::string submit = api::label_of(job, api::kSubmitId); !submit.empty())
    outcomes_.see(submit, job::job_key(job), {view.state, cause_to_keep(view), view.finished});
  const Json* controller = api::controller_of(job);
  if (!controller || api::kind_name(*controller) != "CronJob") return;
  of_schedules_[change.id] = job;
  schedules_changed_ = true;
}

namespace {

std::string state_of_node(const Json& node) {
  const std::string closed = job::closed_because(node);
  return closed.empty() ? "ready" : closed;
}

/// Why a node accepts no pods; if it is not ready, in the words of its own condition.
std::string cause_of_node(const Json& node) {
  const api::Condition ready = api::condition(node, "Ready");
  if (ready && !ready.is_true()) return ready.message();
  return job::closed_because(node) == "cordoned" ? "closed to new pods by an administrator" : "";
}

Json row_of_node(const Json& node) {
  const api::Amounts amounts = api::allocatable_of(node);
  const auto amount = [&](const char* resource) {
    const auto found = amounts.find(resource);
    return found == amounts.end() ? 0 : found->second;
  };
  Json row = {{"name", api::name_of(node)},
              {"state", state_of_node(node)},
              {"cpus", static_cast<double>(amount("cpu")) / api::kMilli},
              {"memory", amount("memory") / api::kMilli}};
  set_said(row, {{"cause", cause_of_node(node)},
                 {"taints", job::shown_taints(node)},
                 {"created", api::creation_text(node)}});
  return row;
}

Json gpus_of_node(const job::NodeGpus& gpus) {
  Json json = {{"type", gpus.type},
               {"resource", gpus.resource},
               {"total", gpus.total},
               {"used", gpus.used},
               {"free", gpus.free()}};
  set_said(json, {{"heldBy", gpus.held_by}});
  return json;
}

}  // namespace

void ClusterRows::update_nodes(const job::QueueState& state) {
  if (!std::exchange(nodes_changed_, false)) return;
  job::GpuCount count(state.nodes);
  for (const auto& [line, pods] : holders_)
    for (const auto& [holder, pod] : pods) count.add(pod, holder);
  std::map<std::string, Json> rows;
  for (const Json& node : state.nodes) rows[api::name_of(node)] = row_of_node(node);
  for (const job::NodeGpus& gpus : count.nodes()) rows[gpus.node]["gpus"].push_back(gpus_of_node(gpus));
  rows_.begin(Table::nodes);
  for (const auto& [name, row] : rows) rows_.set(Table::nodes, name, job::natural_order_text(name), row);
  rows_.end(Table::nodes);
}

}  // namespace kml::cli
