#include "local/events/event_recorder.h"

#include "kml/base/text.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "local/loop/event_loop.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;

namespace {

constexpr auto kLifetime = 1h;
// How many events are remembered in order to recognize repetitions. If an older event is repeated, a new
// event is written.
constexpr size_t kKnownLimit = 4096;
// How many events are written until the server checks for requests again.
constexpr int kEventsPerStep = 50;

Json reference_to(const Json& object) {
  return {{"apiVersion", api::api_version_of(object)},
          {"kind", api::kind_name(object)},
          {"namespace", namespace_of(object)},
          {"name", name_of(object)},
          {"uid", uid_of(object)},
          {"resourceVersion", api::revision_of(object)}};
}

/// The name contains the pod's uid, so that recording the same attempt again changes nothing.
std::string name_of_attempt(const Json& job, const Json& pod) {
  return name_of(job) + ".attempt-" + uid_of(pod);
}

}  // namespace

EventRecorder::EventRecorder(EventLoop& loop, Store& store, const Clock& clock)
    : loop_(loop), store_(store), clock_(clock) {}

void EventRecorder::record(const Json& object, std::string_view type, std::string_view reason,
                           std::string message, std::string_view component, const Json* related) {
  const std::string now = rfc3339(clock_.now());
  const std::string space = namespace_of(object).empty() ? "default" : namespace_of(object);
  Json event = {{"apiVersion", "v1"},
                {"kind", "Event"},
                {"metadata", {{"namespace", space}, {"name", name_of(object) + "." + random_hex(8)}}},
                {"involvedObject", reference_to(object)},
                {"type", type},
                {"reason", reason},
                {"message", std::move(message)},
                {"source", {{"component", component}}},
                {"reportingComponent", component},
                {"reportingInstance", ""},
                {"eventTime", nullptr},
                {"firstTimestamp", now},
                {"lastTimestamp", now},
                {"count", 1}};
  if (related) event["related"] = reference_to(*related);
  write_later(std::move(event));
}

bool EventRecorder::has_attempt(const Json& job, const Json& pod) const {
  return store_.get(kinds::event, namespace_of(job), name_of_attempt(job, pod)) != nullptr;
}

void EventRecorder::record_attempt(const Json& job, const Json& pod, const Json& attempt) {
  const std::string now = rfc3339(clock_.now());
  Json owner = controller_reference(job);
  owner.erase("controller");
  owner.erase("blockOwnerDeletion");
  write_later({{"apiVersion", "v1"},
               {"kind", "Event"},
               {"metadata",
                {{"namespace", namespace_of(job)},
                 {"name", name_of_attempt(job, pod)},
                 {"ownerReferences", Json::array({owner})},
                 {"annotations", {{api::kAttempt, attempt.dump()}}}}},
               {"involvedObject", reference_to(job)},
               {"type", "Normal"},
               {"reason", "AttemptEnded"},
               {"message", "Attempt ended: pod " + name_of(pod)},
               {"source", {{"component", "job-controller"}}},
               {"reportingComponent", "job-controller"},
               {"reportingInstance", ""},
               {"eventTime", nullptr},
               {"firstTimestamp", now},
               {"lastTimestamp", now},
               {"count", 1}});
}

void EventRecorder::write_later(Json event) {
  unwritten_.push_back(std::move(event));
  defer();
}

void EventRecorder::defer() {
  if (std::exchange(deferred_, true)) return;
  // The timer expires after all deferred work of this turn.
  loop_.after(0ns, [this] { write_some(); });
}

void EventRecorder::write_some() {
  deferred_ = false;
  for (int i = 0; i < kEventsPerStep && !unwritten_.empty(); ++i) {
    const Json event = std::move(unwritten_.front());
    unwritten_.pop_front();
    try {
      const std::string said =
          api::involved_uid(event) + '\n' + api::reason_of(event) + '\n' + api::message_of(event);
      if (auto it = known_.find(said); it != known_.end()) {
        const auto again = [&](Json& old) {
          old["count"] = int_at(old, {"count"}, 1) + 1;
          old["lastTimestamp"] = event["lastTimestamp"];
        };
        if (store_.modify(kinds::event, it->second.first, it->second.second, again)) continue;
      }
      if (store_.get(kinds::event, namespace_of(event), name_of(event))) continue;
      store_.create(kinds::event, event);
      if (known_.size() >= kKnownLimit) known_.clear();
      known_[said] = {namespace_of(event), name_of(event)};
    } catch (const Error& error) {
      // If an event cannot be written, the work that it reports must still continue.
      log_error(error);
    }
  }
  if (!unwritten_.empty()) defer();
}

void EventRecorder::remove_old() {
  const std::string limit = rfc3339(clock_.now() - kLifetime);
  for (const ObjectPtr& event : store_.list(kinds::event, "")) {
    // Times in this format are in chronological order if sorted as text.
    const std::string last = string_at(*event, {"lastTimestamp"}, api::creation_text(*event));
    if (last < limit && api::reason_of(*event) != "AttemptEnded")
      store_.remove(kinds::event, namespace_of(*event), name_of(*event));
  }
}

}  // namespace kml::local
