#include "kml/job/views/job_view.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "job/views/never_ran.h"
#include "job/views/run_spans.h"
#include "kml/base/text.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/dependency.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

api::Condition ended_condition(const Json& job) {
  for (std::string_view type : {"Complete", "Completed", "Succeeded", "Failed"})
    if (const api::Condition ended = api::condition(job, type); ended.is_true()) return ended;
  return {};
}

/// The numbers of pods by state. Each kind has a different field for running pods. The training operators
/// count pods for each type of replica. JobSets and TrainJobs count Jobs instead of pods, separately for each
/// replicated job.
struct Counts {
  int running = 0, succeeded = 0, failed = 0;
};

Counts counts_of(const Json& job) {
  Counts counts;
  const auto add = [&](const Json& status, std::string_view running) {
    counts.running += static_cast<int>(int_at(status, {running}));
    counts.succeeded += static_cast<int>(int_at(status, {"succeeded"}));
    counts.failed += static_cast<int>(int_at(status, {"failed"}));
  };
  add(api::status_of(job), "ready");
  for (const Json& replica : object_at(job, {"status", "replicaStatuses"})) add(replica, "active");
  for (std::string_view jobs : {"replicatedJobsStatus", "jobsStatus"})
    for (const Json& status : array_at(job, {"status", jobs})) add(status, "ready");
  return counts;
}

void note_start(JobView& view, const Json& pod) {
  const auto started = api::started_at(pod);
  if (started && (!view.started || *started < *view.started)) view.started = started;
}

/// Whether each pod had ended before the time `end`, or never had a node, so that the job waited until then.
/// The API's times are in whole seconds, and come from different clocks.
bool waited_until(std::optional<Time> end, std::span<const Json* const> pods) {
  constexpr std::chrono::seconds kMoments{2};
  return end && !pods.empty() && std::all_of(pods.begin(), pods.end(), [&](const Json* pod) {
           const std::optional<Time> finished = basic_view_of_pod(*pod).finished;
           return finished ? *finished + kMoments < *end : api::node_of(*pod).empty();
         });
}

nanoseconds run_time_of(std::span<const Json* const> pods) {
  std::vector<std::pair<Time, Time>> spans;
  for (const Json* pod : pods)
    if (const PodView view = basic_view_of_pod(*pod); view.started && view.finished)
      spans.emplace_back(*view.started, *view.finished);
  return time_covered(std::move(spans));
}

/// Sets the end of a job that was cancelled while it waited. Such a job is only suspended, so it has no end
/// time. If it had waited since an earlier attempt, it did not run from its start to its end.
void end_while_waiting(JobView& view, const Json& job, std::span<const Json* const> pods) {
  view.finished = parse_rfc3339(api::annotation_of(job, api::kCancelled));
  if (waited_until(view.finished, pods)) {
    view.started.reset();
    if (const nanoseconds ran = run_time_of(pods); ran > nanoseconds(0)) view.ran = ran;
  }
  if (const auto seconds = whole_number(api::annotation_of(job, api::kRan)); seconds && !view.started)
    view.ran = std::chrono::seconds(*seconds);
}

/// A job that reached its time limit while it waited for another attempt did not run from its start to its
/// end.
void leave_out_last_wait(JobView& view, const Json& job, std::span<const Json* const> pods) {
  if (view.state != State::failed || ended_condition(job).reason() != "DeadlineExceeded") return;
  if (!waited_until(view.finished, pods)) return;
  const bool any_ran = std::any_of(pods.begin(), pods.end(), [](const Json* pod) {
    const PodView its = basic_view_of_pod(*pod);
    return its.started && its.finished;
  });
  if (any_ran) view.ran = run_time_of(pods);  // 0 for a program that failed at once
}

std::optional<Time> time_in(const ObjectPath& path, const Json& job) {
  const Json& text = path.first(job);
  return text.is_string() ? parse_rfc3339(text.get<std::string>()) : std::nullopt;
}

/// Counts pods and their GPUs, for jobs that do not show their pods.
void count_pods(JobView& view, std::span<const Json* const> pods) {
  view.pods = 0;
  view.gpus = 0;
  for (const Json* pod : pods) {
    if (api::pod_has_ended(*pod)) continue;
    ++view.pods;
    view.gpus += gpus_of_pod(api::spec_of(*pod));
  }
  view.is_size_unknown = view.pods == 0;
}

