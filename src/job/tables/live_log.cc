#include "job/tables/live_log.h"

#include <algorithm>
#include <tuple>

namespace kml::ui {

namespace {

/// Nobody could see the difference if the screen was redrawn more often.
constexpr std::chrono::milliseconds kShortestPause{40};

}  // namespace

bool LiveLog::Order::operator()(const job::LogSource* a, const job::LogSource* b) const {
  return std::tie(a->job, a->rank, a->label, a) < std::tie(b->job, b->rank, b->label, b);
}

LiveLog::LiveLog(const Streams& streams, Formats formats)
    : screen_(streams, formats.line), formats_(std::move(formats)) {}

LiveLog::Log& LiveLog::log_of(const job::LogSource& source) {
  const auto known = logs_.find(&source);
  if (known != logs_.end()) return known->second;
  RedrawnRows::Owner owner{.on_finished =
                               [this, &source](RedrawnRows::Finished line) {
                                 screen_.add({&source, std::move(line.stamp), std::move(line.text)});
                               },
                           .take_back =
                               [this, &source](RedrawnRows::Finished& line) {
                                 FinishedLine before;
                                 if (!screen_.take_back(source, before)) return false;
                                 line = {std::move(before.stamp), std::move(before.text)};
                                 return true;
                               }};
  return logs_.emplace(&source, Log{RedrawnRows(std::move(owner))}).first->second;
}

/// Adds the part of the line that arrived after the last call. If the line is shorter than the text already
/// shown, it is a new line, and the rest of the line that was shown before is lost.
void LiveLog::add(Log& log, const job::LogLine& line) {
  if (line.text.size() < log.seen) {
    log.rows.start_again();
    log.seen = 0;
  }
  if (line.begins && log.seen == 0) log.rows.set_stamp(line.stamp);
  log.rows.add(line.text.substr(log.seen));
  log.seen = line.text.size();
}

void LiveLog::print(const job::LogLine& line) {
  const auto known = logs_.find(line.source);
  if (known == logs_.end() && line.begins && line.ends && !moves_cursor(line.text)) {
    screen_.add({line.source, std::string(line.stamp), formats_.shown(line)});
  } else {
    Log& log = known == logs_.end() ? log_of(*line.source) : known->second;
    add(log, line);
    log.seen = 0;
    if (line.ends) log.rows.new_line();
    if (line.ends && log.rows.is_empty()) logs_.erase(line.source);
  }
  changed_ = true;
  if (screen_.is_full()) show();
}

void LiveLog::show_unfinished(const job::LogLine& line) {
  Log& log = log_of(*line.source);
  changed_ = true;
  if (line.text.empty() && log.seen > 0) log.rows.start_again();
  if (line.text.empty()) log.seen = 0;
  if (line.text.size() <= log.seen) return;  // the line is being sent again, and has no new text yet
  add(log, line);
}

std::vector<std::string> LiveLog::block() const {
  const auto row_of = [this](const job::LogSource* source, const RedrawnRows::Finished& row) {
    return formats_.line({source, row.stamp, row.text});
  };
  std::vector<std::string> all, newest;
  for (const auto& [source, log] : logs_) {
    std::vector<RedrawnRows::Finished> rows = log.rows.shown();
    if (rows.empty()) continue;
    const size_t cursor = std::min(log.rows.cursor(), rows.size() - 1);
    newest.push_back(row_of(source, rows[cursor].text.empty() ? rows.back() : rows[cursor]));
    for (size_t i = 0; i < rows.size(); ++i) all.push_back(row_of(source, rows[i]));
  }
  const size_t most = screen_.most_rows();
  if (all.size() <= most) return all;
  if (newest.size() <= most) return newest;
  const size_t left_out = newest.size() - (most - 1);
  newest.resize(most - 1);
  newest.push_back("(and " + std::to_string(left_out) + (left_out == 1 ? " more pod)" : " more pods)"));
  return newest;
}

bool LiveLog::pause() {
  if (!changed_) return false;
  const bool is_block = !logs_.empty() || screen_.block() > 0;
  if (is_block && std::chrono::steady_clock::now() - shown_at_ < kShortestPause) return true;
  show();
  return false;
}

void LiveLog::show() {
  screen_.show(block());
  shown_at_ = std::chrono::steady_clock::now();
  changed_ = false;
}

void LiveLog::end_source(const job::LogSource& source) {
  const auto known = logs_.find(&source);
  if (known == logs_.end()) return;
  known->second.rows.finish();
  logs_.erase(known);
  changed_ = true;
}

void LiveLog::finish() {
  for (auto& [source, log] : logs_) log.rows.finish();
  logs_.clear();
  show();
}

}  // namespace kml::ui
