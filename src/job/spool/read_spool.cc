#include <algorithm>
#include <deque>
#include <queue>

#include "job/logs/sources.h"
#include "job/spool/log_spool.h"
#include "job/spool/spool_files.h"
#include "kml/base/files.h"
#include "kml/kube/logs/stored_log.h"

namespace kml::job {

namespace fs = std::filesystem;

namespace {

constexpr size_t kBatch = 512;

/// The log file of a run, and the line that the reader has reached.
struct Cursor {
  Cursor(const fs::path& path, LogSource log_source)
      : source(std::move(log_source)), file(path), stored(file.bytes()) {}

  bool next() {
    file.have_read(text.stamp.size() + text.text.size());
    return stored.next(text);
  }
  LogLine line() const { return {&source, text.time, text.stamp, text.text, text.begins, text.ends}; }

  LogSource source;
  MappedFile file;
  kube::StoredLog stored;
  kube::LogText text = {};
};

bool is_of_job(const std::string& folder, const std::string& job) {
  return folder.size() == job.size() + 9 && folder.starts_with(job + ".");
}

/// The job's most recently written folder; empty if there is none.
fs::path newest_of(const fs::path& folder, const std::string& job) {
  fs::path newest;
  fs::file_time_type written;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!is_of_job(entry.path().filename(), job)) continue;
    const auto time = fs::last_write_time(entry.path(), ignored);
    if (newest.empty() || time > written) {
      newest = entry.path();
      written = time;
    }
  }
  return newest;
}

std::vector<fs::path> states_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Skips all but the last `tail` lines.
void skip_to_tail(Cursor& cursor, long long tail) {
  const std::string_view bytes = cursor.file.bytes();
  size_t begin = bytes.size();
  for (; tail > 0 && begin > 0; --tail) begin = cursor.file.line_begin(begin - 1);
  cursor.stored = kube::StoredLog(bytes.substr(begin));
}

}  // namespace

bool read_spool(const fs::path& folder, const std::string& namespace_name, const std::string& job,
                const LogSelection& selection, LogSink& sink) {
  const fs::path of_job = newest_of(folder / path_component(namespace_name), job);
  if (of_job.empty()) return false;
  const Sources sources(selection);
  std::deque<Cursor> cursors;
  for (const fs::path& state : states_in(of_job)) {
    const auto run = spooled_run(read_file(state));
    if (!run || !sources.wants(run->source)) continue;
    cursors.emplace_back(fs::path(state).replace_extension(".log"), run->source);
    if (selection.tail) skip_to_tail(cursors.back(), *selection.tail);
  }
  std::optional<Time> since = selection.since_time;
  if (selection.since) since = system_clock().now() - *selection.since;
  const auto later = [&cursors](size_t a, size_t b) {
    const Time first = cursors[a].text.time, second = cursors[b].text.time;
    return first != second ? first > second : a > b;
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> next(later);
  for (size_t i = 0; i < cursors.size(); ++i)
    if (cursors[i].next()) next.push(i);
  std::vector<LogLine> batch;
  while (!next.empty()) {
    const size_t i = next.top();
    next.pop();
    const Time time = cursors[i].text.time;
    if ((!since || time >= *since) && (!selection.until || time <= *selection.until))
      batch.push_back(cursors[i].line());
    if (batch.size() == kBatch) {
      sink.lines(batch);
      batch.clear();
    }
    if (cursors[i].next()) next.push(i);
  }
  if (!batch.empty()) sink.lines(batch);
  return true;
}

}  // namespace kml::job
