#include <algorithm>
#include <queue>

#include "job/logs/container_state.h"
#include "job/logs/finite_log.h"
#include "job/logs/kept_lines.h"
#include "job/logs/open_files.h"
#include "job/logs/sources.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/task.h"
#include "kml/job/why/kueue_check.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// A log to read, with the options for its request.
struct Wanted {
  const LogSource* source;
  kube::LogOptions options;
};

class LogReader {
 public:
  LogReader(kube::Client& client, const LogSelection& selection, LogSink& sink)
      : context_{client, selection, sink}, sources_(selection), kueue_(client) {}

  void run() {
    if (context_.selection.jobs.empty()) find_in_namespace();
    for (const Json& job : context_.selection.jobs) find(job);
    sources_.check_container();
    sources_.check_attempt();
    wanted_.size() == 1 ? read_one() : read_merged();
    if (failure_ && failures_ == wanted_.size()) throw *failure_;
    if (!has_lines_ && failures_ == 0) tell_silence();
  }

 private:
  void find(const Json& job);
  void tell_no_log(const JobOrTask& named, std::span<const Json* const> pods);
  void find_in_namespace();
  bool add_runs(const Json& pod, LogSource facts);
  void add(LogSource source, bool previous, bool gone);
  void read_one();
  void read_merged();
  void tell_silence();
  void take_failure(const Wanted& wanted, const Error& error);
  bool is_wanted(Time time) const { return !context_.selection.until || time <= *context_.selection.until; }

  LogContext context_;
  Sources sources_;
  KueueCheck kueue_;
  std::vector<Wanted> wanted_;
  bool has_lines_ = false;
  std::string silent_job_;  ///< the last job that has run and has not ended; it is silent if no line arrives
  bool keeps_lines_ = false;  ///< whether that job may be a buffering Python program
  size_t failures_ = 0;
  std::optional<Error> failure_;
};

void LogReader::add(LogSource source, bool previous, bool gone) {
  context_.sources.push_back(std::move(source));
  const LogSelection& selection = context_.selection;
  Wanted wanted{&context_.sources.back(), {.container = context_.sources.back().container}};
  wanted.options.previous = previous;
  wanted.options.since_seconds = selection.since;
  if (selection.since_time && !selection.since) wanted.options.since_time = rfc3339(*selection.since_time);
  wanted.options.tail_lines = selection.tail;
  if (gone) wanted.options.gone_uid = wanted.source->pod_uid;
  wanted_.push_back(std::move(wanted));
}

/// Returns false if the container has not yet run.
bool LogReader::add_runs(const Json& pod, LogSource facts) {
  const ContainerState state = container_state(pod, facts.container);
  if (state.run.empty()) return false;
  const bool only_before = context_.selection.previous;
  if (!state.run_before.empty() && (only_before || !context_.selection.tail)) {
    facts.restart = state.restarts - 1;
    add(facts, true, false);
  }
  facts.restart = state.restarts;
  if (!only_before) add(std::move(facts), false, false);
  return true;
}

void LogReader::find(const Json& job) {
  std::vector<Json> pods = context_.selection.pods ? *context_.selection.pods : pods_of(context_.client, job);
  sort_by_age(pods);
  const size_t before = wanted_.size();
  if (context_.selection.gone_pods)
    for (LogSource& source : gone_sources(context_.client, job, pods, sources_))
      add(std::move(source), false, true);
  bool has_run = wanted_.size() > before;
  for (const Json& pod : pods)
    for (LogSource& source : sources_.of(pod, &job)) has_run |= add_runs(pod, std::move(source));
  if (has_run && !has_ended(state_of(job, false))) {
    silent_job_ = api::name_of(job);
    for (const Json& pod : pods)
      for (const std::string& container : containers_of(pod)) keeps_lines_ |= may_keep_lines(pod, container);
  }
  if (has_run) return;
  if (context_.selection.jobs.size() == 1) {
    sources_.check_container();
    sources_.check_attempt();
  }
  std::vector<const Json*> all;
  for (const Json& pod : pods) all.push_back(&pod);
  const auto tasks = context_.selection.tasks.find(api::namespace_of(job) + "/" + api::name_of(job));
  if (tasks == context_.selection.tasks.end()) return tell_no_log({job}, all);
  for (const int task : tasks->second) tell_no_log({job, task}, all);
}

