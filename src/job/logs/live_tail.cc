#include "job/logs/live_tail.h"

#include <utility>

namespace kml::job {

namespace {

/// How long a complete line may take to reach the log. After that, its live text is removed.
constexpr std::chrono::milliseconds kUntilLogged{1000};

}  // namespace

LiveTail::LiveTail(LogContext& context, const LogSource& source) : context_(context), source_(source) {
  kube::RemoteHandler handler{.on_output = [this](bool, std::string_view bytes) { add(bytes); },
                              .on_end =
                                  [this](std::optional<int>, const Error* error) {
                                    if (error) failed(*error);
                                  }};
  try {
    process_ = std::make_unique<kube::RemoteProcess>(
        context.client,
        kube::RemoteCommand{
            .namespace_name = source.namespace_name, .pod = source.pod, .container = source.container},
        std::move(handler));
  } catch (const Error& error) {
    failed(error);
  }
}

void LiveTail::hide() {
  if (std::exchange(is_shown_, false)) context_.sink.unfinished({&source_, {}, {}, "", true, false});
}

void LiveTail::show_after(const kube::LogText& last) {
  is_inside_ = !last.ends;
  if (has_ended_ || (last.ends && last.text.ends_with(begun_))) begun_.clear();
  show();
}

void LiveTail::add(std::string_view bytes) {
  const size_t newline = bytes.rfind('\n');
  const std::string_view rest = newline == std::string_view::npos ? bytes : bytes.substr(newline + 1);
  if (newline != std::string_view::npos) is_inside_ = false;
  if (newline != std::string_view::npos && rest.empty()) {
    has_ended_ = true;
    removal_ = context_.client.transport().after(kUntilLogged, [this] {
      if (has_ended_) hide();
    });
    return;
  }
  if (std::exchange(has_ended_, false) || newline != std::string_view::npos) begun_.clear();
  begun_ += rest;
  // Keeps only the text from the last '\r' on (a '\r' at the end aside), because a program that redraws its
  // line may never end it.
  const size_t redrawn = std::string_view(begun_).substr(0, begun_.size() - 1).rfind('\r');
  if (redrawn != std::string::npos) begun_.erase(0, redrawn);
  if (begun_.size() > kube::kLongestPiece) begun_.erase(0, begun_.size() - kube::kLongestPiece);
  show();
}

/// Replaces the shown text. It cannot be extended, because a redrawn or shortened line does not start with
/// the shown text.
void LiveTail::show() {
  hide();
  // If the log has already printed a part of this line, live text would overwrite that part. So live text is
  // only shown if the program itself returns to the start of the line.
  if (begun_.empty() || (is_inside_ && !begun_.starts_with('\r'))) return;
  is_shown_ = true;
  context_.sink.unfinished({&source_, {}, {}, begun_, !is_inside_, false});
}

void LiveTail::failed(const Error& error) {
  LogEvent event{LogEvent::Kind::trouble, "pod " + source_.pod + ", container " + source_.container +
                                              ": its output is not shown live: " + message_and_why(error)};
  event.source = &source_;
  event.pod = source_.pod;
  context_.sink.event(event);
}

}  // namespace kml::job
