#include "kml/tracking/runs/mlflow_folder.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <list>
#include <set>
#include <string_view>
#include <system_error>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/tracking/runs/mlflow_names.h"

namespace kml::tracking {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUri = "MLFLOW_TRACKING_URI", kScheme = "file://";

std::string tracking_folder() {
  return (state_folder() / "tracking").string() + "/";
}

/// The folder as an encoded URI. MLflow decodes the URI, so without encoding, a "%" in the folder's name
/// would lead elsewhere.
std::string tracking_uri() {
  return std::string(kScheme) + percent_encoded(tracking_folder(), true);
}

/// The folder, if the variable's value is a URI made by mlflow_folder_variables(). Empty for any other URI,
/// because kml must not read other folders. Earlier versions did not encode the URI.
std::string own_folder_in(const Json& variable) {
  const std::string value = string_at(variable, {"value"});
  if (api::entry_name(variable) != kUri || value.ends_with("..")) return {};
  for (const std::string& begin : {tracking_uri(), std::string(kScheme) + tracking_folder()})
    if (value.starts_with(begin) && value.find('/', begin.size()) == std::string::npos)
      return tracking_folder() + value.substr(begin.size());
  return {};
}

/// Calls visit(name, content) for each file in the folder. The name of a file in a subfolder contains "/". If
/// kml's store has renamed a file, the file is visited with its original name.
void each_text_in(const fs::path& folder,
                  const std::function<void(const std::string& name, std::string content)>& visit) {
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(folder, ignored))) return;
  const std::map<std::string, std::string> names = mlflow_names_in(folder);
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (!fs::is_regular_file(at->symlink_status(ignored))) continue;
    try {
      const std::string file = at->path().lexically_relative(folder).generic_string();
      const auto name = names.find(file);
      visit(name == names.end() ? file : name->second, read_file(at->path()));
    } catch (const Error&) {
      // The file may be too large. The other files are still used.
    }
  }
}

/// Parses "1795630185264 0.5 3", or "1795630185264 0.5", because early versions of MLflow wrote no step.
/// Empty for any other text.
std::optional<MetricPoint> logged_point(std::string_view line) {
  const std::vector<std::string> words = split(trim(line), ' ');
  MetricPoint point;
  std::chrono::milliseconds::rep ms = 0;
  const auto parse = [](const std::string& word, auto& number) {
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    return failure == std::errc() && end == word.data() + word.size();
  };
  if (words.size() < 2 || !parse(words[0], ms) || !parse(words[1], point.value) ||
      (words.size() > 2 && !parse(words[2], point.step)))
    return {};
  point.time = time_after_epoch(std::chrono::milliseconds(ms));
  return point;
}

Json meta_of(const fs::path& run) try {
  const fs::path file = run / "meta.yaml";
  return yaml::to_json(yaml::parse_one(read_file(file), file.string()), file.string());
} catch (const Error&) {
  return Json::object();
}

/// Whether the path is a regular file. A program may leave anything: reading a named pipe would never end,
/// and a link may lead elsewhere.
bool is_file(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_regular_file(fs::symlink_status(path, unreadable));
}

std::string text_in(const fs::path& file) {
  return is_file(file) ? std::string(trim(read_file_if_exists(file).value_or(""))) : "";
}

/// The state of a run, which MLflow writes as a number (mlflow/entities/run_status.py).
std::string state_of_status(long long status) {
  switch (status) {
    case 3: return "Succeeded";
    case 4: return "Failed";
    case 5: return "Cancelled";
    default: return "Unknown";  // the program ended before it set the status
  }
}

/// Whether the path is a folder. Excludes a link to a folder, because it may lead to other users' runs.
bool is_folder(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_directory(fs::symlink_status(path, unreadable));
}

/// A run's folder. It contains a file meta.yaml, which MLflow writes again when the run ends.
struct LoggedRun {
  fs::path path;
  fs::file_time_type written;
  std::string parent = {};

  std::string id() const { return path.filename(); }
};

/// The runs in the folder. Those that were written last come last.
std::vector<LoggedRun> logged_runs(const fs::path& folder) {
  std::vector<LoggedRun> found;
  std::error_code ignored;
  for (fs::directory_iterator experiment(folder, ignored), end; experiment != end;
       experiment.increment(ignored)) {
    if (!is_folder(experiment->path())) continue;
    for (fs::directory_iterator run(experiment->path(), ignored); run != end; run.increment(ignored))
      if (const fs::path meta = run->path() / "meta.yaml"; is_folder(run->path()) && is_file(meta))
        found.push_back({run->path(), fs::last_write_time(meta, ignored)});
  }
  std::sort(found.begin(), found.end(),
            [](const LoggedRun& a, const LoggedRun& b) { return a.written < b.written; });
  std::set<std::string> ids;
  for (const LoggedRun& run : found) ids.insert(run.id());
  for (LoggedRun& run : found)
    if (std::string parent = text_in(run.path / "tags/mlflow.parentRunId"); ids.contains(parent))
      run.parent = std::move(parent);
  return found;
}

