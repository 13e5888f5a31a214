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

/// Keys that MLflow accepts (mlflow/utils/validation.py in MLflow 3.17): at most 250 letters and digits of
/// any script and "_-./: ", not a path that leads elsewhere ("a//b", "../a").
class MlflowKeys {
 public:
  /// Assigns a different key to each name: the name itself if MLflow accepts it. In others, each wrong
  /// character becomes "_", and a long one is cut; where two would be the same, a digest is added.
  explicit MlflowKeys(const std::set<std::string>& names);

  const std::string& of(const std::string& name) const { return keys_.at(name); }
  /// The names that have another key.
  std::map<std::string, std::string> changed() const;

 private:
  std::map<std::string, std::string> keys_;
};

/// The text cut to at most `most` characters of UTF-8.
std::string cut_to_characters(const std::string& text, size_t most);

struct PushedRun {
  std::string id;   ///< in MLflow
  std::string url;  ///< its page
  bool is_new = false;
  Json known;  ///< the run on the server before this push, or as it was created: see MlflowClient::find_run()
  size_t values = 0;                ///< metric values sent now
  std::vector<std::string> faults;  ///< what MLflow could not accept unchanged, for users
};

/// The value of a tag of a run in MLflow; empty if it has none.
std::string tag_of_run(const Json& run, std::string_view key);

/// Sends a run to MLflow. The run there has the tag kml.run_id, by which a second push finds it again, and
/// the tag kml.values, which says how many values it has already: "COUNT DIGEST". The digest is of these
/// values. A push that was interrupted continues there; a value that was sent but not yet counted is sent
/// again, and MLflow's database drops it because it is the same.
class MlflowPush {
 public:
  /// Called with the number of values sent so far, and of all.
  using Progress = std::function<void(size_t done, size_t all)>;

  MlflowPush(MlflowClient& client, std::string experiment_id)
      : client_(client), experiment_id_(std::move(experiment_id)) {}

  /// `parent` is the id in MLflow of the parent of this run; empty for none.
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
