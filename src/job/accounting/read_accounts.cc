#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "job/attempts/eviction.h"
#include "job/capacity/brief_workloads.h"
#include "job/capacity/devices.h"
#include "job/capacity/kueue_api.h"
#include "kml/base/error.h"
#include "kml/job/accounting/account_records.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

constexpr size_t kMostLogs = 50;

bool is_ended(const JobAccount& account) {
  return account.finished.has_value();
}

bool is_in(const JobAccount& account, const AccountQuery& query) {
  return account.context == query.context &&
         (query.namespace_name.empty() || account.namespace_name == query.namespace_name) &&
         account.finished.value_or(query.now) >= query.since;
}

/// Whether a pod's log may complete the account.
bool needs_log(const JobAccount& account) {
  const bool is_unclear = std::any_of(account.spans.begin(), account.spans.end(),
                                      [](const PodSpan& span) { return span.use == Use::unclear; });
  return is_unclear || account.share_covered().value_or(1) < 0.99;
}

/// The events that record how the job's attempts ended; only the embedded server writes them.
std::vector<Json> events_of(kube::Client& client, const AccountQuery& query, const std::string& job) {
  return query.keeps_all ? attempt_events(client, query.namespace_name, job) : std::vector<Json>();
}

/// The Workloads of the jobs that are in a queue. If several jobs are, also the names of the other Workloads,
/// which may be preemptors. Empty if the user may not read Workloads.
std::vector<Json> workloads_for(kube::Client& client, const AccountQuery& query,
                                std::span<const Json* const> jobs) try {
  std::vector<const Json*> queued;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(queued),
               [](const Json* job) { return !api::label_of(*job, api::kKueueQueue).empty(); });
  if (queued.empty() || query.keeps_all) return {};
  const KueueApi kueue(client);
  if (queued.size() == 1) return list_workloads_of(client, kueue, *queued[0]);
  std::set<std::string> uids;
  for (const Json* job : queued) uids.insert(api::uid_of(*job));
  std::vector<Json> all;
  const auto error = each_workload(client, kueue.workload(), query.namespace_name, [&](Json workload) {
    const Json* owner = api::controller_of(workload);
    if (!owner || !uids.contains(api::entry_uid(*owner))) keep_name(workload);  // perhaps a preemptor
    all.push_back(std::move(workload));
  });
  if (error) throw Error(*error);
  return all;
} catch (const Error& error) {
  if (error.http_status != 403 && error.http_status != 404) throw;
  return {};
}

/// All objects of the kind; none if the cluster does not have it, or if the user may not read it.
std::vector<Json> items_if_readable(kube::Client& client, const api::ResourceKind& kind) try {
  return client.list(kind, "").items;
} catch (const Error& error) {
  if (error.http_status != 403 && error.http_status != 404) throw;
  return {};
}

std::map<std::string, std::string> read_node_types(kube::Client& client) {
  return gpu_types_of_nodes(items_if_readable(client, *api::find_kind("v1", "Node")),
                            items_if_readable(client, kResourceSlices));
}

/// The accounts of these jobs, which must still exist.
class LiveAccounts {
 public:
  LiveAccounts(kube::Client& client, const AccountQuery& query, std::span<const Json* const> jobs,
               PodsByJob pods, std::vector<Json> events)
      : client_(client),
        query_(query),
        pods_(std::move(pods)),
        events_(std::move(events)),
        all_workloads_(workloads_for(client, query, jobs)),
        workloads_(all_workloads_),
        disruptions_(Submissions::of_user().disruptions()) {
    for (const Json& event : events_) by_job_[api::involved_uid(event)].push_back(&event);
  }

  /// The job's account. Reads the job's logs only if they may complete it.
  JobAccount of(const Json& job) {
    JobAccount account = account_with(job, {});
    if (needs_log(account) && ++logs_ <= kMostLogs)
      account = account_with(job, told_attempts(client_, job, pods_.of(job), until_));
    return account;
  }

 private:
  JobAccount account_with(const Json& job, std::vector<Attempt> told) {
    const Json* workload = workloads_.of(job);
    std::vector<Disruption> disruptions = disruptions_[disruption_key(job)];
    if (workload) add_eviction(*workload, disruptions);
    const std::vector<Attempt> attempts =
        attempts_in(job, pods_.of(job), by_job_[api::uid_of(job)], std::move(told), disruptions);
    JobAccount account = account_of(job, pods_.of(job), attempts, query_.keeps_all, query_.now, workload);
    account.context = query_.context;
    if (!chosen_gpu_type(job).empty())
      if (std::string type = type_under(pods_.of(job)); !type.empty()) account.gpu_type = std::move(type);
    return account;
  }

  /// The type of GPU that these pods got. Empty if it is unknown, or if there are several.
  std::string type_under(std::span<const Json* const> pods) {
    if (!node_types_) node_types_ = read_node_types(client_);
    std::set<std::string> types;
    for (const Json* pod : pods)
      if (const std::string node = api::node_of(*pod); !node.empty()) {
        const auto type = node_types_->find(node);
        types.insert(type == node_types_->end() ? "" : type->second);
      }
    return types.size() == 1 ? *types.begin() : "";
  }

