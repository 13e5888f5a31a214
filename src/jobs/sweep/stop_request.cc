#include "kml/jobs/sweep_engine.h"

namespace kml::jobs {

StopRequest::StopRequest(kube::Client& client, const SweepMarks& sweep) {
  const auto on_change = [this](kube::Change change, const Json& object) {
    is_there_ = change != kube::Change::deleted && find(object, {"data", kKey});
  };
  watch_ = kube::watch(client, *api::find_kind("v1", "ConfigMap"), sweep.namespace_name,
                       {"", "metadata.name=" + sweep_object_name(sweep.name)},
                       {on_change, [] {}, [this](const Error& error) { failure_ = error; }});
}

bool StopRequest::is_there() const {
  if (failure_) throw Error(*failure_);
  return is_there_;
}

}  // namespace kml::jobs
