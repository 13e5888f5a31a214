#include "local/controllers/dependency_controller.h"

#include <algorithm>
#include <utility>

#include "kml/kube/objects/dependency.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

bool waits(const Json& job) {
  return api::is_suspended(job) && annotation_of(job, api::kCancelled).empty() &&
         !annotation_of(job, api::kAfter).empty();
}

void let_start(Json& job) {
  api::part_in(job, "metadata")["annotations"].erase(std::string(api::kAfter));
  if (annotation_of(job, api::kHeld).empty()) api::set_suspended(job, false);
}

}  // namespace

DependencyController::DependencyController(EventLoop& loop, Store& store)
    : store_(store), queue_(loop, [this](const std::string&) { look_at_all(); }) {
  store.subscribe([this](const StoreEvent& event) {
    if (event.kind == &kinds::job || event.kind == &kinds::pytorchjob) see(event);
  });
}

void DependencyController::recover() {
  for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob})
    for (const ObjectPtr& job : store_.list(*kind, ""))
      if (waits(*job)) waiting_.emplace(kind, api::full_name_of(*job));
  queue_.add("jobs");
}

/// A waiting job may depend on any job, so every change to a job is checked.
void DependencyController::see(const StoreEvent& event) {
  const Place place(event.kind, api::full_name_of(*event.object));
  if (event.change != Change::deleted && waits(*event.object))
    waiting_.insert(place);
  else
    waiting_.erase(place);
  if (!waiting_.empty()) queue_.add("jobs");
}

void DependencyController::look_at_all() {
  for (const auto& [kind, key] : std::set(waiting_))
    if (const ObjectPtr job = get_by_full_name(store_, *kind, key)) look(*kind, *job);
}

void DependencyController::look(const api::ResourceKind& kind, const Json& job) {
  std::vector<api::Dependency> open = api::dependencies_of(job);
  std::erase_if(open, [&](api::Dependency& dependency) {
    if (!dependency.never.empty() && !std::exchange(dependency.is_stuck, false)) return false;
    dependency.never.clear();
    const bool is_job = dependency.kind == kinds::job.kind;
    const ObjectPtr other =
        store_.get(is_job ? kinds::job : kinds::pytorchjob, namespace_of(job), dependency.name);
    if (api::is_met(dependency, other.get())) return true;
    if (dependency.never.empty() && api::is_stuck(*other)) {
      dependency.never = dependency.name + " cannot start";
      dependency.is_stuck = true;
    }
    return false;
  });
  const std::string text = api::text_of(open);
  if (text == annotation_of(job, api::kAfter)) return;
  store_.modify(kind, namespace_of(job), name_of(job), [&](Json& next) {
    if (uid_of(next) != uid_of(job)) return;
    if (open.empty()) return let_start(next);
    api::set_annotation(next, api::kAfter, text);
  });
}

}  // namespace kml::local
