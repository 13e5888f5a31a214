#include "kml/jobs/tail.h"

#include <algorithm>
#include <set>
#include <span>

#include "jobs/job_follower.h"
#include "jobs/pod_sources.h"
#include "kml/core/text.h"
#include "kml/jobs/attempts.h"
#include "kml/jobs/find.h"
#include "kml/jobs/kinds.h"

namespace kml::jobs {

namespace {

struct StoredLine {
  std::string time;
  std::string text;
  std::string_view job;
  size_t source;
};

/// The kubelet's stamp at the start of a line, taken off it; empty where there is none.
std::string take_time(std::string& line) {
  size_t space = line.find(' ');
  if (space == std::string::npos || !parse_rfc3339(line.substr(0, space))) return {};
  std::string time = line.substr(0, space);
  line.erase(0, space + 1);
  return time;
}

/// One container's log that can be read; `uid` where its pod is gone: kml's embedded server then finds it by
/// that.
struct LogSource {
  std::string pod, container, label, uid;
};

/// As short_pod_name() has it, for a pod of which only the record is left.
std::string short_name_of_gone(const Attempt& attempt, const Json& job) {
  if (string_at(job, {"kind"}) == "Job" && !attempt.index.empty()) return attempt.index;
  const std::string prefix = string_at(job, {"metadata", "name"}) + "-";
  return attempt.pod.starts_with(prefix) ? attempt.pod.substr(prefix.size()) : attempt.pod;
}

std::vector<LogSource> log_sources(kube::Client& client, const Json& job, std::span<const Json* const> pods,
                                   const TailOptions& options) {
  std::vector<LogSource> sources;
  std::set<std::string> present;
  for (const Json* pod : pods) {
    present.insert(string_at(*pod, {"metadata", "uid"}));
    for (PodSource& source : pod_sources(*pod, job, options.container))
      if (source.has_started) sources.push_back({source.pod, source.container, source.label, ""});
  }
  if (!options.gone_pods) return sources;
  for (const Attempt& attempt : recorded_attempts(client, job)) {
    if (present.contains(attempt.uid)) continue;
    const std::string label = short_name_of_gone(attempt, job);
    for (const std::string& container : attempt.containers)
      if (options.container.empty() || options.container == container)
        sources.push_back({attempt.pod, container,
                           attempt.containers.size() > 1 ? label + "/" + container : label, attempt.uid});
  }
  return sources;
}

/// Empty where a pod that is gone has left none, or has it no more.
std::string read_log(kube::Client& client, const std::string& namespace_name, const LogSource& source,
                     const TailOptions& options) {
  const kube::LogOptions request{source.container,  false, options.previous, true, options.since_time,
                                 options.tail_lines};
  if (source.uid.empty()) return client.log(namespace_name, source.pod, request);
  try {
    return client.get_raw(kube::log_request(namespace_name, source.pod, request).path + "&uid=" + source.uid);
  } catch (const Error& error) {
    if (error.http_status / 100 != 4) throw;
    return {};
  }
}

}  // namespace

void read_logs(kube::Client& client, const std::vector<Json>& jobs, const TailOptions& options,
               const TailHandler& handler) {
  std::vector<StoredLine> lines;
  std::vector<std::string> labels;
  for (const Json& job : jobs) {
    const std::string namespace_name = string_at(job, {"metadata", "namespace"});
    PodsByJob pods = list_pods(client, namespace_name, pod_selector(job));
    const std::vector<LogSource> sources = log_sources(client, job, pods.of(job), options);
    const std::string_view job_name = job["metadata"]["name"].get_ref<const std::string&>();
    for (const LogSource& source : sources) {
      std::string log = read_log(client, namespace_name, source, options);
      if (log.ends_with('\n')) log.pop_back();
      if (log.empty()) continue;
      std::string last_time;
      for (std::string& line : split(log, '\n')) {
        if (std::string time = take_time(line); !time.empty()) last_time = time;
        lines.push_back({last_time, std::move(line), job_name, labels.size()});
      }
      labels.push_back(source.label);
    }
    if (sources.empty()) {
      JobView view = view_of_job(job, pods.of(job));
      handler.on_note(view.name + " has no log yet: it is " + in_words(view.state) +
                      (view.cause.empty() ? "" : " (" + view.cause + ")"));
    }
  }
  if (labels.size() > 1)
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const StoredLine& line : lines) handler.on_line({line.job, labels[line.source], line.time, line.text});
}

void follow_logs(kube::Client& client, const std::vector<Json>& jobs, const TailOptions& options,
                 const Interrupt& interrupt, const TailHandler& handler,
                 const std::function<void(const Json& job, const JobView&)>& on_end) {
  std::vector<std::unique_ptr<JobFollower>> followers;
  for (const Json& job : jobs)
    followers.push_back(std::make_unique<JobFollower>(client, job, options, handler));
  const int wake[] = {interrupt.fd()};
  while (!followers.empty()) {
    interrupt.check();
    for (auto it = followers.begin(); it != followers.end();) {
      if ((*it)->advance()) {
        on_end((*it)->job(), (*it)->view());
        it = followers.erase(it);
      } else {
        ++it;
      }
    }
    handler.on_pause();
    if (handler.on_wait)
      for (const auto& follower : followers)
        if (JobView view = follower->view(); view.state == State::waiting || view.state == State::suspended)
          handler.on_wait(view);
    if (!followers.empty()) client.transport().wait(std::chrono::milliseconds(250), wake);
  }
}

}  // namespace kml::jobs
