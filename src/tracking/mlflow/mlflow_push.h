#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kml/tracking/runs/metric_courses.h"
#include "kml/tracking/runs/tracked_run.h"
#include "tracking/mlflow/mlflow_client.h"

namespace kml::tracking {

/// Keys that MLflow accepts (mlflow/utils/validation.py in MLflow 3.17): at most 250 characters, which are
/// letters and digits of any script, or "_-./: ". A key must not be a path that leads elsewhere ("a//b",
/// "../a").
class MlflowKeys {
 public:
  /// Assigns a different key to each name. If MLflow accepts the name, and it is not the folder of another
  /// name, the key is the name. Otherwise, each invalid character becomes "_", a folder gets "_" at its end,
  /// and a long name is shortened and gets a digest. If two keys would be the same, one of them gets a
  /// digest, too.
  explicit MlflowKeys(const std::set<std::string>& names);

  const std::string& of(const std::string& name) const { return keys_.at(name); }
  /// The names that differ from their keys.
  std::map<std::string, std::string> changed() const;

 private:
  std::map<std::string, std::string> keys_;
};

/// The text, shortened to at most `most` UTF-8 characters.
std::string cut_to_characters(const std::string& text, size_t most);

struct PushedRun {
  std::string id;   ///< in MLflow
  std::string url;  ///< its page
  bool is_new = false;
  /// the run on the server as it was before this push, or when it was created: see MlflowClient::find_run()
  Json known;
  size_t values = 0;  ///< how many metric values this push has sent
  /// Messages for users about the data that MLflow could not accept unchanged.
  std::vector<std::string> faults;
};

/// The value of a tag of an MLflow run; empty if the run does not have the tag.
std::string tag_of_run(const Json& run, std::string_view key);

/// Sends a run to MLflow. A second push finds the MLflow run by its tag kml.run_id. The run's tag kml.values
/// says which values it already has: "COUNT DIGEST", their number and a digest of them. If a push was
/// interrupted, the next one continues after these values. A value that was sent but is not yet included in
/// the count is sent again; MLflow's database then drops it, because it is the same.
class MlflowPush {
 public:
  /// Called with how many values were sent so far, and how many there are.
  using Progress = std::function<void(size_t done, size_t all)>;

  MlflowPush(MlflowClient& client, std::string experiment_id)
      : client_(client), experiment_id_(std::move(experiment_id)) {}

  /// `parent` is the MLflow id of this run's parent; empty if it has none.
  PushedRun push(const TrackedRun& run, const MetricCourses& courses, const Progress& progress = {},
                 const std::string& parent = {});

 private:
  void send_params(const TrackedRun& run, const Json& known, PushedRun& pushed);
  void send_tags(const std::map<std::string, std::string>& tags, PushedRun& pushed);
  void send_values(const MetricCourses& courses, const std::string& counted, PushedRun& pushed,
                   const Progress& progress);

  MlflowClient& client_;
  std::string experiment_id_;
};

}  // namespace kml::tracking