  void add_eviction(const Json& workload, std::vector<Disruption>& disruptions) const {
    std::optional<Disruption> eviction = eviction_of(workload, all_workloads_);
    if (eviction && std::none_of(disruptions.begin(), disruptions.end(),
                                 [&](const Disruption& other) { return other.uid == eviction->uid; }))
      disruptions.push_back(std::move(*eviction));
  }

  kube::Client& client_;
  const AccountQuery& query_;
  PodsByJob pods_;
  std::vector<Json> events_;
  const std::vector<Json> all_workloads_;
  const Workloads workloads_;
  std::map<std::string, std::vector<const Json*>> by_job_;  ///< events by the uid of their job
  std::map<std::string, std::vector<Disruption>> disruptions_;
  std::optional<std::map<std::string, std::string>> node_types_;  ///< by name of the node
  size_t logs_ = 0;
  const http::SteadyTime until_ = client_.transport().now() + kLongestForLogs;
};

/// The account of a job that is about to be deleted.
JobAccount account_of_deleted(JobAccount account, const Json& job, Time now) {
  if (!has_ended(state_of(job, true))) {
    account.state = name_of(State::cancelled);
    for (PodSpan& span : account.spans)
      if (span.use == Use::open) span.use = Use::stopped;
  }
  if (!account.finished) account.finished = now;
  return account;
}

}  // namespace

namespace {

/// Requests, in one round trip, the lists of jobs and pods that read_accounts() needs.
std::unique_ptr<kube::Client::AskedAhead> ask_ahead_for(kube::Client& client, const AccountQuery& query) {
  std::vector<http::Request> requests = requests_of_list(client, query.namespace_name);
  requests.push_back(kube::list_request(*api::find_kind("v1", "Pod"), query.namespace_name, {}));
  return client.ask_ahead(std::move(requests));
}

}  // namespace

std::vector<JobAccount> read_accounts(kube::Client& client, const AccountQuery& query) {
  const auto ahead = ask_ahead_for(client, query);
  const AccountRecords records = AccountRecords::of_user();
  std::map<std::string, JobAccount> recorded = records.read();
  const std::vector<Json> jobs = list_jobs(client, query.namespace_name);
  std::vector<const Json*> each;
  for (const Json& job : jobs) each.push_back(&job);
  LiveAccounts live(client, query, each, list_pods(client, query.namespace_name),
                    events_of(client, query, ""));
  std::vector<JobAccount> accounts, fresh;
  for (const Json& job : jobs) accounts.push_back(live.of(job));
  std::set<std::string> present;
  for (const JobAccount& account : accounts) {
    present.insert(account.key);
    if (is_ended(account) && !recorded.contains(account.key)) fresh.push_back(account);
  }
  records.add(fresh);
  for (auto& [key, account] : recorded)
    if (present.insert(key).second) accounts.push_back(std::move(account));
  const auto is_wanted = [&](const Submission& run, std::string_view) {
    return run.context == query.context;
  };
  for (const Submission& run : Submissions::of_user().read_if(is_wanted))
    for (const Json* job : run.jobs())
      if (JobAccount account = account_of_record(run, *job, query.now); present.insert(account.key).second)
        accounts.push_back(std::move(account));
  std::erase_if(accounts, [&](const JobAccount& account) { return !is_in(account, query); });
  return accounts;
}

JobAccount read_account(kube::Client& client, const Json& job, const AccountQuery& query) {
  const PodsByJob pods(pods_of(client, job));
  const std::vector<Attempt> attempts = attempts_of(client, job, Submissions::of_user());
  const Json* const only = &job;
  const std::vector<Json> workloads = workloads_for(client, query, {&only, 1});
  JobAccount account =
      account_of(job, pods.of(job), attempts, query.keeps_all, query.now, Workloads(workloads).of(job));
  account.context = query.context;
  return account;
}

void record_accounts(kube::Client& client, const std::vector<Json>& jobs, const AccountQuery& query) {
  std::map<std::string, std::vector<const Json*>> by_namespace;
  for (const Json& job : jobs)
    if (!api::label_of(job, api::kSubmitId).empty()) by_namespace[api::namespace_of(job)].push_back(&job);
  std::vector<JobAccount> accounts;
  for (const auto& [namespace_name, own] : by_namespace) {
    AccountQuery place = query;
    place.namespace_name = namespace_name;
    const Json* only = own.size() == 1 ? own[0] : nullptr;
    LiveAccounts live(client, place, own,
                      only ? PodsByJob(pods_of(client, *only)) : list_pods(client, namespace_name),
                      events_of(client, place, only ? api::name_of(*only) : ""));
    for (const Json* job : own) accounts.push_back(account_of_deleted(live.of(*job), *job, query.now));
  }
  AccountRecords::of_user().add(accounts);
}

}  // namespace kml::job
