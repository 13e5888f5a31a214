#include "job/logs/container_log.h"
#include "kml/kube/objects/object.h"

#include <algorithm>
#include <utility>

#include "kml/base/memory.h"

namespace kml::job {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The pause before the next request, if a response has ended but the container's end is not yet known. It
/// grows from the first value to the second while responses bring no lines.
constexpr milliseconds kFirstPause{1000}, kLongestPause{8000};
/// The pause between two requests for a log that cannot be followed, because too many logs on its node are
/// being followed.
constexpr milliseconds kPollPause{5000};
/// How long a response may continue after the container's end before it is considered hanging.
constexpr milliseconds kLinger{10'000};
constexpr int kMostFailuresAtEnd = 5;

}  // namespace

ContainerLog::ContainerLog(LogContext& context, LogSource facts)
    : context_(context), facts_(std::move(facts)) {}

void ContainerLog::update(const ContainerState& state) {
  if (state.run.empty() || gone_) return;
  state_ = state;
  step();
}

void ContainerLog::read_kept() {
  gone_ = true;
  state_ = {.run = "kept", .ended = true};
  begin(state_.run, 0);
}

void ContainerLog::pod_is_gone() {
  gone_ = true;
  step();
}

milliseconds ContainerLog::silent() const {
  if (phase_ == Phase::idle || last_) return {};
  return floor<milliseconds>(context_.client.transport().now() - begun_);
}

void ContainerLog::step() {
  if (phase_ == Phase::idle) return begin_runs();
  if (!run_has_ended()) return;
  if (phase_ == Phase::waits) return ask();
  if (phase_ == Phase::reads && !timer_)
    timer_ = context_.client.transport().after(kLinger, [this] {
      if (phase_ == Phase::reads) ask();
    });
}

void ContainerLog::begin_runs() {
  std::string run;
  int restart = 0;
  while (phase_ == Phase::idle && next_run(run, restart)) begin(run, restart);
}

/// Finds the run to read next; false if there is none.
bool ContainerLog::next_run(std::string& run, int& restart) {
  const bool first = run_.empty();
  if (gone_ || until_reached_ || state_.run.empty() || state_.run == run_) return false;
  const int unread = first ? state_.restarts : state_.restarts - source_->restart - 1;
  const bool wants_before = first ? !context_.selection.tail : unread > 0;
  const bool only_before = context_.selection.previous;
  if (only_before && (!first || state_.run_before.empty())) return false;
  if ((wants_before || only_before) && state_.run_before != run_ && !state_.run_before.empty()) {
    run = state_.run_before;
    restart = state_.restarts - 1;
  } else {
    run = state_.run;
    restart = state_.restarts;
  }
  const int skipped = first ? restart : restart - source_->restart - 1;
  if (skipped > 0 && wants_before && !only_before)
    tell_gap({}, {},
             std::to_string(skipped) + (skipped == 1 ? " earlier run" : " earlier runs") +
                 " of this container can no longer be read");
  return true;
}

void ContainerLog::begin(const std::string& run, int restart) {
  run_ = run;
  from_start_ = !context_.begun;
  context_.sources.push_back(facts_);
  context_.sources.back().restart = restart;
  source_ = &context_.sources.back();
  failures_ = quiet_ends_ = 0;
  last_trouble_.clear();
  last_.reset();
  begun_ = context_.client.transport().now();
  ended_cleanly_ = false;
  phase_ = Phase::waits;
  stream_ =
      kube::make_log_stream(context_.client, facts_.namespace_name, facts_.pod,
                            {.on_lines = [this](std::span<const kube::LogText> lines) { take(lines); },
                             .on_unfinished = [this](const kube::LogText& line) { show(line); },
                             .on_doubt = [this] { doubt(); },
                             .on_gap =
                                 [this](Time last, Time next) {
                                   tell_gap(last, next, "the node rotated the log while it was not read");
                                 },
                             .on_lost = [this](std::string_view text) { tell_lost(text); },
                             .on_end = [this] { ended(); },
                             .on_failure = [this](const Error& error) { failed(error); }},
                            context_.selection.cut);
  const LogSink::Kept kept = context_.sink.kept(*source_, [this](Time time, std::string_view text) {
    last_ = time;
    stream_->recall(time, text);
  });
  if (kept == LogSink::Kept::all) return close();
  context_.sink.event(event(LogEvent::Kind::began, "its log starts"));
  if (run_has_ended() || context_.patience == milliseconds(0))
    ask();
  else
    ask_later(context_.patience);
}

void ContainerLog::ask() {
  timer_.reset();
  pod_request_.reset();
  release_slot();
  const bool is_before = run_ != state_.run;
  if (gone_ && !context_.selection.gone_pods) return finish_gone();
  if (is_before && run_ != state_.run_before) {
    tell_gap(last_, {}, "the container was restarted twice: the end of this run can no longer be read");
    return finish_run();
  }
  kube::LogOptions options{
      .container = facts_.container, .previous = is_before, .unfinished = context_.selection.unfinished};
  phase_ = run_has_ended() ? Phase::reads_to_end : Phase::reads;
  if (phase_ == Phase::reads) options.follow = has_slot_ = context_.slots.take(facts_.node);
  if (options.follow && context_.selection.attach && !tail_) tail_.emplace(context_, *source_);
  if (gone_) options.gone_uid = facts_.pod_uid;
  if (from_start_) {
    const LogSelection& selection = context_.selection;
    options.since_seconds = selection.since;
    if (selection.since_time && !selection.since) options.since_time = rfc3339(*selection.since_time);
    options.tail_lines = selection.tail;
  }
  stream_->ask(std::move(options));
}

void ContainerLog::ask_later(milliseconds delay) {
  timer_ = context_.client.transport().after(delay, [this] { ask(); });
}

void ContainerLog::take(std::span<const kube::LogText> lines) {
  failures_ = quiet_ends_ = 0;
  ended_cleanly_ = false;
  const std::optional<Time>& until = context_.selection.until;
  lines_.clear();
  for (const kube::LogText& line : lines) {
    if (until && line.time > *until) {
      until_reached_ = true;
      continue;
    }
    lines_.push_back({source_, line.time, line.stamp, line.text, line.begins, line.ends});
  }
  last_ = lines.back().time;
  if (tail_) tail_->hide();
  if (!lines_.empty()) context_.sink.lines(lines_);
  if (tail_) tail_->show_after(lines.back());
  if (!until_reached_) return;
  release_slot();
  close();
}

void ContainerLog::show(const kube::LogText& line) {
  if (context_.selection.until && line.time > *context_.selection.until) return;
  context_.sink.unfinished({source_, line.time, line.stamp, line.text, line.begins, line.ends});
}

void ContainerLog::ended() {
  const bool followed = has_slot_;
  release_slot();
  const bool read_to_end = std::exchange(phase_, Phase::waits) == Phase::reads_to_end;
  failures_ = 0;
  ended_cleanly_ = true;
  timer_.reset();
  if (read_to_end) {
    if (stream_->lost_track()) tell_gap(last_, {}, "the node rotated the log while it was not read");
    return finish_run();
  }
  if (run_has_ended()) return ask();
  ask_later(followed ? std::min(kFirstPause * (1 << std::min(quiet_ends_++, 3)), kLongestPause) : kPollPause);
}

void ContainerLog::failed(const Error& error) {
  release_slot();
  phase_ = phase_ == Phase::reads_to_end ? Phase::waits_at_end : Phase::waits;
  timer_.reset();
  if (error.http_status == 401 || error.http_status == 403) {
    context_.failure = error;
    return;
  }
  if (error.http_status == 404) {
    const bool asked_for_kept = gone_ && context_.selection.gone_pods;
    gone_ = true;
    if (context_.selection.gone_pods && !asked_for_kept) return ask();
    return finish_gone();
  }
  const std::string why = error.why.empty() ? error.message : error.why;
  if (++failures_ >= kMostFailuresAtEnd && phase_ == Phase::waits_at_end) {
    tell_gap(last_, {}, "the end of this log cannot be read: " + why);
    return finish_run();
  }
  // A single failure may only mean that the container is being created or removed.
  if (failures_ > 1 && error.http_status != 400 && std::exchange(last_trouble_, why) != why)
    context_.sink.event(event(LogEvent::Kind::trouble, "its log cannot be read now: " + why));
  ask_later(std::min<milliseconds>(milliseconds(500) * (1 << std::min(failures_, 6)), seconds(30)));
}

/// Checks by the pod's status whether the log after a gap still belongs to this run. The status is requested
/// after the log, so if it shows this run, the log was of this run too.
void ContainerLog::doubt() {
  pod_text_.clear();
  const http::Request request{.path = api::find_kind("v1", "Pod")->path(facts_.namespace_name, facts_.pod),
                              .headers = {{"Accept", "application/json"}}};
  pod_request_ = context_.client.transport().stream(
      request, {.on_data =
                    [this](std::string_view data) {
                      if (pod_text_.size() <= kLargestObject) pod_text_ += data;
                      return true;
                    },
                .on_end = [this](const http::Response& response,
                                 const Error* broken) { settle_doubt(response, broken); }});
}

void ContainerLog::settle_doubt(const http::Response& response, const Error* broken) {
  const Json pod = broken ? Json() : Json::parse(std::exchange(pod_text_, {}), nullptr, false);
  if (response.status == 404) return stream_->accept();
  if (!pod.is_object() || api::uid_of(pod) != facts_.pod_uid) return ask_later(kFirstPause);
  const bool asked_before = run_ != state_.run;
  const ContainerState state = container_state(pod, facts_.container);
  if ((asked_before ? state.run_before : state.run) == run_) return stream_->accept();
  if (!state.run.empty()) state_ = state;
  ask();
}

/// A followed response only ends cleanly when the container ends, so nothing is missing in that case.
void ContainerLog::finish_gone() {
  if (!ended_cleanly_) tell_gap(last_, {}, "the pod was deleted before its log had been read to the end");
  finish_run();
}

void ContainerLog::finish_run() {
  if (stream_) stream_->finish();
  close();
  LogEvent end = event(LogEvent::Kind::run_ended, "");
  end.exit = run_ == state_.run ? state_.exit : run_ == state_.run_before ? state_.exit_before : std::nullopt;
  end.text = end.exit ? "ended: " + in_words(*end.exit) : "ended";
  context_.sink.event(end);
  begin_runs();
}

void ContainerLog::close() {
  stream_.reset();
  if (tail_) tail_->hide();
  tail_.reset();
  phase_ = Phase::idle;
}

void ContainerLog::release_slot() {
  if (std::exchange(has_slot_, false)) context_.slots.give_back(facts_.node);
}

void ContainerLog::tell_gap(std::optional<Time> from, std::optional<Time> to, const std::string& why) {
  const std::string between = !from ? ""
                              : !to ? " after " + rfc3339_nano(*from)
                                    : " between " + rfc3339_nano(*from) + " and " + rfc3339_nano(*to);
  LogEvent gap = event(LogEvent::Kind::gap, "lines" + between + " may be missing: " + why);
  gap.from = from;
  gap.to = to;
  context_.sink.event(gap);
}

void ContainerLog::tell_lost(std::string_view text) {
  const std::string after = last_ ? " after " + rfc3339_nano(*last_) : "";
  LogEvent gap = event(LogEvent::Kind::gap, "lines" + after + " are missing: " + std::string(text));
  gap.from = last_;
  context_.sink.event(gap);
}

LogEvent ContainerLog::event(LogEvent::Kind kind, const std::string& text) const {
  LogEvent event{kind, "pod " + facts_.pod + ", container " + facts_.container + ": " + text};
  event.source = source_;
  event.pod = facts_.pod;
  return event;
}

}  // namespace kml::job
