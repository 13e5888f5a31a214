#include "kml/jobs/sweep_engine.h"

namespace kml::jobs {

StopRequest::StopRequest(kube::Client& client, const SweepMarks& sweep) {
  const auto on_change = [this](kube::Change change, const Json& object) {
    const bool is_there = change != kube::Change::deleted && find(object, {"data", kKey});
    wish_ = is_there ? sweep::stop_wish_of(string_at(object, {"data", kKey})) : sweep::StopWish::none;
  };
  watch_ = kube::watch(client, *api::find_kind("v1", "ConfigMap"), sweep.namespace_name,
                       {"", "metadata.name=" + sweep_object_name(sweep.name)},
                       {on_change, [] {}, [this](const Error& error) { failure_ = error; }});
}

sweep::StopWish StopRequest::wish() const {
  if (failure_) throw Error(*failure_);
  return wish_;
}

}  // namespace kml::jobs
