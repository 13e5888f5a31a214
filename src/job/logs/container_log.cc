#include "job/logs/container_log.h"

#include <utility>

#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

using std::chrono::milliseconds;

/// How long a response may continue after the container's end before kml considers the connection dead.
constexpr milliseconds kLinger{10'000};
constexpr int kMostFailuresAtEnd = 5;
constexpr const char* kRotated = "the node rotated the log while kml was not reading it";

void start_where_wanted(const LogSelection& selection, kube::LogOptions& options) {
  options.since_seconds = selection.since;
  if (selection.since_time && !selection.since) options.since_time = rfc3339(*selection.since_time);
  options.tail_lines = selection.tail;
}

}  // namespace

ContainerLog::ContainerLog(LogContext& context, LogSource facts)
    : context_(context),
      facts_(std::move(facts)),
      runs_(context.selection),
      report_(context.sink, facts_),
      output_(context),
      slot_(context.slots, facts_.node),
      question_(context.client.transport()) {}

void ContainerLog::update(const ContainerState& state) {
  if (state.run.empty() || runs_.is_gone()) return;
  runs_.update(state);
  step();
}

void ContainerLog::read_kept() {
  runs_.pod_is_gone();
  runs_.update({.run = "kept", .ended = true});
  begin({.id = "kept"});
}

void ContainerLog::pod_is_gone() {
  runs_.pod_is_gone();
  step();
}

milliseconds ContainerLog::silent() const {
  return phase_ == Phase::idle || has_lines() ? milliseconds(0) : output_.age();
}

void ContainerLog::step() {
  if (phase_ == Phase::idle) {
    while (phase_ == Phase::idle && !output_.has_reached_end()) {
      const std::optional<ContainerRuns::Run> next = runs_.next();
      if (!next) return;
      if (next->lost > 0)
        report_.gap({}, {},
                    std::to_string(next->lost) + (next->lost == 1 ? " earlier run" : " earlier runs") +
                        " of this container can no longer be read");
      begin(*next);
    }
    return;
  }
  if (!runs_.has_ended()) return;
  if (phase_ == Phase::waits) return ask();
  if (phase_ == Phase::reads && !timer_)
    timer_ = context_.client.transport().after(kLinger, [this] {
      if (phase_ == Phase::reads) ask();
    });
}

void ContainerLog::begin(const ContainerRuns::Run& run) {
  runs_.begin(run);
  from_start_ = !context_.begun;
  context_.sources.push_back(facts_);
  context_.sources.back().restart = run.restart;
  const LogSource& source = context_.sources.back();
  report_.set_run(source);
  output_.begin(source);
  pace_.start_over();
  has_looked_twice_ = false;
  phase_ = Phase::waits;
  stream_ = kube::make_log_stream(
      context_.client, facts_.namespace_name, facts_.pod,
      {.on_lines = [this](std::span<const kube::LogText> lines) { take(lines); },
       .on_unfinished = [this](const kube::LogText& line) { output_.show_unfinished(line); },
       .on_doubt =
           [this] {
             question_.ask(facts_.namespace_name, facts_.pod,
                           [this](int status, const Json& pod) { settle_doubt(status, pod); });
           },
       .on_gap = [this](Time last, Time next) { report_.gap(last, next, kRotated); },
       .on_lost = [this](std::string_view text) { report_.lost(output_.last(), text); },
       .on_end = [this] { ended(); },
       .on_failure = [this](const Error& error) { failed(error); }},
      context_.selection.cut);
  const LogSink::Kept kept = context_.sink.kept(source, [this](Time time, std::string_view text) {
    output_.recall(time);
    stream_->recall(time, text);
  });
  if (kept == LogSink::Kept::all) return close();
  report_.began();
  if (runs_.has_ended() || context_.patience == milliseconds(0))
    ask();
  else
    ask_later(context_.patience);
}

