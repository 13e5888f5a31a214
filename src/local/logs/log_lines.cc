#include "local/logs/log_lines.h"

namespace kml::local {

namespace {

// A line without end is passed on in pieces of this size.
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
  if (!record) return;  // torn by a full disk or a power failure
  if (options_.since) {
    const auto time = parse_rfc3339(record->time);
    if (time && *time < *options_.since) return;
  }
  std::string& start = unfinished_[record->stream == "stderr"];
  if (start.empty() && options_.timestamps) start.append(record->time).append(" ");
  start += record->text;
  const bool ends = !record->tag.starts_with('P');
  if (!ends && start.size() < kLongestKept) return;
  out += start;
  if (ends) out += '\n';
  start.clear();
}

void LogLines::finish(std::string& out) {
  for (std::string& start : unfinished_) {
    out += start;
    start.clear();
  }
}

}  // namespace kml::local
