#include "job/attempts/merge.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "kml/base/error.h"
#include "kml/base/json_fields.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// Whether the program started while the pod existed. A name is not enough, because a PyTorchJob's
/// replacement pod has the same name.
bool is_within(Time start, const Attempt& pod) {
  return (!pod.start || *pod.start <= start + kClockSkew) && (!pod.end || start <= *pod.end + kClockSkew);
}

/// Whether the program started nearer to the start of `pod` than to that of `other`.
bool is_nearer(Time start, const Attempt& pod, const Attempt& other) {
  if (!pod.start || !other.start) return pod.start.has_value();
  return std::chrono::abs(start - *pod.start) < std::chrono::abs(start - *other.start);
}

}  // namespace

void add_disruption(Attempt& attempt, const Disruption& disruption) {
  if (disruption.reason == kSuspended) {
    attempt.result = kSuspended;
    return;
  }
  if (attempt.preempted && disruption.by.empty()) return;
  attempt.disrupted = true;
  attempt.preempted = disruption.reason == kPreempted;
  attempt.preempted_by = disruption.by;
  attempt.result = in_words(disruption);
  if (attempt.uid.empty()) attempt.uid = disruption.uid;
  if (attempt.node.empty()) attempt.node = disruption.node;
}

namespace {

/// Whether the attempt was part of the run that ended when the whole job was disrupted. An attempt that has a
/// pod and no end is part of a later run.
bool is_of_run(const Attempt& attempt, const Disruption& disruption) {
  if (!attempt.start || *attempt.start > disruption.time + kClockSkew) return false;
  if (disruption.start && *attempt.start + kClockSkew < *disruption.start) return false;
  return attempt.end ? *attempt.end + kClockSkew >= disruption.time : attempt.uid.empty();
}

void add_disruption_of_job(std::vector<Attempt>& attempts, const Disruption& disruption) {
  bool is_known = false;
  for (Attempt& attempt : attempts) {
    if (!is_of_run(attempt, disruption)) continue;
    is_known = true;
    add_disruption(attempt, disruption);
    if (!attempt.end) attempt.end = disruption.time;
  }
  if (is_known) return;
  Attempt& all = attempts.emplace_back();
  all.start = disruption.start;
  all.end = disruption.time;
  add_disruption(all, disruption);
}

}  // namespace

void add_disruptions(std::vector<Attempt>& attempts, const std::vector<Disruption>& disruptions) {
  std::unordered_map<std::string, std::vector<size_t>> by_pod;
  for (size_t i = 0; i < attempts.size(); ++i) by_pod[attempts[i].pod].push_back(i);
  for (const Disruption& disruption : disruptions) {
    if (disruption.pod.empty()) {
      add_disruption_of_job(attempts, disruption);
      continue;
    }
    Attempt* befell = nullptr;
    for (const size_t i : by_pod[disruption.pod]) {
      Attempt& attempt = attempts[i];
      if (!attempt.uid.empty() && !disruption.uid.empty() && attempt.uid != disruption.uid) continue;
      const bool began_before = !attempt.start || *attempt.start <= disruption.time + kClockSkew;
      if (began_before && (!befell || befell->start <= attempt.start)) befell = &attempt;
    }
    if (!befell) {
      by_pod[disruption.pod].push_back(attempts.size());
      befell = &attempts.emplace_back();
      befell->pod = disruption.pod;
      befell->start = disruption.start;
    }
    // For a pod that no longer exists, only the lines that its program printed are known. They may not
    // include the end.
    if (!befell->end && befell->uid.empty()) befell->end = disruption.time;
    add_disruption(*befell, disruption);
  }
}

void add_told(std::vector<Attempt>& attempts, std::vector<Attempt> told) {
  std::set<const Attempt*> taken;
  std::vector<Attempt> alone;
  // Goes from the newest attempt to the oldest: for a container that was restarted in its pod, the API only
  // reports the last run.
  for (auto it = told.rbegin(); it != told.rend(); ++it) {
    Attempt* match = nullptr;
    for (Attempt& attempt : attempts) {
      const bool may_be = attempt.pod == it->pod && it->start && is_within(*it->start, attempt) &&
                          (it->uid.empty() || attempt.uid.empty() || it->uid == attempt.uid);
      if (may_be && !taken.contains(&attempt) && (!match || is_nearer(*it->start, attempt, *match)))
        match = &attempt;
    }
    if (!match) {
      alone.push_back(std::move(*it));
      continue;
    }
    taken.insert(match);
    match->number = it->number;
    match->first_step = it->first_step;
    match->last_step = it->last_step;
    if (match->node.empty()) match->node = it->node;
  }
  for (Attempt& attempt : alone) attempts.push_back(std::move(attempt));
}

