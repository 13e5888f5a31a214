#include <fmt/format.h>

#include <algorithm>

#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/store/object.h"
#include "local/tables/table_columns.h"

namespace kml::local {

namespace {

/// How a container ended: the reason, otherwise the signal or the exit code.
std::string end_of(const Json& terminated) {
  if (std::string reason = api::reason_of(terminated); !reason.empty()) return reason;
  if (int64_t signal = api::signal_of(terminated)) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", api::exit_code_of(terminated));
}

/// The values of the columns READY, STATUS and RESTARTS.
struct PodSummary {
  size_t ready = 0;
  int64_t restarts = 0;
  std::string status, last_restart;

  explicit PodSummary(const Json& pod) : status(string_at(pod, {"status", "reason"}, phase_of(pod))) {
    if (api::condition(pod, "PodScheduled").reason() == "SchedulingGated") status = "SchedulingGated";
    const bool initializing = read_init_containers(pod);
    if (!initializing || api::condition_is_true(pod, "Initialized")) {
      restarts = 0;
      last_restart.clear();
      read_containers(pod);
    }
    if (is_being_deleted(pod) && !pod_has_ended(pod)) status = "Terminating";
  }

 private:
  void count_restarts(const Json& container) {
    restarts += api::restart_count(container);
    last_restart = std::max(last_restart, string_at(container, {"lastState", "terminated", "finishedAt"}));
  }

  /// Whether an init container has not succeeded yet.
  bool read_init_containers(const Json& pod) {
    const Json& containers = api::container_statuses(pod, "initContainerStatuses");
    for (size_t i = 0; i < containers.size(); ++i) {
      const Json& container = containers[i];
      count_restarts(container);
      const Json* ended = api::terminated_in(container);
      if (ended && api::exit_code_of(*ended) == 0) continue;
      const std::string waits_for = api::waiting_reason(container);
      if (ended)
        status = "Init:" + end_of(*ended);
      else if (!waits_for.empty() && waits_for != "PodInitializing")
        status = "Init:" + waits_for;
      else
        status = fmt::format("Init:{}/{}", i, api::containers_of(pod, "initContainers").size());
      return true;
    }
    return false;
  }

  void read_containers(const Json& pod) {
    const Json& containers = api::container_statuses(pod);
    for (auto container = containers.rbegin(); container != containers.rend(); ++container) {
      count_restarts(*container);
      if (std::string reason = api::waiting_reason(*container); !reason.empty())
        status = reason;
      else if (const Json* ended = api::terminated_in(*container))
        status = end_of(*ended);
      else if (api::is_ready(*container) && kml::find(*container, {"state", "running"}))
        ++ready;
    }
    if (status == "Completed" && ready > 0)
      status = api::condition_is_true(pod, "Ready") ? "Running" : "NotReady";
  }
};

Json pod_cells(const Json& pod, Time now) {
  const PodSummary summary(pod);
  std::string restarts = std::to_string(summary.restarts);
  if (summary.restarts > 0 && !summary.last_restart.empty())
    restarts += fmt::format(" ({} ago)", age_since(summary.last_restart, now));
  return {name_of(pod),
          fmt::format("{}/{}", summary.ready, api::containers_of(pod).size()),
          summary.status,
          restarts,
          age_of(pod, now),
          or_none(string_at(pod, {"status", "podIP"})),
          or_none(api::node_of(pod)),
          or_none(api::nominated_node_of(pod)),
          "<none>"};
}

}  // namespace

const TableColumns kPodColumns{{{.name = "Name", .format = "name"},
                                {"Ready"},
                                {"Status"},
                                {"Restarts"},
                                {"Age"},
                                {"IP", true},
                                {"Node", true},
                                {"Nominated Node", true},
                                {"Readiness Gates", true}},
                               pod_cells};

namespace {

std::string job_status(const Json& job) {
  if (api::condition_is_true(job, "Complete")) return "Complete";
  if (api::condition_is_true(job, "Failed")) return "Failed";
  if (is_being_deleted(job)) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"})
    if (api::condition_is_true(job, type)) return type;
  return "Running";
}

std::string completions_of(const Json& job) {
  const int64_t succeeded = api::succeeded_pods(job), wanted = api::completions_of(job, -1),
                parallelism = api::parallelism_of(job);
  if (wanted >= 0) return fmt::format("{}/{}", succeeded, wanted);
  return parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism) : fmt::format("{}/1", succeeded);
}

std::string duration_of(const Json& job, Time now) {
  const std::string start = api::start_text(job);
  if (start.empty()) return "";
  return age_since(start, parse_rfc3339(string_at(job, {"status", "completionTime"})).value_or(now));
}

std::string of_containers(const Json& job, const char* field) {
  std::vector<std::string> values;
  for (const Json& container : api::containers_in(api::pod_spec_of(job)))
    values.push_back(string_at(container, {field}));
  return join(values, ",");
}

/// The matchLabels of a Job's selector as metav1.FormatLabelSelector prints them.
std::string job_selector(const Json& job) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : object_at(job, {"spec", "selector", "matchLabels"}).items())
    parts.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : ""));
  return or_none(join(parts, ","));
}

}  // namespace

const TableColumns kJobColumns{{{.name = "Name", .format = "name"},
                                {"Status"},
                                {"Completions"},
                                {"Duration"},
                                {"Age"},
                                {"Containers", true},
                                {"Images", true},
                                {"Selector", true}},
                               [](const Json& job, Time now) {
                                 return Json{name_of(job),
                                             job_status(job),
                                             completions_of(job),
                                             duration_of(job, now),
                                             age_of(job, now),
                                             of_containers(job, "name"),
                                             of_containers(job, "image"),
                                             job_selector(job)};
                               }};

const TableColumns kCronJobColumns{
    {{.name = "Name", .format = "name"},
     {"Schedule"},
     {"Timezone"},
     {.name = "Suspend", .type = "boolean"},
     {.name = "Active", .type = "integer"},
     {"Last Schedule"},
     {"Age"},
     {"Containers", true},
     {"Images", true},
     {"Selector", true}},
    [](const Json& cron_job, Time now) {
      const std::string last = string_at(cron_job, {"status", "lastScheduleTime"});
      const Json& job_template = api::job_template_of(cron_job);
      return Json{name_of(cron_job),
                  api::schedule_of(cron_job),
                  or_none(api::zone_name_of(cron_job)),
                  api::is_suspended(cron_job) ? "True" : "False",
                  api::active_jobs_of(cron_job).size(),
                  last.empty() ? "<none>" : age_since(last, now),
                  age_of(cron_job, now),
                  of_containers(job_template, "name"),
                  of_containers(job_template, "image"),
                  job_selector(job_template)};
    }};

const TableColumns kPyTorchJobColumns{
    {{.name = "Name", .format = "name"}, {"State"}, {.name = "Age", .type = "date"}},
    [](const Json& job, Time now) {
      const Json& conditions = api::conditions_of(job);
      return Json{name_of(job), conditions.empty() ? Json() : Json(api::Condition(&conditions.back()).type()),
                  age_of(job, now)};
    }};

}  // namespace kml::local
