#include "job/logs/run_output.h"

namespace kml::job {

void RunOutput::begin(const LogSource& run) {
  run_ = &run;
  begun_ = context_.client.transport().now();
  last_.reset();
  is_complete_ = false;
}

void RunOutput::take(std::span<const kube::LogText> lines) {
  is_complete_ = false;
  const std::optional<Time>& until = context_.selection.until;
  lines_.clear();
  for (const kube::LogText& line : lines) {
    if (until && line.time > *until) {
      has_reached_end_ = true;
      continue;
    }
    lines_.push_back({run_, line.time, line.stamp, line.text, line.begins, line.ends});
  }
  last_ = lines.back().time;
  if (tail_) tail_->hide();
  if (!lines_.empty()) context_.sink.lines(lines_);
  if (tail_) tail_->show_after(lines.back());
}

void RunOutput::show_unfinished(const kube::LogText& line) {
  if (context_.selection.until && line.time > *context_.selection.until) return;
  context_.sink.unfinished({run_, line.time, line.stamp, line.text, line.begins, line.ends});
}

void RunOutput::show_live() {
  if (!tail_) tail_.emplace(context_, *run_);
}

void RunOutput::end() {
  if (tail_) tail_->hide();
  tail_.reset();
}

std::chrono::milliseconds RunOutput::age() const {
  return floor<std::chrono::milliseconds>(context_.client.transport().now() - begun_);
}

}  // namespace kml::job