void ContainerLog::ask() {
  timer_.reset();
  question_.drop();
  slot_.release();
  if (runs_.is_gone() && !context_.selection.gone_pods) return finish_gone();
  if (runs_.is_lost()) {
    report_.gap(output_.last(), {},
                "the container was restarted twice: the end of the log of this run can no longer be read");
    return finish_run();
  }
  phase_ = runs_.has_ended() ? Phase::reads_to_end : Phase::reads;
  const LogSelection& selection = context_.selection;
  kube::LogOptions options{
      .container = facts_.container, .previous = runs_.is_before(), .unfinished = selection.unfinished};
  options.follow = phase_ == Phase::reads && slot_.take();
  if (runs_.is_gone()) options.gone_uid = facts_.pod_uid;
  if (from_start_) start_where_wanted(selection, options);
  if (options.follow && selection.attach) output_.show_live();
  stream_->ask(std::move(options));
}

void ContainerLog::ask_later(milliseconds delay) {
  timer_ = context_.client.transport().after(delay, [this] { ask(); });
}

void ContainerLog::take(std::span<const kube::LogText> lines) {
  pace_.start_over();
  output_.take(lines);
  if (!output_.has_reached_end()) return;
  slot_.release();
  close();
}

void ContainerLog::ended() {
  const bool followed = slot_.is_taken();
  slot_.release();
  const bool read_to_end = std::exchange(phase_, Phase::waits) == Phase::reads_to_end;
  pace_.response_ended();
  output_.response_ended();
  timer_.reset();
  if (read_to_end && may_lack_lines()) {
    has_looked_twice_ = true;
    phase_ = Phase::waits_at_end;
    return ask_later(LogPace::kFirst);
  }
  if (read_to_end) {
    if (stream_->lost_track()) report_.gap(output_.last(), {}, kRotated);
    return finish_run();
  }
  if (runs_.has_ended()) return ask();
  ask_later(pace_.after_end(followed));
}

/// See LogContext::looks_twice.
bool ContainerLog::may_lack_lines() const {
  const std::optional<ContainerExit> exit = runs_.exit();
  return context_.looks_twice && !has_looked_twice_ && !has_lines() && exit && !exit->is_bad();
}

void ContainerLog::failed(const Error& error) {
  slot_.release();
  phase_ = phase_ == Phase::reads_to_end ? Phase::waits_at_end : Phase::waits;
  timer_.reset();
  if (error.http_status == 401 || error.http_status == 403) {
    context_.failure = error;
    return;
  }
  if (error.http_status == 404) {
    const bool asked_for_kept = runs_.is_gone() && context_.selection.gone_pods;
    runs_.pod_is_gone();
    if (context_.selection.gone_pods && !asked_for_kept) return ask();
    return finish_gone();
  }
  const std::string why = error.why.empty() ? error.message : error.why;
  const int failures = pace_.count_failure();
  if (failures >= kMostFailuresAtEnd && phase_ == Phase::waits_at_end) {
    report_.gap(output_.last(), {}, "the end of this log cannot be read: " + why);
    return finish_run();
  }
  // A single failure may only mean that the container is being created or removed.
  if (failures > 1 && error.http_status != 400) report_.trouble(why);
  ask_later(pace_.after_failure());
}

/// Decides from the pod's status whether the log that was read after a gap still belongs to this run. The
/// status is requested after the log, so if the status still shows this run, the log was this run's.
void ContainerLog::settle_doubt(int http_status, const Json& pod) {
  if (http_status == 404) return stream_->accept();
  if (!pod.is_object() || api::uid_of(pod) != facts_.pod_uid) return ask_later(LogPace::kFirst);
  const ContainerState state = container_state(pod, facts_.container);
  if (runs_.is_same_in(state)) return stream_->accept();
  if (!state.run.empty()) runs_.update(state);
  ask();
}

/// A followed response normally ends cleanly only when the container ends. So if the last one did, nothing is
/// reported as missing.
void ContainerLog::finish_gone() {
  if (!output_.is_complete())
    report_.gap(output_.last(), {}, "the pod was deleted before its log had been read to the end");
  finish_run();
}

void ContainerLog::finish_run() {
  if (stream_) stream_->finish();
  close();
  report_.run_ended(runs_.exit());
  step();
}

void ContainerLog::close() {
  stream_.reset();
  output_.end();
  phase_ = Phase::idle;
}

}  // namespace kml::job
