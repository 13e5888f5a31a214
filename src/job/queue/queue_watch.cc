#include "job/queue/queue_watch.h"

#include <algorithm>

#include "job/capacity/kueue_api.h"
#include "job/queue/brief.h"
#include "job/queue/kueue.h"
#include "job/records/disruption_notes.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

using std::chrono::milliseconds;

struct QueueWatch::Source {
  api::ResourceKind kind;
  bool is_synced = false, is_over = false;
  std::string trouble;
  http::SteadyTime trouble_until = {};
  std::unique_ptr<kube::Watch> watch;

  bool is_ready() const { return is_synced || is_over; }
};

QueueWatch::QueueWatch(kube::Client& client, const std::string& namespace_name, QueueForm form)
    : client_(client),
      namespace_(namespace_name),
      form_(form),
      disruptions_(std::make_unique<DisruptionNotes>(client, Submissions::of_user())) {
  state_.queue = JobQueue(form);
  watch_all();
}
QueueWatch::~QueueWatch() = default;

void QueueWatch::watch_all() {
  for (const api::ResourceKind* kind : kinds_to_ask(client_, state_.only_namespace))
    watch(*kind, state_.only_namespace);
  watch(*api::find_kind("v1", "Pod"), state_.only_namespace);
  watch(*api::find_kind("scheduling.k8s.io/v1", "PriorityClass"), "");
  watch(*api::find_kind("v1", "Node"), "");
}

void QueueWatch::watch_kueue() {
  has_kueue_ = true;
  for (std::string& what : add_kueue(client_, state_.only_namespace, state_.queue))
    state_.unseen.push_back(std::move(what));
  try {
    const KueueApi kueue(client_);
    watch(kueue.workload(), state_.only_namespace);
    watch(kueue.local_queue(), state_.only_namespace);
  } catch (const Error& error) {
    if (error.http_status != 404 && error.http_status != 403) throw;
  }
}

void QueueWatch::watch(const api::ResourceKind& kind, const std::string& namespace_name) {
  sources_.push_back(std::make_unique<Source>());
  Source& source = *sources_.back();
  source.kind = kind;
  kube::WatchHandler handler;
  handler.on_change = [this, &source](kube::Change change, const Json& object) {
    source.trouble.clear();
    take(change, source.kind, object);
  };
  handler.on_synced = [this, &source] { source.is_synced = changed_ = true; };
  handler.on_retry = [this, &source](const Error& error, milliseconds delay) {
    source.trouble = error.message;
    // A reopened watch receives nothing until the first change. So the problem is assumed to be over if no
    // further failure follows within some seconds.
    source.trouble_until = client_.transport().now() + delay + std::chrono::seconds(5);
    changed_ = true;
  };
  handler.on_failure = [this, &source](const Error& error) {
    source.is_over = changed_ = true;
    if (!take_failure(source.kind, error)) failure_ = error;
  };
  source.watch = kube::watch(client_, source.kind, namespace_name, {}, std::move(handler));
}

bool QueueWatch::take_failure(const api::ResourceKind& kind, const Error& error) {
  take_absence(client_, kind, state_.only_namespace, error);
  if (error.http_status == 404 && !kind.group.empty()) return true;
  if (error.http_status != 403) return false;
  if (kind.kind == "Pod") {
    if (!state_.only_namespace.empty()) return false;
    return falls_back_ = true;
  }
  if (api::is_known(kind)) state_.queue.cannot_see(kind.kind);
  if (!is_missing_kind(kind, error)) state_.unseen.emplace_back(kind.plural);
  return true;
}

void QueueWatch::take(kube::Change change, const api::ResourceKind& kind, const Json& object) {
  changed_ = true;
  if (kind.kind == "Node") {
    nodes_changed_ = true;
    if (change == kube::Change::deleted)
      nodes_.erase(api::name_of(object));
    else
      nodes_[api::name_of(object)] = object;
    return;
  }
  if (change == kube::Change::deleted) {
    Json gone = object;
    gone["kind"] = kind.kind;
    return state_.queue.remove(gone);
  }
  if (kind.kind == "Pod") note_disruption(object);
  if (find(object, {"metadata", "labels", api::kKueueQueue})) names_queue_ = true;
  state_.queue.put(kind.kind == "Workload" || kind.kind == "PriorityClass" ? object : brief(object));
}

void QueueWatch::note_disruption(const Json& pod) {
  if (!disruption_of(pod)) return;
  if (const std::optional<Json> job = state_.queue.job_of(pod); job && has_pod(*job, pod))
    disruptions_->see(*job, pod);
}

bool QueueWatch::wait(const Interrupt& interrupt, milliseconds limit) {
  const auto until = client_.transport().now() + limit;
  const int wake[] = {interrupt.fd()};
  const auto is_ready = [&] {
    return std::all_of(sources_.begin(), sources_.end(),
                       [](const auto& source) { return source->is_ready(); });
  };
  while (!changed_ || !is_ready()) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - client_.transport().now());
    if (is_ready() && left.count() <= 0) return false;
    client_.transport().wait(is_ready() ? left : milliseconds(10'000), wake);
    interrupt.check();
    if (failure_) throw *failure_;
    disruptions_->look_up();
    if (std::exchange(falls_back_, false)) {
      sources_.clear();
      state_ = QueueState();
      state_.queue = JobQueue(form_);
      state_.only_namespace = namespace_;
      watch_all();
    }
    if (is_ready() && !has_kueue_ && names_queue_) watch_kueue();
  }
  changed_ = false;
  if (std::exchange(nodes_changed_, false)) {
    state_.nodes.clear();
    for (const auto& [name, node] : nodes_) state_.nodes.push_back(node);
  }
  return true;
}

std::string QueueWatch::trouble() const {
  for (const auto& source : sources_)
    if (!source->trouble.empty() && client_.transport().now() < source->trouble_until) return source->trouble;
  return {};
}

}  // namespace kml::job
