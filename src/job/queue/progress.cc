#include "job/queue/progress.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "kml/base/redrawn_line.h"
#include "kml/base/text.h"
#include "kml/job/logs/line_place.h"
#include "kml/job/logs/log_lines.h"
#include "kml/job/logs/metric_line.h"

namespace kml::job {

namespace {

using std::chrono::duration;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<double> number_at(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

/// In "step 20/100" or "20/100 [00:10<01:30", the first two numbers that a slash separates.
std::optional<std::pair<double, double>> part_of_whole(std::string_view line) {
  for (size_t slash = line.find('/'); slash != line.npos; slash = line.find('/', slash + 1)) {
    size_t begin = slash;
    while (begin > 0 && is_digit(line[begin - 1])) --begin;
    const bool is_alone = begin == 0 || is_one_of(line.substr(begin - 1, 1), {" ", "|", "[", "(", ":", "="});
    const auto done = number_at(line.substr(begin, slash - begin)), all = number_at(line.substr(slash + 1));
    if (begin < slash && is_alone && done && all && *done <= *all && *all > 1) return std::pair(*done, *all);
  }
  return {};
}

/// Parses "--max_steps 500" or "--max-steps=500".
std::optional<double> steps_of(std::string_view command) {
  for (std::string_view name :
       {"--max_steps", "--max-steps", "--steps", "--total_steps", "--num_steps", "--train_steps"})
    for (size_t at = command.find(name); at != command.npos; at = command.find(name, at + 1)) {
      const std::string_view rest = command.substr(at + name.size());
      if (!rest.empty() && (rest[0] == ' ' || rest[0] == '='))
        if (const auto number = number_at(rest.substr(1))) return number;
    }
  return {};
}

/// Whether the line, plain or JSON, reports a written checkpoint.
bool tells_of_save(const std::string& line) {
  if (line.find("checkpoint") == line.npos) return false;
  for (const char* word :
       {"saved", "saving", "wrote", "written", "\"event\":\"checkpoint\"", "\"event\": \"checkpoint\""})
    if (line.find(word) != line.npos) return true;
  return false;
}

struct Reader {
  Progress progress;
  std::optional<std::pair<double, Time>> first;  ///< the first step with its time
  Time last = {};
  LinePlaces places;
  std::map<std::string, LinePlace> reached_by;  ///< for each metric, the furthest position so far

  void take(std::string_view stamped) {
    const size_t space = stamped.find(' ');
    const auto time = parse_rfc3339(stamped.substr(0, space));
    if (!time || space == stamped.npos) return;
    const std::string line = lower(after_carriage_returns(stamped.substr(space + 1)));
    if (tells_of_save(line)) progress.saved_at = time;
    std::optional<double> step;
    if (const auto part = part_of_whole(line)) {
      step = part->first;
      progress.steps = part->second;
    }
    const auto metrics = metrics_in(line, true);
    const std::optional<LinePlace> place = places.of(metrics);
    for (const auto& [name, value] : metrics) {
      const bool is_finite = std::isfinite(value);
      if (counts_steps(name) && name != "epoch")
        step = is_finite ? std::optional(value) : step;
      else if (is_one_of(name, {"steps", "max_steps", "total_steps"}))
        progress.steps = is_finite ? std::optional(value) : progress.steps;
      else if (!is_one_of(name, {"schema", "time", "timestamp", "seconds", "epoch"}))
        set(name, value, place);
    }
    if (!step) return;
    progress.step = step;
    last = *time;
    if (!first) first = {*step, *time};
  }

  void set(const std::string& name, double value, const std::optional<LinePlace>& place) {
    LinePlace& reached = reached_by[name];
    if (place && *place < reached) return;
    reached = place.value_or(reached);
    const auto known = std::find_if(progress.metrics.begin(), progress.metrics.end(),
                                    [&](const auto& metric) { return metric.first == name; });
    if (known == progress.metrics.end())
      progress.metrics.emplace_back(name, value);
    else
      known->second = value;
  }

  Progress result() {
    if (progress.step && progress.steps && first && *progress.step > first->first && last > first->second) {
      const double pace = (*progress.step - first->first) / duration<double>(last - first->second).count();
      const double left = std::max(*progress.steps - *progress.step, 0.0) / pace;
      constexpr double kYear = 365.0 * 24 * 3600;
      if (left < kYear)
        progress.ends_at = last + std::chrono::duration_cast<nanoseconds>(duration<double>(left));
    }
    return std::move(progress);
  }
};

}  // namespace

Progress progress_of(std::string_view log, std::string_view command) {
  Reader reader;
  reader.progress.steps = steps_of(command);
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    reader.take(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return reader.result();
}

std::vector<Progress> read_progress(kube::Client& client, std::span<const QueueEntry* const> entries) {
  constexpr size_t kMost = 50, kMostBytes = 256 * 1024;
  constexpr std::chrono::seconds kLongest{2};
  constexpr int kLines = 100;
  struct Reading {
    size_t entry;
    std::string log = {};
    bool is_over = false;
    std::unique_ptr<http::Stream> stream = {};
  };
  http::Transport& transport = client.transport();
  std::vector<std::unique_ptr<Reading>> readings;
  for (size_t i = 0; i < entries.size() && readings.size() < kMost; ++i) {
    if (!has_running_pods(entries[i]->job.state) || entries[i]->first_pod.empty()) continue;
    readings.push_back(std::make_unique<Reading>(Reading{i}));
    Reading& reading = *readings.back();
    kube::LogOptions options;
    options.timestamps = true;
    options.tail_lines = kLines;
    reading.stream = transport.stream(
        kube::log_request(entries[i]->job.namespace_name, entries[i]->first_pod, options),
        {.on_data =
             [&reading](std::string_view data) {
               reading.log.append(data);
               reading.is_over = reading.log.size() > kMostBytes;
               return !reading.is_over;
             },
         .on_end = [&reading](const http::Response&, const Error*) { reading.is_over = true; }});
  }
  const auto until = transport.now() + kLongest;
  const auto is_over = [](const auto& reading) { return reading->is_over; };
  while (!std::all_of(readings.begin(), readings.end(), is_over) && transport.now() < until)
    transport.wait(std::chrono::duration_cast<std::chrono::milliseconds>(until - transport.now()));
  std::vector<Progress> all(entries.size());
  for (const auto& reading : readings)
    all[reading->entry] = progress_of(reading->log, entries[reading->entry]->job.command);
  return all;
}

}  // namespace kml::job
