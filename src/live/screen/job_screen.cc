#include "live/screen/job_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/text.h"
#include "kml/ui/sparkline.h"
#include "live/model/log_metrics.h"
#include "live/model/own_command.h"
#include "live/screen/actions.h"
#include "live/screen/columns.h"

namespace kml::live {

namespace {

constexpr size_t kMostValues = 2000, kMostMetrics = 50;
/// `kml why` sends about ten requests to the server, so it does not run again at every change of the cause.
constexpr std::chrono::seconds kWhyPause{2};

TerminalSize wide_size(TerminalSize size) {
  return {size.columns, std::max(size.rows, 10)};
}

std::string known_facts(const Json& data) {
  return string_at(data, {"state"}) + "\n" + string_at(data, {"cause"}) + "\n" +
         string_at(data, {"podCounts"});
}

std::string uid_of(const Row& row) {
  return string_at(parse_json(row.data, "a row"), {"uid"});
}

/// A line that begins a part of the screen.
void draw_heading(Canvas& canvas, size_t row, const std::string& words) {
  std::string title = "── " + words + " ";
  while (ui::display_width(title) < canvas.columns()) title += ui::locale_is_utf8() ? "─" : "-";
  canvas.put(row, 0, title, "2");
}

}  // namespace

JobScreen::JobScreen(const Row& row, const cli::GlobalOptions& options, Outside& outside, TerminalSize size)
    : options_(options),
      outside_(outside),
      size_(wide_size(size)),
      name_(job_argument(parse_json(row.data, "a row"))),
      uid_(uid_of(row)),
      log_(std::make_unique<Pane>([this](const std::string& line) { take_line(line); })) {
  outside_.start(*log_, command_for(options_, row, {"logs", "-f", name_}), size_);
}

JobScreen::~JobScreen() {
  for (const auto& pane : {&why_, &next_why_, &log_})
    if (*pane) outside_.stop(**pane);
}

bool JobScreen::shows(const Row& row) const {
  return uid_of(row) == uid_;
}

void JobScreen::start_why(const Row& row) {
  next_why_ = std::make_unique<Pane>();
  outside_.start(*next_why_, command_for(options_, row, {"why", name_}), size_);
}

void JobScreen::update(const Row* row, Time now) {
  if (next_why_ && next_why_->has_ended()) {
    outside_.stop(*next_why_);
    why_ = std::move(next_why_);
    why_time_ = why_started_;
  }
  if (row) update_why(*row, now);
}

/// A text about another state contradicts the screen's first line, so it is dropped at once.
void JobScreen::update_why(const Row& row, Time now) {
  const Json data = parse_json(row.data, "a row");
  const std::string state = string_at(data, {"state"}), facts = known_facts(data);
  if (state != known_state_) {
    for (auto* pane : {&why_, &next_why_})
      if (*pane) outside_.stop(**pane);
    why_.reset();
    next_why_.reset();
  } else if (facts == known_ || next_why_ || now - why_started_ < kWhyPause) {
    return;
  }
  known_ = facts;
  known_state_ = state;
  why_started_ = now;
  start_why(row);
}

void JobScreen::resize(TerminalSize size) {
  size_ = wide_size(size);
  for (const auto& pane : {&next_why_, &log_})
    if (*pane) outside_.resize(**pane, size_);
  known_.clear();
  why_started_ = {};
}

void JobScreen::take_line(const std::string& line) {
  for (const auto& [name, value] : shown_metrics(line)) {
    const auto found = metrics_.find(name);
    if (found == metrics_.end() && metrics_.size() >= kMostMetrics) continue;
    if (found == metrics_.end()) names_.push_back(name);
    std::vector<double>& values = metrics_[name];
    values.push_back(value);
    if (values.size() > kMostValues) values.erase(values.begin(), values.begin() + kMostValues / 2);
  }
}

std::vector<std::string> JobScreen::lines_of_metrics(size_t columns) const {
  std::vector<std::string> lines;
  for (const std::string& name : names_) {
    const std::vector<double>& values = metrics_.at(name);
    const std::string value = ui::number_text(values.back());
    const size_t room = columns > 40 ? std::min<size_t>(columns - 40, 60) : 8;
    lines.push_back(fmt::format("{:<20} {:>10}  {}", ui::cut_to(name, 20), value,
                                ui::sparkline(values, room, ui::locale_is_utf8())));
  }
  return lines;
}

/// The durations in the text were right when its command ran, so the heading says how long ago that was.
void JobScreen::draw_why(Canvas& canvas, size_t& at, size_t end, Time now) {
  constexpr std::chrono::seconds kNew{2};
  const size_t most = std::max<size_t>((end - at) / 3, 2);
  const bool is_old = why_ && now - why_time_ >= kNew;
  draw_heading(canvas, at++,
               !why_    ? "why: reading …"
               : is_old ? "why, " + since(why_time_, now) + " ago"
                        : "why");
  if (!why_) return;
  std::vector<std::string> lines = why_->text();
  // The first line repeats the job's name and state, unless it is an error.
  if (!lines.empty() && !lines[0].starts_with("kml: error: ")) lines.erase(lines.begin());
  for (size_t i = 0; i < std::min(most, lines.size()) && at < end; ++i) canvas.put(at++, 0, lines[i]);
}

void JobScreen::draw(Canvas& canvas, size_t top, size_t end, const Row* row, Time now) {
  if (row) {
    const Json data = parse_json(row->data, "a row");
    const Seen seen{*row, data, now};
    const std::string state = seen.text("state"), pods = seen.text("podCounts");
    const long long gpus = seen.number("gpus");
    size_t column = canvas.put(top, 0, job_argument(data), "1");
    column = canvas.put(top, column + 2, state, sgr_of(style_of_state(state)));
    for (const std::string& fact :
         {row->position > 0 ? "position " + std::to_string(row->position) : "", seen.text("user"),
          gpus > 0 ? std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs") : "",
          pods.empty() ? "" : pods + " pods", "age " + since(seen.time("created"), now),
          seen.text("command")})
      if (!fact.empty()) column = canvas.put(top, column + 2, fact);
  } else {
    const size_t column = canvas.put(top, 0, name_, "1");
    canvas.put(top, column + 2, "the job was deleted", "31");
  }
  size_t at = top + 1;
  if (at >= end) return;
  const size_t room = end - at;
  draw_why(canvas, at, end, now);
  for (const std::string& line : lines_of_metrics(canvas.columns())) {
    if (at >= end || at >= top + 1 + room / 2) break;
    canvas.put(at++, 0, line, "36");
  }
  if (at >= end) return;
  draw_heading(canvas, at++, "log");
  page_ = end > at ? end - at : 1;
  log_->draw(canvas, at, end);
}

}  // namespace kml::live
