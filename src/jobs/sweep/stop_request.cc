#include "kml/jobs/sweep/sweep_engine.h"

namespace kml::jobs {

namespace {

sweep::StopWish wish_in(const Json& object) {
  return find(object, {"data", StopRequest::kKey})
             ? sweep::stop_wish_of(string_at(object, {"data", StopRequest::kKey}))
             : sweep::StopWish::none;
}

}  // namespace

StopRequest::StopRequest(kube::Client& client, const SweepMarks& sweep, const Json& object)
    : wish_(wish_in(object)) {
  const auto on_change = [this](kube::Change change, const Json& now) {
    wish_ = change == kube::Change::deleted ? sweep::StopWish::none : wish_in(now);
  };
  watch_ =
      kube::watch(client, *api::find_kind("v1", "ConfigMap"), sweep.namespace_name,
                  {.field_selector = "metadata.name=" + sweep_object_name(sweep.name), .is_patient = true},
                  {on_change, [] {}, [this](const Error& error) { failure_ = error; }});
}

sweep::StopWish StopRequest::wish() const {
  if (failure_) throw Error(*failure_);
  return wish_;
}

}  // namespace kml::jobs