void say_what_is_unknown(std::vector<Attempt>& attempts) {
  for (Attempt& attempt : attempts)
    if (attempt.result.empty()) {
      const bool was_followed = std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& other) {
        return other.number && other.number > attempt.number;
      });
      attempt.result = was_followed ? "unknown: the program exited without a message" : "Running";
    }
}

namespace {

constexpr size_t kLongestAttemptLine = 4096;
constexpr long long kHead = 64 << 10, kAttemptLines = 50;
/// The maximum number of logs to read. Users do not read the history of an array with thousands of tasks.
constexpr size_t kMostAttemptLogs = 20;

std::optional<long long> step_at(const Json& json, std::string_view key) {
  const Json* step = find(json, {key});
  return step && step->is_number_integer() ? std::optional(step->get<long long>()) : std::nullopt;
}

/// Converts a reported reason. A reported SIGTERM does not show who sent the signal.
std::string result_of(const std::string& reason, bool has_ended) {
  if (reason == "finished") return "Succeeded";
  if (reason == "SIGTERM" || reason == "SIGINT") return "stopped by " + reason + " from an unknown sender";
  return !reason.empty() ? reason : has_ended ? "ended" : "";
}

std::optional<Attempt> from_line(std::string_view line) {
  if (!line.starts_with(kAttemptLine) || line.size() > kLongestAttemptLine) return {};
  const Json json = Json::parse(line.substr(kAttemptLine.size()), nullptr, false);
  if (!json.is_object() || !step_at(json, "attempt")) return {};
  Attempt attempt;
  read_fields(json, attempt,
              std::tuple{JsonField{"pod", &Attempt::pod}, JsonField{"node", &Attempt::node},
                         JsonField{"start", &Attempt::start}, JsonField{"end", &Attempt::end}});
  attempt.number = step_at(json, "attempt");
  attempt.first_step = step_at(json, "first_step");
  attempt.last_step = step_at(json, "last_step");
  attempt.result = result_of(api::reason_of(json), attempt.end.has_value());
  return attempt;
}

bool is_of(const Attempt& attempt, const Json& job) {
  const std::string name = api::name_of(job);
  const bool has_name = attempt.pod.empty() || attempt.pod == name || attempt.pod.starts_with(name + "-");
  const auto created = api::created_at(job);
  return has_name && !(created && attempt.start && *attempt.start + kClockSkew < *created);
}

/// The start of the log, where a program reports earlier attempts, and the end of the log.
std::string ends_of_log(kube::Client& client, const Json& pod) try {
  const std::string namespace_name = api::namespace_of(pod), name = api::name_of(pod);
  kube::LogOptions options;
  const Json& containers = api::containers_of(pod);
  if (!containers.empty()) options.container = api::entry_name(containers[0]);
  options.limit_bytes = kHead;
  std::string text = client.log(namespace_name, name, options);
  if (text.size() < static_cast<size_t>(kHead)) return text;
  options.limit_bytes.reset();
  options.tail_lines = kAttemptLines;
  return text + "\n" + client.log(namespace_name, name, options);
} catch (const Error&) {
  return {};
}

}  // namespace

std::vector<Attempt> told_attempts(std::string_view log, const Json& job) {
  std::map<long long, Attempt> by_number;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    if (auto attempt = from_line(log.substr(0, end)); attempt && is_of(*attempt, job))
      by_number.insert_or_assign(*attempt->number, std::move(*attempt));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  std::vector<Attempt> attempts;
  for (auto& [number, attempt] : by_number) attempts.push_back(std::move(attempt));
  return attempts;
}

std::vector<Attempt> told_attempts(kube::Client& client, const Json& job, std::span<const Json* const> pods,
                                   http::SteadyTime until) {
  std::vector<Attempt> attempts;
  const auto left = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(until - client.transport().now());
  };
  const auto timer = client.transport().after(std::max(left(), std::chrono::milliseconds(0)), [] {
    throw Error(ErrorCode::unreachable, "the log could not be read in time");
  });
  for (const Json* pod : pods.first(std::min(pods.size(), kMostAttemptLogs))) {
    if (left().count() <= 0) break;
    const std::string phase = api::phase_of(*pod, "");
    if (phase == "Pending" || api::node_of(*pod).empty()) continue;
    for (Attempt& attempt : told_attempts(ends_of_log(client, *pod), job)) {
      // All pods of a run report the same attempts, and later pods report more about these attempts.
      const auto same = [&](const Attempt& other) {
        return other.number == attempt.number && other.pod == attempt.pod && other.start == attempt.start;
      };
      const auto known = std::find_if(attempts.begin(), attempts.end(), same);
      if (known == attempts.end())
        attempts.push_back(std::move(attempt));
      else if (!known->end)
        *known = std::move(attempt);
    }
  }
  return attempts;
}

}  // namespace kml::job
