#include "kml/jobs/runs/mlflow_folder.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>
#include <system_error>

#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUri = "MLFLOW_TRACKING_URI", kScheme = "file://";

std::string tracking_uri() {
  return std::string(kScheme) + (state_folder() / "tracking").string() + "/";
}

/// The variable's value if it is a URI that mlflow_folder_variables() made; empty for other URIs, which kml
/// must not read.
std::string own_uri_in(const Json& variable) {
  std::string value = string_at(variable, {"value"});
  const std::string begin = tracking_uri();
  const bool is_own = api::entry_name(variable) == kUri && value.starts_with(begin) &&
                      value.find('/', begin.size()) == std::string::npos && !value.ends_with("..");
  return is_own ? value : "";
}

/// Calls visit(name, content) for each file in the folder. The names of files in subfolders contain "/".
void each_text_in(const fs::path& folder,
                  const std::function<void(const std::string& name, std::string content)>& visit) {
  std::error_code ignored;
  if (!fs::is_directory(fs::symlink_status(folder, ignored))) return;
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (!fs::is_regular_file(at->symlink_status(ignored))) continue;
    try {
      visit(at->path().lexically_relative(folder).generic_string(), read_file(at->path()));
    } catch (const Error&) {
      // The file may be too large; the others still count.
    }
  }
}

/// Parses "1795630185264 0.5 3"; nothing for another text. Early versions of MLflow wrote no step.
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
  point.time = Time(std::chrono::milliseconds(ms));
  return point;
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

/// The folders of runs, which have a file meta.yaml that MLflow writes again when the run ends; the one that
/// was written last comes last.
std::vector<fs::path> logged_runs(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code ignored;
  for (fs::directory_iterator experiment(folder, ignored), end; experiment != end;
       experiment.increment(ignored))
    for (fs::directory_iterator run(experiment->path(), ignored); run != end; run.increment(ignored))
      if (const fs::path meta = run->path() / "meta.yaml"; fs::exists(meta, ignored))
        found.emplace_back(fs::last_write_time(meta, ignored), run->path());
  std::sort(found.begin(), found.end());
  std::vector<fs::path> runs;
  for (auto& [time, path] : found) runs.push_back(std::move(path));
  return runs;
}

}  // namespace

std::vector<std::string> mlflow_folder_variables() {
  constexpr size_t kBytes = 8;
  return {std::string(kUri) + "=" + tracking_uri() + random_hex(kBytes), "MLFLOW_ALLOW_FILE_STORE=true"};
}

std::optional<fs::path> mlflow_folder_of(const Json& job) {
  std::string uri;
  each_pod_template(job, [&](const Json& pod, int) {
    for (const Json& container : api::containers_of(pod))
      for (const Json& variable : array_at(container, {"env"}))
        if (std::string own = own_uri_in(variable); !own.empty()) uri = std::move(own);
  });
  if (uri.empty()) return {};
  return fs::path(uri.substr(kScheme.size()));
}

void renew_mlflow_folder(std::vector<Json>& objects) {
  const std::string variable = mlflow_folder_variables()[0];
  for (Json& object : objects)
    each_pod_template(object, [&](Json& pod, int) {
      for (Json& container : api::part_in(api::part_in(pod, "spec"), "containers"))
        for (Json& entry : api::part_in(container, "env"))
          if (!own_uri_in(entry).empty()) entry["value"] = variable.substr(kUri.size() + 1);
    });
}

MlflowLog read_mlflow_folder(const fs::path& folder) {
  MlflowLog log;
  for (const fs::path& run : logged_runs(folder)) read_logged_run(run, log);
  return log;
}

}  // namespace kml::jobs
