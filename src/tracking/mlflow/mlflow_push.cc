#include "tracking/mlflow/mlflow_push.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "kml/base/append_number.h"
#include "kml/base/json_number.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"

namespace kml::tracking {

namespace {

constexpr std::string_view kRunIdTag = "kml.run_id", kValuesTag = "kml.values";

/// An id that stays unique. A name does not, because other sweeps and pipeline runs can get the same name, on
/// other machines or later.
std::string lasting_id(const TrackedRun& run) {
  return run.id.find('/') == std::string::npos ? run.id : run.id + "@" + rfc3339(run.time);
}

/// MLflow's RunStatus.
std::string_view status_of(const TrackedRun& run) {
  if (run.state == "Succeeded" || run.state == "Created" || run.state == "Ended") return "FINISHED";
  if (run.state == "Failed") return "FAILED";
  if (run.state == "Running" || run.state == "Cancelling") return "RUNNING";
  return run.state == "Waiting" || run.state == "Suspended" ? "SCHEDULED" : "KILLED";
}

long long milliseconds_of(Time time) {
  return std::chrono::floor<std::chrono::milliseconds>(time).time_since_epoch().count();
}

/// The value as it was given: a whole number has no ".0".
std::string value_of_param(const Json& value) {
  constexpr double kMostWhole = 1e15;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float() && value == std::floor(value.get<double>()) &&
      std::abs(value.get<double>()) < kMostWhole)
    return std::to_string(value.get<long long>());
  return value.dump();
}

/// The run's tags, the tags that MLflow itself shows, and kml's own tags.
std::map<std::string, std::string> tags_for_mlflow(const TrackedRun& run) {
  std::map<std::string, std::string> tags = run.tags;
  for (const std::string_view own : {kRunIdTag, kValuesTag}) tags.erase(std::string(own));
  const auto add = [&tags](const std::string& key, const std::string& value) {
    if (!value.empty()) tags[key] = value;
  };
  for (const auto& [name, value] : run.facts) add("kml." + name, value);
  const auto fact = [&run](const char* name) {
    const auto found = run.facts.find(name);
    return found == run.facts.end() ? std::string() : found->second;
  };
  add("mlflow.user", run.user);
  add("mlflow.note.content", run.note);
  add("mlflow.source.name", fact("command"));
  add("mlflow.source.git.commit", fact("commit"));
  add("kml.kind", run.kind);
  add("kml.target", run.target);
  add("kml.state", run.state + (run.cause.empty() ? "" : ": " + run.cause));
  return tags;
}

void note_changed(const MlflowKeys& keys, const std::string& what, PushedRun& pushed) {
  for (const auto& [name, key] : keys.changed())
    pushed.faults.push_back(what + " \"" + name + "\" is \"" + key + "\" in MLflow");
}

/// Bodies for log-batch requests within MLflow's limits: at most `most` entries, and at most 1 MB in the form
/// that Python writes.
std::vector<std::string> cut_into_batches(const std::string& run_id, const std::string& kind,
                                          const std::vector<Json>& entries, size_t most) {
  constexpr size_t kMostBytes = 900'000;
  std::vector<Json> batches;
  size_t bytes = kMostBytes;
  for (const Json& entry : entries) {
    const size_t size = entry.dump(-1, ' ', true, Json::error_handler_t::replace).size() + 10;
    if (bytes + size > kMostBytes || batches.back()[kind].size() == most) {
      batches.push_back({{"run_id", run_id}, {kind, Json::array()}});
      bytes = 0;
    }
    batches.back()[kind].push_back(entry);
    bytes += size;
  }
  std::vector<std::string> bodies;
  for (const Json& batch : batches) bodies.push_back(compact_text(batch));
  return bodies;
}

/// All values, in the order in which they are sent.
class ValueList {
 public:
  explicit ValueList(const MetricCourses& courses) : keys_(names_in(courses)) {
    for (const auto& [name, points] : courses) {
      const std::string& key = keys_.of(name);
      quoted_[key] = compact_text(key);
      for (const MetricPoint& point : points) values_.push_back({&key, &point});
    }
  }

  size_t size() const { return values_.size(); }
  const MlflowKeys& keys() const { return keys_; }

  /// The body of a runs/log-batch request with `count` values, starting with the value `first`. It is built
  /// as text, because a run may have millions of values. NaN and infinities are strings, as in protobuf's
  /// JSON.
  std::string body(const std::string& run_id, size_t first, size_t count) const {
    std::string text = "{\"metrics\":[";
    for (size_t i = first; i < first + count; ++i) {
      const auto& [key, point] = values_[i];
      text.append(i == first ? "" : ",").append("{\"key\":").append(quoted_.at(*key)).append(",\"step\":");
      append_number(text, point->step);
      append_number(text.append(",\"timestamp\":"), std::max(milliseconds_of(point->time), 0LL));
      text.append(",\"value\":");
      if (std::isfinite(point->value))
        append_number(text, point->value);
      else
        text.append(compact_text(json_of_number(point->value)));
      text.append("}");
    }
    return text.append("],\"run_id\":").append(compact_text(run_id)).append("}");
  }

  /// The text for the tag kml.values when the server has the first `count` values. Must be called with
  /// increasing counts.
  std::string mark(size_t count) {
    for (; digested_ < count; ++digested_) {
      const auto& [key, point] = values_[digested_];
      const std::array<std::int64_t, 3> numbers = {std::bit_cast<std::int64_t>(point->value),
                                                   milliseconds_of(point->time), point->step};
      digest_.add(*key);
      digest_.add({reinterpret_cast<const char*>(numbers.data()), sizeof(numbers)});
    }
    return std::to_string(count) + " " + digest_.hex().substr(0, 16);
  }