/// An MPIJob's workers only wait for its launcher, which runs the command. A Job owns the launcher's pod; the
/// pod's labels do not help, because lists leave them out.
bool launcher_has_started(const Json& job, std::span<const Json* const> pods) {
  if (pods.empty()) return int_at(job, {"status", "replicaStatuses", "Launcher", "active"}) > 0;
  return std::any_of(pods.begin(), pods.end(), [](const Json* pod) {
    const Json* controller = api::controller_of(*pod);
    return controller && api::kind_name(*controller) == "Job" && api::phase_of(*pod) != "Pending";
  });
}

/// Requires that the view has its state. In some kinds, the status does not count pods: JobSets and TrainJobs
/// count Jobs, and an MPIJob's workers do not end by themselves.
void count_ended(JobView& view, const Counts& counts, std::span<const Json* const> pods) {
  view.succeeded = counts.succeeded;
  view.failed = counts.failed;
  const bool counts_jobs = view.kind == "JobSet" || view.kind == "TrainJob";
  if (counts_jobs && !pods.empty()) {
    const auto in_phase = [&](std::string_view phase) {
      return static_cast<int>(std::count_if(pods.begin(), pods.end(),
                                            [&](const Json* pod) { return api::phase_of(*pod) == phase; }));
    };
    view.succeeded = in_phase("Succeeded");
    view.failed = in_phase("Failed");
  }
  if ((counts_jobs || view.kind == "MPIJob") && view.state == State::succeeded)
    view.succeeded = view.completions;
}

}  // namespace

void JobView::add_node(const std::string& node) {
  const auto place = std::lower_bound(nodes.begin(), nodes.end(), node, natural_less);
  if (!node.empty() && (place == nodes.end() || *place != node)) nodes.insert(place, node);
}

namespace {

/// Whether Kueue or other jobs, not a person, may be the reason why the job is suspended.
bool is_held_by_others(const Json& job) {
  const bool waits_for_jobs =
      !api::annotation_of(job, api::kAfter).empty() && api::annotation_of(job, api::kHeld).empty();
  return waits_for_jobs || !api::label_of(job, api::kKueueQueue).empty();
}

State state_of_described(const JobKind& kind, const Json& job, bool any_pod_runs) {
  const bool cancelled = find(job, {"metadata", "annotations", api::kCancelled}) != nullptr;
  State state = state_by_description(kind, job).state;
  if (state == State::suspended && api::is_suspended(job) && is_held_by_others(job)) state = State::waiting;
  if (state == State::unknown) return state;  // an expression failed, and pods alone do not show the state
  if (has_ended(state)) return cancelled && state == State::failed ? State::cancelled : state;
  if (any_pod_runs || state == State::running) return cancelled ? State::cancelling : State::running;
  return cancelled ? State::cancelled : state;
}

}  // namespace

State state_of(const Json& job, bool any_pod_runs) {
  if (const JobKind* kind = described_kind_of(job); kind && !kind->states.empty())
    return state_of_described(*kind, job, any_pod_runs);
  return state_by_conditions(job, any_pod_runs);
}

State state_by_conditions(const Json& job, bool any_pod_runs) {
  bool cancelled = find(job, {"metadata", "annotations", api::kCancelled}) != nullptr;
  if (const api::Condition ended = ended_condition(job)) {
    if (ended.type() != "Failed") return State::succeeded;
    return cancelled ? State::cancelled : State::failed;
  }
  // The pods of a suspended job still run while they are stopping.
  if (any_pod_runs && (cancelled || !api::is_suspended(job)))
    return cancelled ? State::cancelling : State::running;
  // The pods have stopped, but the controller may need seconds to mark the job as ended.
  if (cancelled) return State::cancelled;
  return api::is_suspended(job) && !is_held_by_others(job) ? State::suspended : State::waiting;
}

