#include "job/logs/finite_log.h"

#include <utility>

#include "kml/kube/objects/status.h"

namespace kml::job {

namespace {

/// In a row.
constexpr int kMostFailures = 5;

}  // namespace

FiniteLog::FiniteLog(LogContext& context, const LogSource& source, kube::LogOptions options,
                     Straight straight)
    : source_(source) {
  kube::LogStreamHandler handler;
  handler.on_lines = [this, straight = std::move(straight)](std::span<const kube::LogText> lines) {
    has_lines_ = true;
    failures_ = 0;
    straight ? straight(lines) : keep(lines);
  };
  handler.on_doubt = [this] { stream_->accept(); };
  handler.on_gap = [&context, &source](Time last, Time next) {
    LogEvent gap{
        LogEvent::Kind::gap,
        "pod " + source.pod + ": lines may be missing: the node rotated the log while kml was reading it"};
    gap.source = &source;
    gap.from = last;
    gap.to = next;
    context.sink.event(gap);
  };
  handler.on_lost = [this, &context, &source](std::string_view text) {
    LogEvent gap{LogEvent::Kind::gap, "pod " + source.pod + ", container " + source.container +
                                          ": lines are missing: " + std::string(text)};
    gap.source = &source;
    context.sink.event(gap);
  };
  handler.on_end = [this] {
    stream_->finish();
    ended_ = true;
  };
  handler.on_failure = [this, &context](const Error& error) {
    if (api::is_passing(error.http_status) && ++failures_ < kMostFailures) return ask_later(context);
    failure_ = error;
    ended_ = true;
  };
  stream_ = kube::make_log_stream(context.client, source.namespace_name, source.pod, std::move(handler),
                                  context.selection.cut);
  const LogSink::Kept kept =
      context.sink.kept(source, [this](Time time, std::string_view text) { stream_->recall(time, text); });
  ended_ = kept == LogSink::Kept::all;
  has_lines_ = kept != LogSink::Kept::nothing;
  options_ = std::move(options);
  if (!ended_) stream_->ask(options_);
}

void FiniteLog::ask_later(LogContext& context) {
  again_ = context.client.transport().after(std::chrono::seconds(1), [this] { stream_->ask(options_); });
}

void FiniteLog::keep(std::span<const kube::LogText> lines) {
  size_t size = 0;
  for (const kube::LogText& line : lines) size += line.stamp.size() + line.text.size();
  std::string& buffer = buffers_.emplace_back();
  buffer.reserve(size);  // the buffer is allocated at once, so that views of the text stay valid
  const auto copy = [&buffer](std::string_view text) {
    const size_t at = buffer.size();
    buffer += text;
    return std::string_view(buffer).substr(at);
  };
  for (const kube::LogText& line : lines)
    lines_.push_back({&source_, line.time, copy(line.stamp), copy(line.text), line.begins, line.ends});
  stream_->pause(true);
}

void FiniteLog::go_on() {
  lines_.clear();
  buffers_.clear();
  next_ = 0;
  if (!ended_) stream_->pause(false);
}

}  // namespace kml::job
