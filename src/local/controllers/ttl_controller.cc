#include "local/controllers/ttl_controller.h"

#include <optional>

#include "kml/base/text.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

/// When the job's time to live ends; empty if it has none, or if the job has not ended.
std::optional<Time> end_of_life(const Json& job) {
  const Json* ttl = find(job, {"spec", "ttlSecondsAfterFinished"});
  if (!ttl) ttl = find(job, {"spec", "runPolicy", "ttlSecondsAfterFinished"});
  if (!ttl || !ttl->is_number_integer()) return {};
  for (const char* type : {"Complete", "Failed", "Succeeded"})
    if (const api::Condition condition = api::condition(job, type); condition.is_true())
      if (const auto end = condition.since()) return *end + std::chrono::seconds(ttl->get<int64_t>());
  return {};
}

}  // namespace

TtlController::TtlController(EventLoop& loop, Store& store, const Clock& clock)
    : store_(store), clock_(clock), queue_(loop, [this](const std::string& key) { look(key); }) {
  store.subscribe([this](const StoreEvent& event) {
    if (event.change == Change::modified) see(*event.kind, *event.object);
  });
}

void TtlController::recover() {
  for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob})
    for (const ObjectPtr& job : store_.list(*kind, "")) see(*kind, *job);
}

void TtlController::see(const api::ResourceKind& kind, const Json& job) {
  if ((&kind != &kinds::job && &kind != &kinds::pytorchjob) || is_being_deleted(job)) return;
  if (auto end = end_of_life(job))
    queue_.add_after(std::string(kind.kind) + "/" + api::full_name_of(job), *end - clock_.now());
}

void TtlController::look(const std::string& key) {
  const std::vector<std::string> parts = split(key, '/');
  const api::ResourceKind& kind = parts[0] == kinds::job.kind ? kinds::job : kinds::pytorchjob;
  ObjectPtr job = store_.get(kind, parts[1], parts[2]);
  if (!job || is_being_deleted(*job)) return;
  const auto end = end_of_life(*job);
  if (!end) return;
  if (*end > clock_.now()) return see(kind, *job);
  store_.remove(kind, parts[1], parts[2]);
}

}  // namespace kml::local
