#include "job/tables/reports.h"
#include "kml/kube/objects/pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "job/tables/capacity_tables.h"
#include "job/views/time_limit.h"
#include "kml/base/text.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using job::JobView;
using job::PodView;

/// The usage in words: "1.5 CPUs, 2.0Gi of memory, GPUs 80 % busy".
std::string usage_text(const job::PodUsage& usage) {
  std::vector<std::string> texts;
  if (usage.cpus) texts.push_back(fmt::format("{:.2g} CPUs", *usage.cpus));
  if (usage.memory) texts.push_back(memory_text(*usage.memory) + " of memory");
  if (usage.gpu_percent) texts.push_back(fmt::format("GPUs {:.0f} % busy", *usage.gpu_percent));
  return join(texts, ", ");
}

void print_facts(const Streams& streams, const JobView& job, std::optional<int> task,
                 const std::string& time_limit, long long restarts, const StatusExtras& extras, Time now) {
  auto fact = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      streams.out << styled(name, Style::bold, streams.colours) << std::string(11 - name.size(), ' ') << value
                  << "\n";
  };
  if (task) fact("Task", job.name + "-" + std::to_string(*task));
  fact("Job", job.name + " (" + job.kind + ", namespace " + job.namespace_name + ")");
  streams.out << styled("State", Style::bold, streams.colours) << "      "
              << styled(job::name_of(job.state), style_of(job.state), streams.colours)
              << (job.cause.empty() ? "" : ": " + with_flags(job.cause_at(now), extras.target)) << "\n";
  fact("User", job.user);
  fact("Priority", job.priority_class);
  fact("GPUs", job.gpus > 0 ? std::to_string(job.gpus) : "");
  fact("Created", rfc3339(job.created) + " (" + age(job.created, now) + " ago)");
  if (job.started) fact("Started", rfc3339(*job.started) + " (" + age(job.started, now) + " ago)");
  fact("Restarts", restarts > 0 ? std::to_string(restarts) : "");
  fact("Time limit", time_limit);
  if (job.finished) fact("Ended", rfc3339(*job.finished) + " (" + age(job.finished, now) + " ago)");
  if (job.ran) fact("Run time", short_duration(*job.ran));
  fact("Using", usage_text(extras.usage));
  fact("Command", job.command);
}

void print_pods(const Streams& streams, const JobView& job, std::span<const Json* const> pods, Time now) {
  if (pods.empty()) return;
  std::vector<PodView> views;
  for (const Json* pod : pods) {
    views.push_back(job::view_of_pod(*pod));
    const bool by_cancel = job.state == job::State::cancelled || job.state == job::State::cancelling;
    if (by_cancel && api::status_reason(*pod) == "DeadlineExceeded")
      views.back().cause = "cancelled";  // the deadline was set by `kml cancel`
  }
  std::stable_sort(views.begin(), views.end(), [](const PodView& a, const PodView& b) {
    const Time first = a.started.value_or(Time::max()), second = b.started.value_or(Time::max());
    return first != second ? first < second : natural_less(a.name, b.name);
  });
  streams.out << "\n";
  const std::vector<Column<PodView>> columns = {
      {"POD", &PodView::name},
      {"PHASE", &PodView::phase},
      {"EXIT", [](const PodView& pod) { return pod.exit_code ? std::to_string(*pod.exit_code) : "-"; }},
      {"NODE", [](const PodView& pod) { return or_dash(pod.node); }},
      {"RUN TIME",
       [now](const PodView& pod) {
         return pod.started ? short_duration(pod.finished.value_or(now) - *pod.started) : "-";
       }},
      {"CAUSE", &PodView::cause}};
  const Table table = table_of(columns, views);
  table.print(streams);
}

void print_conditions(const Streams& streams, const JobView& view, const Json& job, Time now) {
  const Json& conditions = api::conditions_of(job);
  if (conditions.empty()) return;
  streams.out << "\n";
  const auto message = [&](const Json& entry) {
    const api::Condition condition(&entry);
    const bool by_cancel =
        view.state == job::State::cancelled && condition.reason() == "BackoffLimitExceeded";
    return condition.message() + (by_cancel ? ", which `kml cancel` set to 0" : "");
  };
  const std::vector<Column<Json>> columns = {
      {"CONDITION", [](const Json& entry) { return api::Condition(&entry).type(); }},
      {"STATUS", [](const Json& entry) { return api::Condition(&entry).status(); }},
      {"SINCE", [now](const Json& entry) { return age(api::Condition(&entry).since(), now); }},
      {"REASON", [](const Json& entry) { return api::Condition(&entry).reason(); }},
      {"MESSAGE", message}};
  const Table table = table_of(columns, conditions);
  table.print(streams);
}

/// `command` shows all events.
void print_events(const Streams& streams, const Json& object, const std::string& command,
                  std::vector<Json> events, size_t newest, Time now) {
  std::erase_if(events, [&](const Json& event) { return api::involved_uid(event) != api::uid_of(object); });
  api::sort_events(events);
  if (events.empty()) return;
  const size_t older = events.size() - std::min(events.size(), newest);
  events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(older));
  streams.out << "\n";
  const std::vector<Column<Json>> columns = {
      {"AGE", [now](const Json& event) { return age(api::time_of_event(event), now); }},
      {"EVENT", [](const Json& event) { return api::reason_of(event); }},
      {"MESSAGE", [](const Json& event) { return api::message_of(event); }}};
  const Table table = table_of(columns, events);
  table.print(streams);
  if (older > 0) streams.out << fmt::format("{} older events are not shown: {}\n", older, command);
}

}  // namespace

void print_status(const Streams& streams, const job::JobOrTask& named, std::span<const Json* const> pods,
                  std::vector<Json> events, Time now, const StatusExtras& extras) {
  const Json job = named.as_job(pods);
  JobView view = job::view_of_job(job, pods, extras.workload);
  if (extras.lacks_kueue) job::say_that_kueue_is_missing(job, view);
  if (const auto waits = job::task_waits(named, pods)) view.cause = waits->brief;
  if (extras.add_earlier_run && !named.task) extras.add_earlier_run(job, view);
  print_facts(streams, view, named.task, job::time_limit_in_words(job, view.state, now),
              job::restarts_of(job), extras, now);
  print_pods(streams, view, pods, now);
  print_conditions(streams, view, job, now);
  const size_t newest = extras.all_events ? events.size() : 10;
  print_events(streams, named.task && !pods.empty() ? *pods.back() : job,
               "kml " + extras.target + "status " + named.name() + " --events", std::move(events), newest,
               now);
}

}  // namespace kml::ui
