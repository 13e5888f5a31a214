#include "local/logs/log_lines.h"

#include <utility>

namespace kml::local {

namespace {

// A longer line is passed on in pieces of this size.
constexpr size_t kLongestKept = size_t{1} << 20;

struct Record {
  std::string_view time, stream, tag, text;
};

std::optional<Record> parse(std::string_view line) {
  Record record;
  for (std::string_view* part : {&record.time, &record.stream, &record.tag}) {
    const size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    *part = line.substr(0, space);
    line.remove_prefix(space + 1);
  }
  record.text = line;
  if (record.stream != "stdout" && record.stream != "stderr") return std::nullopt;
  return record;
}

}  // namespace

bool ends_line(std::string_view line) {
  const auto record = parse(line);
  return record && !record->tag.starts_with('P');
}

void LogLines::add(std::string_view line, std::string& out) {
  const auto record = parse(line);
  if (!record) return;  // the record is damaged, after a full disk or a power failure
  if (options_.since) {
    const auto time = parse_rfc3339(record->time);
    if (time && *time < *options_.since) return;
  }
  const int stream = record->stream == "stderr";
  if (options_.only && *options_.only != stream) return;
  std::string& start = unfinished_[stream];
  if (start.empty()) begun_[stream] = record->time;
  start += record->text;
  const bool ends = !record->tag.starts_with('P');
  const bool is_awaited =
      options_.unfinished || open_ == stream || record->text.find('\r') != std::string_view::npos;
  if (!ends && !is_awaited && start.size() < kLongestKept) return;
  pass_on(stream, out);
  if (!ends) return;
  out += '\n';
  open_.reset();
}

void LogLines::pass_on(int stream, std::string& out) {
  if (open_ && open_ != stream) out += '\n';
  if (open_ != stream && options_.timestamps) out.append(begun_[stream]).append(" ");
  out += std::exchange(unfinished_[stream], {});
  open_ = stream;
}

void LogLines::finish(std::string& out) {
  for (int stream : {0, 1})
    if (!unfinished_[stream].empty()) pass_on(stream, out);
}

void LogLines::cut(std::string& out) {
  finish(out);
  if (open_) out += '\n';
  open_.reset();
}

}  // namespace kml::local
