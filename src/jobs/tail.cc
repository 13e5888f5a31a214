#include "kml/jobs/tail.h"

#include <algorithm>

#include "jobs/job_follower.h"
#include "jobs/pod_sources.h"
#include "kml/core/text.h"
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

}  // namespace

void read_logs(kube::Client& client, const std::vector<Json>& jobs, const TailOptions& options,
               const TailHandler& handler) {
  std::vector<StoredLine> lines;
  std::vector<std::string> sources;
  for (const Json& job : jobs) {
    const std::string namespace_name = string_at(job, {"metadata", "namespace"});
    PodsByJob pods = list_pods(client, namespace_name, pod_selector(job));
    bool any = false;
    for (const Json* pod : pods.of(job))
      for (const PodSource& source : pod_sources(*pod, job, options.container)) {
        if (!source.has_started) continue;
        any = true;
        kube::LogOptions request{source.container,  false, options.previous, true, options.since_time,
                                 options.tail_lines};
        std::string log = client.log(namespace_name, source.pod, request);
        if (log.ends_with('\n')) log.pop_back();
        if (log.empty()) continue;
        std::string last_time;
        for (std::string& line : split(log, '\n')) {
          if (std::string time = take_time(line); !time.empty()) last_time = time;
          lines.push_back({last_time, std::move(line), {}, sources.size()});
        }
        std::string_view job_name = job["metadata"]["name"].get_ref<const std::string&>();
        for (auto it = lines.rbegin(); it != lines.rend() && it->job.empty(); ++it) it->job = job_name;
        sources.push_back(source.label);
      }
    if (!any) {
      JobView view = view_of_job(job, pods.of(job));
      std::string state(name_of(view.state));
      state[0] = static_cast<char>(std::tolower(state[0]));
      handler.on_note(view.name + " has no log yet: it is " + state +
                      (view.cause.empty() ? "" : " (" + view.cause + ")"));
    }
  }
  if (sources.size() > 1)
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const StoredLine& line : lines)
    handler.on_line({line.job, sources[line.source], line.time, line.text});
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
    if (!followers.empty()) client.transport().wait(std::chrono::milliseconds(250), wake);
  }
}

}  // namespace kml::jobs