JobView basic_view_of_job(const Json& job, std::span<const Json* const> pods) {
  JobView view;
  view.kind = shown_kind(job);
  view.name = api::name_of(job);
  view.namespace_name = api::namespace_of(job);
  view.uid = api::uid_of(job);
  view.user = api::label_of(job, api::kUser);
  view.command = api::annotation_of(job, api::kCommand);
  view.created = api::created_at(job).value_or(Time());
  view.submitted = api::annotation_of(job, api::kSubmitted);
  each_pod_template(job, [&](const Json& pod, int replicas) {
    view.pods += replicas;
    const Json& spec = api::spec_of(pod);
    view.gpus += gpus_of_pod(spec) * replicas;
    if (view.node_selector.empty())
      for (const auto& [key, value] : api::node_selector_in(spec).items())
        view.node_selector += (view.node_selector.empty() ? "" : ",") + key + "=" +
                              (value.is_string() ? value.get<std::string>() : value.dump());
    if (view.priority_class.empty()) view.priority_class = api::priority_class_in(spec);
  });
  if (view.kind == "TrainJob") {
    view.pods = static_cast<int>(int_at(job, {"spec", "trainer", "numNodes"}, 1));
    view.gpus = gpus_of_trainer(job) * view.pods;
  }
  const JobKind* described = described_kind_of(job);
  if (described && !shows_pods(*described, job)) count_pods(view, pods);
  view.completions = static_cast<int>(api::completions_of(job, view.pods));
  const Counts counts = counts_of(job);
  bool has_begun = counts.running > 0 || counts.succeeded > 0 || counts.failed > 0;
  // Not all pods of the job run at once, so the job has run since its first pod started.
  const bool runs_in_turns = view.completions > view.pods;
  for (const Json* pod : pods) {
    const bool is_over = api::pod_has_ended(*pod);
    has_begun = has_begun || is_over;
    if (is_over && runs_in_turns) note_start(view, *pod);
    if (!is_over) view.add_node(api::node_of(*pod));
    if (api::phase_of(*pod) != "Running" || is_on_lost_node(*pod)) continue;
    ++view.running;
    note_start(view, *pod);
  }
  if (pods.empty()) view.running = counts.running;
  view.is_at_work = view.running > 0 && (view.kind != "MPIJob" || launcher_has_started(job, pods));
  const bool is_cancelled = !api::annotation_of(job, api::kCancelled).empty();
  if (is_cancelled && std::ranges::any_of(pods, [](const Json* pod) { return is_on_lost_node(*pod); }))
    view.is_at_work = true;
  view.state = state_of(job, view.is_at_work);
  count_ended(view, counts, pods);
  if (view.running > 0 && !view.is_at_work) {
    view.started.reset();
    has_begun = false;
  }
  if (has_ended(view.state))
    for (const Json* pod : pods) note_start(view, *pod);
  // A job's startTime is when its controller first saw it, so it is ignored if the job has not run. It is
  // used only if no pod shows a later start, because the job may have waited since then.
  const bool has_run = has_begun || (has_ended(view.state) && view.state != State::cancelled &&
                                     !ended_while_it_waited(job, pods));
  if (!view.started && has_run)
    view.started = described ? time_in(described->started, job) : api::started_at(job);
  if (has_ended(view.state)) {
    for (const Json* pod : pods) view.add_node(api::node_of(*pod));
    view.finished =
        described ? time_in(described->finished, job) : api::time_at(job, {"status", "completionTime"});
    if (!view.finished) view.finished = ended_condition(job).since();
    if (!view.finished && view.state == State::cancelled) end_while_waiting(view, job, pods);
    leave_out_last_wait(view, job, pods);
  }
  return view;
}

bool is_older(const JobView& a, const JobView& b) {
  if (const auto order = std::tie(a.created, a.submitted) <=> std::tie(b.created, b.submitted); order != 0)
    return order < 0;
  return natural_less(a.name, b.name);
}

bool is_older(const Json& a, const Json& b) {
  const auto key = [](const Json& job) {
    return std::pair(api::creation_text(job), api::annotation_of(job, api::kSubmitted));
  };
  const auto first = key(a), second = key(b);
  return first != second ? first < second : natural_less(api::name_of(a), api::name_of(b));
}

std::string when_in_words(std::optional<Time> next, Time now) {
  using namespace std::chrono;
  const bool is_told = next && now != Time() && *next > now;
  if (!is_told) return "soon";
  const nanoseconds left = *next - now;
  // short_duration() rounds down; "in about 11h" would be wrong a second after a limit of 12 h has begun.
  const seconds half = left < 10min ? 0s : left < 8h ? 30s : left < 8 * 24h ? seconds(30min) : seconds(12h);
  return "in about " + short_duration(left + half);
}

std::string next_attempt_in_words(std::optional<Time> next, const std::string& last_failure, Time now) {
  return "next attempt " + when_in_words(next, now) + ": " + last_failure;
}

std::optional<nanoseconds> JobView::run_time() const {
  if (!has_ended(state)) return {};
  return ran || !started || !finished ? ran : std::optional<nanoseconds>(*finished - *started);
}

/// Events, which may name a cause such as a quota, are not read for a table of jobs.
bool JobView::lacks_pods(Time now) const {
  constexpr std::chrono::seconds kUsual{10};
  return cause.empty() && state == State::waiting && cause_code == CauseCode::no_pods &&
         now - created > kUsual;
}

std::string JobView::cause_at(Time now) const {
  if (lacks_pods(now)) return "no pods: see `kml why " + name + "`";
  if (cause.empty() && state == State::waiting && cause_code == CauseCode::no_pods) return "no pods yet";
  return next_attempt ? next_attempt_in_words(next_attempt, last_failure, now) : cause;
}

}  // namespace kml::job
