#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/local/http_message.h"
#include "local/store/store.h"
#include "local/usage/process_usage.h"

namespace kml::local {

/// The API metrics.k8s.io/v1beta1, with the resource usage of pods and the node, which is only measured on
/// request. CPU usage is the mean since an earlier response about the pod, if that is at least a second old;
/// otherwise the mean since the container started.
class Metrics {
 public:
  Metrics(const Store& store, const Clock& clock, std::filesystem::path folder)
      : store_(store), clock_(clock), folder_(std::move(folder)) {}

  /// Empty if the path does not belong to this API.
  std::optional<HttpResponse> answer(const HttpRequest& request);

 private:
  struct Sample {
    Time time{};
    double cpu_seconds = 0;
  };
  /// An average over some time.
  struct Rate {
    double cpus = 0;
    nanoseconds window{};
  };

  std::optional<Json> of_pod(const Json& pod, const ProcessTable& processes);
  Json of_pods(const HttpRequest& request, const std::string& namespace_name);
  Json of_node(const Json& node);
  Rate rate_of(const std::string& what, double cpu_seconds, Time began);

  const Store& store_;
  const Clock& clock_;
  std::filesystem::path folder_;
  /// The last two measurements, by "UID/CONTAINER/KEEPER" or node. The older one is at least a second old, or
  /// is the start.
  std::map<std::string, std::pair<Sample, Sample>> samples_;
};

}  // namespace kml::local