  /// How many of these values the server has, according to kml.values. 0 if the server's values are not the
  /// first of these.
  size_t already(const std::string& counted) const {
    size_t count = 0;
    std::from_chars(counted.data(), counted.data() + counted.size(), count);
    if (count == 0 || count > size()) return 0;
    ValueList other = *this;
    return other.mark(count) == counted ? count : 0;
  }

 private:
  struct Value {
    const std::string* key;
    const MetricPoint* point;
  };

  static std::set<std::string> names_in(const MetricCourses& courses) {
    std::set<std::string> names;
    for (const auto& [name, points] : courses) names.insert(name);
    return names;
  }

  MlflowKeys keys_;
  std::map<std::string, std::string> quoted_;  ///< keys as JSON texts
  std::vector<Value> values_;
  Sha256 digest_;
  size_t digested_ = 0;
};

}  // namespace

std::string tag_of_run(const Json& run, std::string_view key) {
  for (const Json& tag : array_at(run, {"data", "tags"}))
    if (string_at(tag, {"key"}) == key) return string_at(tag, {"value"});
  return {};
}

PushedRun MlflowPush::push(const TrackedRun& run, const MetricCourses& courses, const Progress& progress,
                           const std::string& parent) {
  PushedRun pushed;
  const std::string id = lasting_id(run);
  pushed.known = client_.find_run(experiment_id_, std::string(kRunIdTag), id).value_or(Json::object());
  pushed.is_new = pushed.known.empty();
  if (pushed.is_new)
    pushed.known = client_.create_run({{"experiment_id", experiment_id_},
                                       {"run_name", run.name},
                                       {"start_time", milliseconds_of(run.time)},
                                       {"tags", Json::array({Json{{"key", kRunIdTag}, {"value", id}}})}});
  pushed.id = string_at(pushed.known, {"info", "run_id"});
  pushed.url = client_.uri() + "/#/experiments/" + experiment_id_ + "/runs/" + pushed.id;
  send_params(run, array_at(pushed.known, {"data", "params"}), pushed);
  std::map<std::string, std::string> tags = tags_for_mlflow(run);
  if (!parent.empty()) tags["mlflow.parentRunId"] = parent;  // mlflow/utils/mlflow_tags.py
  send_tags(tags, pushed);
  send_values(courses, tag_of_run(pushed.known, kValuesTag), pushed, progress);
  Json changes = {{"run_id", pushed.id}, {"status", status_of(run)}};
  if (run.finished) changes["end_time"] = milliseconds_of(*run.finished);
  client_.update_run(changes);
  return pushed;
}

/// If a parameter exists, MLflow rejects a different value for it.
void MlflowPush::send_params(const TrackedRun& run, const Json& known, PushedRun& pushed) {
  constexpr size_t kLongest = 6000;
  std::map<std::string, std::string> there;
  for (const Json& param : known) there[string_at(param, {"key"})] = string_at(param, {"value"});
  std::set<std::string> names;
  for (const auto& [name, value] : run.parameters) names.insert(name);
  const MlflowKeys keys(names);
  std::vector<Json> entries;
  for (const auto& [name, json] : run.parameters) {
    const std::string whole = value_of_param(json), value = cut_to_characters(whole, kLongest);
    if (value != whole)
      pushed.faults.push_back("parameter \"" + name + "\" is cut to 6,000 characters in MLflow");
    const auto found = there.find(keys.of(name));
    if (found == there.end())
      entries.push_back({{"key", keys.of(name)}, {"value", value}});
    else if (found->second != value)
      pushed.faults.push_back("parameter \"" + name + "\" stays \"" + found->second +
                              "\" in MLflow, which does not let parameters change");
  }
  note_changed(keys, "parameter", pushed);
  client_.log_batches(cut_into_batches(pushed.id, "params", entries, MlflowClient::kMostParams));
}

void MlflowPush::send_tags(const std::map<std::string, std::string>& tags, PushedRun& pushed) {
  constexpr size_t kLongest = 8000;
  std::set<std::string> names;
  for (const auto& [name, value] : tags) names.insert(name);
  const MlflowKeys keys(names);
  std::vector<Json> entries;
  for (const auto& [name, whole] : tags) {
    const std::string value = cut_to_characters(whole, kLongest);
    if (value != whole) pushed.faults.push_back("tag \"" + name + "\" is cut to 8,000 characters in MLflow");
    entries.push_back({{"key", keys.of(name)}, {"value", value}});
  }
  note_changed(keys, "tag", pushed);
  client_.log_batches(cut_into_batches(pushed.id, "tags", entries, MlflowClient::kMostTags));
}

void MlflowPush::send_values(const MetricCourses& courses, const std::string& counted, PushedRun& pushed,
                             const Progress& progress) {
  constexpr size_t kBatchesPerMark = 32;
  ValueList values(courses);
  note_changed(values.keys(), "metric", pushed);
  const size_t begin = values.already(counted);
  for (size_t next = begin; next < values.size();) {
    std::vector<std::string> batches;
    while (next < values.size() && batches.size() < kBatchesPerMark) {
      const size_t count = std::min(values.size() - next, MlflowClient::kMostMetrics);
      batches.push_back(values.body(pushed.id, next, count));
      next += count;
    }
    client_.log_batches(batches);
    client_.set_tag(pushed.id, std::string(kValuesTag), values.mark(next));
    if (progress) progress(next, values.size());
  }
  pushed.values = values.size() - begin;
}

}  // namespace kml::tracking
