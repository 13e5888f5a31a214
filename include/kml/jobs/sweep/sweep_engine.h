#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/jobs/sweep/sweep_objects.h"
#include "kml/kube/watch.h"
#include "kml/sweep/engine/runner.h"

namespace kml::jobs {

/// How a sweep is run in the cluster: kml itself as a Job of one pod.
struct EngineOptions {
  std::string image;            ///< with kml in its PATH
  std::string claim, sub_path;  ///< the volume of its journal, and a folder of it
  std::string service_account;  ///< empty: one is created
  std::string user;             ///< who submitted it, as a label
};

Json to_json(const EngineOptions& options);
EngineOptions engine_options_from_json(const Json& json);

/// "lr1-engine": the Job's name, and that of its account, its Role and RoleBinding.
std::string engine_name(const std::string& sweep);

/// The Job that runs `kml sweep engine NAME`, and before it its account with the rights that it needs, where
/// it is to have one of its own: `trial` is a trial's manifest.
std::vector<Json> engine_objects(const SweepMarks& sweep, const EngineOptions& options, const Json& trial);

/// Tells an engine in the cluster that its sweep is to end: who asks writes a key into the sweep's ConfigMap,
/// which is watched.
class StopRequest {
 public:
  /// `object` is the ConfigMap, as it was read: what is asked for already is known at once.
  StopRequest(kube::Client& client, const SweepMarks& sweep, const Json& object);

  /// News are known after Transport::wait. Throws Error if the watch has ended for good.
  sweep::StopWish wish() const;

  static constexpr const char* kKey = "stop";

 private:
  sweep::StopWish wish_ = sweep::StopWish::none;
  std::optional<Error> failure_;
  std::unique_ptr<kube::Watch> watch_;
};

}  // namespace kml::jobs