void read_logged_run(const fs::path& run, MlflowLog& log) {
  each_text_in(run / "metrics", [&](const std::string& name, const std::string& content) {
    std::vector<MetricPoint> course;
    for (const std::string& line : split(content, '\n'))
      if (const auto point = logged_point(line)) course.push_back(*point);
    if (!course.empty()) log.courses[name] = std::move(course);
  });
  each_text_in(run / "params",
               [&](const std::string& name, std::string value) { log.params[name] = std::move(value); });
  each_text_in(run / "tags", [&](const std::string& name, std::string value) {
    if (!name.starts_with("mlflow.")) log.tags[name] = std::move(value);
  });
}

std::optional<Time> time_at(const Json& meta, const char* key) {
  const long long ms = int_at(meta, {key});
  return ms > 0 ? std::optional(time_after_epoch(std::chrono::milliseconds(ms))) : std::nullopt;
}

NestedLog nested_log_of(const LoggedRun& run) {
  MlflowLog log;
  read_logged_run(run.path, log);
  NestedLog nested{.run = {.id = run.id(), .parent = run.parent}, .courses = std::move(log.courses)};
  nested.run.params = std::move(log.params);
  nested.run.tags = std::move(log.tags);
  for (const auto& [name, course] : nested.courses) nested.run.metrics[name] = summary_of(course);
  const Json meta = meta_of(run.path);
  const std::string name = text_in(run.path / "tags/mlflow.runName");
  nested.run.name = name.empty() ? run.id() : name;
  nested.run.state = state_of_status(int_at(meta, {"status"}));
  nested.run.time = time_at(meta, "start_time").value_or(Time());
  nested.run.finished = time_at(meta, "end_time");
  return nested;
}

}  // namespace

std::vector<std::string> mlflow_folder_variables() {
  constexpr size_t kBytes = 8;
  return {std::string(kUri) + "=" + tracking_uri() + random_hex(kBytes), "MLFLOW_ALLOW_FILE_STORE=true"};
}

std::optional<fs::path> mlflow_folder_of(const Json& job) {
  std::string folder;
  job::each_pod_template(job, [&](const Json& pod, int) {
    for (const Json& container : api::containers_of(pod))
      for (const Json& variable : array_at(container, {"env"}))
        if (std::string own = own_folder_in(variable); !own.empty()) folder = std::move(own);
  });
  if (folder.empty()) return {};
  return fs::path(folder);
}

void renew_mlflow_folder(std::vector<Json>& objects) {
  const std::string variable = mlflow_folder_variables()[0];
  for (Json& object : objects)
    job::each_pod_template(object, [&](Json& pod, int) {
      for (Json& container : api::part_in(api::part_in(pod, "spec"), "containers"))
        for (Json& entry : api::part_in(container, "env"))
          if (!own_folder_in(entry).empty()) entry["value"] = variable.substr(kUri.size() + 1);
    });
}

namespace {

/// Moves the runs whose parent is `parent` from `left` to `ordered`. Each is followed by its own children.
void take_below(const std::string& parent, std::list<NestedLog>& left, std::vector<NestedLog>& ordered) {
  std::vector<NestedLog> found;
  for (auto at = left.begin(); at != left.end();)
    if (at->run.parent == parent) {
      found.push_back(std::move(*at));
      at = left.erase(at);
    } else {
      ++at;
    }
  for (NestedLog& nested : found) {
    const std::string id = nested.run.id;
    ordered.push_back(std::move(nested));
    take_below(id, left, ordered);
  }
}

}  // namespace

MlflowLog read_mlflow_folder(const fs::path& folder) {
  MlflowLog log;
  for (const LoggedRun& run : logged_runs(folder))
    if (run.parent.empty())
      read_logged_run(run.path, log);
    else
      log.nested.push_back(nested_log_of(run));
  std::stable_sort(log.nested.begin(), log.nested.end(),
                   [](const NestedLog& a, const NestedLog& b) { return a.run.time < b.run.time; });
  std::set<std::string> ids;
  for (const NestedLog& nested : log.nested) ids.insert(nested.run.id);
  for (NestedLog& nested : log.nested)
    if (!ids.contains(nested.run.parent)) nested.run.parent.clear();
  std::list<NestedLog> left(std::make_move_iterator(log.nested.begin()),
                            std::make_move_iterator(log.nested.end()));
  log.nested.clear();
  take_below("", left, log.nested);
  while (!left.empty()) {  // the runs that are left are each other's parents
    left.front().run.parent.clear();
    take_below("", left, log.nested);
  }
  return log;
}

}  // namespace kml::tracking