/// Says why the job or task has no log.
void LogReader::tell_no_log(const JobOrTask& named, std::span<const Json* const> pods) {
  const std::vector<const Json*> own = named.own(pods);
  const Json job = named.as_job(own);
  JobView view = view_of_job(job, own);
  kueue_.correct(job, view);
  if (const auto waits = task_waits(named, own)) view.cause = waits->brief;
  if (!named.task) add_earlier_run(context_.client, job, view);
  const bool never_ran =
      !view.started && !view.ran && (view.state == State::cancelled || api::started_at(job));
  const std::string cause = view.cause.empty() ? "" : " (" + view.cause + ")";
  const std::string state = std::string(in_words(view.state)) + cause;
  LogEvent event{LogEvent::Kind::waiting,
                 !has_ended(view.state)
                     ? named.name() + " has no log yet: it is " + state
                     : named.name() + ": " + state + (never_ran ? "; it never ran" : "; no log is left")};
  event.job = &named.job;
  event.view = &view;
  context_.sink.event(event);
}

void LogReader::find_in_namespace() {
  const LogSelection& selection = context_.selection;
  std::vector<Json> pods = context_.client
                               .list(*api::find_kind("v1", "Pod"), selection.namespace_name,
                                     {.label_selector = selection.pod_selector})
                               .items;
  Ownership ownership;
  if (selection.owners)
    std::erase_if(pods,
                  [&](const Json& pod) { return !ownership.has(context_.client, *selection.owners, pod); });
  sort_by_age(pods);
  for (const Json& pod : pods)
    for (LogSource& source : sources_.of(pod, nullptr)) add_runs(pod, std::move(source));
}

void LogReader::tell_silence() {
  const LogSelection& selection = context_.selection;
  const bool wants_all = !selection.tail && !selection.since && !selection.since_time && !selection.until;
  if (!silent_job_.empty() && wants_all && !selection.previous)
    context_.sink.event({LogEvent::Kind::silent, silence_in_words(silent_job_, keeps_lines_)});
}

void LogReader::take_failure(const Wanted& wanted, const Error& error) {
  const LogSource& source = *wanted.source;
  if (!wanted.options.gone_uid.empty() && error.http_status / 100 == 4) return;  // a pod without a log
  ++failures_;
  if (!failure_) failure_ = error;
  LogEvent event{LogEvent::Kind::trouble,
                 "the log of pod " + source.pod + ", container " + source.container +
                     " cannot be read: " + (error.why.empty() ? error.message : error.why)};
  event.source = &source;
  if (wanted_.size() > 1) context_.sink.event(event);
}

/// Passes lines straight from the network to the sink, because there is a single log.
void LogReader::read_one() {
  const LogSource& source = *wanted_[0].source;
  std::vector<LogLine> lines;
  FiniteLog log(context_, source, wanted_[0].options, [&](std::span<const kube::LogText> texts) {
    lines.clear();
    for (const kube::LogText& text : texts)
      if (is_wanted(text.time))
        lines.push_back({&source, text.time, text.stamp, text.text, text.begins, text.ends});
    context_.sink.lines(lines);
  });
  while (!log.ended()) context_.client.transport().wait(std::chrono::seconds(10));
  has_lines_ = log.has_lines();
  if (log.failure()) take_failure(wanted_[0], *log.failure());
}

void LogReader::read_merged() {
  std::deque<FiniteLog> logs;
  for (const Wanted& wanted : wanted_) logs.emplace_back(context_, *wanted.source, wanted.options);
  const auto later = [&logs](size_t a, size_t b) {
    const Time first = logs[a].front()->time, second = logs[b].front()->time;
    return first != second ? first > second : a > b;
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> next(later);  // logs with waiting lines
  // logs without waiting lines that may get more
  std::vector<size_t> empty;
  for (size_t i = 0; i < logs.size(); ++i) empty.push_back(i);
  std::vector<LogLine> batch;
  while (!empty.empty() || !next.empty()) {
    std::erase_if(empty, [&](size_t i) {
      if (logs[i].front()) next.push(i);
      return logs[i].front() || logs[i].ended();
    });
    if (!empty.empty()) {
      context_.client.transport().wait(std::chrono::seconds(10));
      continue;
    }
    // As long as every log has a waiting line, no line that is still to come can be earlier than the
    // earliest waiting line.
    size_t drained = logs.size();
    while (drained == logs.size() && !next.empty()) {
      const size_t i = next.top();
      next.pop();
      if (const LogLine line = logs[i].take(); is_wanted(line.time)) batch.push_back(line);
      if (logs[i].front())
        next.push(i);
      else
        drained = i;
    }
    context_.sink.lines(batch);
    batch.clear();
    if (drained == logs.size()) continue;
    logs[drained].go_on();
    empty.push_back(drained);
  }
  for (const FiniteLog& log : logs) has_lines_ |= log.has_lines();
  for (size_t i = 0; i < logs.size(); ++i)
    if (logs[i].failure()) take_failure(wanted_[i], *logs[i].failure());
}

}  // namespace

void read_logs(kube::Client& client, const LogSelection& selection, LogSink& sink) {
  allow_many_open_files();
  LogReader(client, selection, sink).run();
}

}  // namespace kml::job
