// Objects arrive one by one, in any order, and each of them changes a single line of the queue. A pod, job or
// workload finds its line by name, and only changed lines are computed and sorted again. Only a change of
// priorities or queues affects all lines. Otherwise, with 10,000 waiting jobs, `kml queue -w` would process
// all of them again for each pod that starts.

#include "job/queue/queue.h"

#include <algorithm>
#include <compare>
#include <unordered_map>

#include "job/capacity/kueue_api.h"
#include "job/queue/brief.h"
#include "job/queue/entry.h"
#include "job/queue/kueue.h"
#include "kml/base/text.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// A name in which numbers are compared by value: "exp-9" comes before "exp-10".
struct NaturalName {
  std::string text;
  bool operator==(const NaturalName&) const = default;
  std::strong_ordering operator<=>(const NaturalName& other) const {
    if (natural_less(text, other.text)) return std::strong_ordering::less;
    return natural_less(other.text, text) ? std::strong_ordering::greater : text <=> other.text;
  }
};

/// The values by which lines are sorted; earlier members are more significant.
struct Rank {
  int state = 0;  ///< 0 for running, 1 for waiting, 2 for suspended
  std::string queue;
  int kueue_position = 0;
  long long priority = 0;  ///< negated, so that high priorities come first
  Time since = {};
  std::string workload;   ///< the Workload's uid, by which Kueue orders equal jobs
  std::string submitted;  ///< within the same second, the order in which kml submitted the jobs
  NaturalName name;       ///< compared with its namespace
  auto operator<=>(const Rank&) const = default;
};

struct Line {
  std::string id;   ///< "namespace/Kind/name"
  std::string key;  ///< "Kind/name"
  QueueRecord record;
  QueueEntry entry;
  Rank rank;
  int kueue_position = 0;
  std::optional<Time> ends_at, saved_at;  ///< as its log reports
  bool is_listed = false, is_changed = false;
  /// the pod's index in record.pods, by the pod's name
  std::unordered_map<std::string, size_t> place_of_pod;

  bool is_empty() const { return record.job.is_null() && record.workload.is_null() && record.pods.empty(); }
};

bool before(const Line* a, const Line* b) {
  return a->rank < b->rank;
}

}  // namespace

class JobQueue::State {
 public:
  void put(Json object);
  void remove(const Json& object);
  void set_kueue_position(const std::string& workload, int position);
  const std::vector<const QueueEntry*>& entries();
  const std::vector<const QueueEntry*>& fresh() const { return fresh_; }

  std::unordered_map<std::string, Line> lines;  ///< the key is "namespace/" and the pods' key
  std::set<std::string, std::less<>> unseen_kinds;

  void change(Line& line) {
    if (!std::exchange(line.is_changed, true)) changed_.push_back(&line);
  }
  void change_all() {
    for (auto& [key, line] : lines) change(line);
  }

 private:
  Line& line_of(const std::string& namespace_name, const std::string& key);
  void put_pod(Json pod);
  static void remove_pod(Line& line, const std::string& name);
  void put_workload(Json workload);
  bool is_to_be_listed(const Line& line) const;
  Rank rank_of(const Line& line) const;
  void place_anew(Line& line);
  void sort_anew();
  /// Sorts by moving only the changed lines, which is faster if few have changed.
  void sort_in();

  std::unordered_map<std::string, std::string> line_of_pod_, line_of_workload_;  ///< by "namespace/name"
  std::map<std::string, std::string> cluster_queues_;  ///< by "namespace/LocalQueue"
  Priorities priorities_ = {{"", 0}};
  std::vector<Line*> changed_, order_;
  std::vector<const QueueEntry*> entries_, fresh_;
};

Line& JobQueue::State::line_of(const std::string& namespace_name, const std::string& key) {
  const auto [found, is_new] = lines.try_emplace(namespace_name + "/" + key);
  Line& line = found->second;
  if (is_new) {
    line.id = found->first;
    line.key = key;
  }
  change(line);
  return line;
}

void JobQueue::State::put(Json object) {
  const std::string kind = api::kind_name(object);
  if (kind == "Pod") return put_pod(std::move(object));
  if (kind == "Workload") return put_workload(std::move(object));
  if (kind == "LocalQueue") {
    cluster_queues_[api::full_name_of(object)] = cluster_queue_of(object);
    return change_all();
  }
  if (kind == "PriorityClass") {
    priorities_[api::name_of(object)] = api::priority_value_of(object);
    if (bool_at(object, {"globalDefault"})) priorities_[""] = api::priority_value_of(object);
    return change_all();
  }
  if (!is_job(object) || is_part_of_job(object)) return;
  const std::string key = pods_key(object);
  // A job of a described kind may have got the label of its pods only now.
  if (is_label(key))
    if (const auto before = lines.find(api::namespace_of(object) + "/" + job_key(object));
        before != lines.end()) {
      before->second.record.job = nullptr;
      change(before->second);
    }
  Line& line = line_of(api::namespace_of(object), key);
  line.record.job = std::move(object);
}

void JobQueue::State::put_pod(Json pod) {
  drop_repeated(pod);
  std::string key = job_key_of_pod(pod);
  if (key.empty()) key = "Pod/" + api::name_of(pod);
  Line& line = line_of(api::namespace_of(pod), key);
  line_of_pod_[api::full_name_of(pod)] = line.id;
  std::vector<Json>& pods = line.record.pods;
  const auto [place, is_new] = line.place_of_pod.try_emplace(api::name_of(pod), pods.size());
  if (is_new)
    pods.push_back(std::move(pod));
  else
    pods[place->second] = std::move(pod);
}

/// The last pod moves to the place of the removed one.
void JobQueue::State::remove_pod(Line& line, const std::string& name) {
  const auto place = line.place_of_pod.extract(name);
  if (!place) return;
  std::vector<Json>& pods = line.record.pods;
  if (place.mapped() + 1 < pods.size()) {
    pods[place.mapped()] = std::move(pods.back());
    line.place_of_pod[api::name_of(pods[place.mapped()])] = place.mapped();
  }
  pods.pop_back();
}

void JobQueue::State::put_workload(Json workload) {
  const std::string owner = owner_of_workload(workload);
  if (owner.empty()) return;
  // A TrainJob has the pods of its JobSet, so it uses the JobSet's line.
  const std::string key = pods_key_of(owner.substr(owner.find('/') + 1));
  const std::string namespace_name = api::namespace_of(workload);
  line_of_workload_[api::full_name_of(workload)] = namespace_name + "/" + key;
  Line& line = line_of(namespace_name, key);
  line.record.workload = std::move(workload);
}

void JobQueue::State::remove(const Json& object) {
  const std::string kind = api::kind_name(object), name = api::full_name_of(object);
  const auto take = [&](std::unordered_map<std::string, std::string>& index) -> Line* {
    const auto found = index.find(name);
    if (found == index.end()) return nullptr;
    Line* line = &lines[found->second];
    index.erase(found);
    change(*line);
    return line;
  };
  if (kind == "Pod") {
    if (Line* line = take(line_of_pod_)) remove_pod(*line, api::name_of(object));
  } else if (kind == "Workload") {
    if (Line* line = take(line_of_workload_)) line->record.workload = nullptr;
  } else if (const auto line = lines.find(api::namespace_of(object) + "/" + pods_key(object));
             line != lines.end() && api::kind_name(line->second.record.job) == kind) {
    line->second.record.job = nullptr;
    change(line->second);
  }
}

void JobQueue::State::set_kueue_position(const std::string& workload, int position) {
  const auto id = line_of_workload_.find(workload);
  if (id == line_of_workload_.end()) return;
  Line& line = lines[id->second];
  line.kueue_position = position;
  change(line);
}

bool JobQueue::State::is_to_be_listed(const Line& line) const {
  const QueueRecord& record = line.record;
  if (has_ended(line.entry.job.state)) return false;
  if (!record.job.is_null()) return true;
  if (record.pods.empty()) return false;
  if (!is_label(line.key) && !line.key.starts_with("Pod/"))
    return unseen_kinds.contains(line.key.substr(0, line.key.find('/')));
  // Pods of other controllers, such as a web server's, are only listed if they hold GPUs.
  return line.entry.job.gpus > 0 || !api::controller_of(record.pods[0]);
}

Rank JobQueue::State::rank_of(const Line& line) const {
  const QueueEntry& entry = line.entry;
  Rank rank;
  rank.state = has_running_pods(entry.job.state) ? 0 : entry.job.state == job::State::waiting ? 1 : 2;
  const bool in_kueue = rank.state == 1 && !entry.queue.empty() && api::is_suspended(line.record.job);
  if (in_kueue) {
    rank.queue =
        entry.cluster_queue.empty() ? entry.job.namespace_name + "/" + entry.queue : entry.cluster_queue;
    rank.kueue_position = line.kueue_position;
  }
  rank.priority = -entry.priority;
  const bool has_workload = in_kueue && !line.record.workload.is_null();
  rank.since = has_workload ? order_of_workload(line.record.workload) : entry.waiting_since;
  if (has_workload) rank.workload = api::uid_of(line.record.workload);
  if (!in_kueue) rank.submitted = entry.job.submitted;
  rank.name = {entry.job.namespace_name + "/" + entry.job.name};
  return rank;
}

void JobQueue::State::place_anew(Line& line) {
  if (line.is_listed) {
    const auto [begin, end] = std::equal_range(order_.begin(), order_.end(), &line, before);
    order_.erase(std::find(begin, end, &line));
  }
  line.entry = entry_of(line.record, line.key, priorities_);
  if (line.entry.cluster_queue.empty() && !line.entry.queue.empty())
    if (const auto found = cluster_queues_.find(line.entry.job.namespace_name + "/" + line.entry.queue);
        found != cluster_queues_.end())
      line.entry.cluster_queue = found->second;
  if (!line.entry.ends_at) line.entry.ends_at = line.ends_at;
  line.entry.saved_at = line.saved_at;
  line.entry.object = line.record.job.is_null() ? nullptr : &line.record.job;
  line.is_changed = false;
  line.is_listed = is_to_be_listed(line);
  line.rank = rank_of(line);
}

void JobQueue::State::sort_anew() {
  order_.clear();
  for (Line* line : changed_) line->is_listed = false;
  for (Line* line : changed_) place_anew(*line);
  for (auto& [id, line] : lines)
    if (line.is_listed) order_.push_back(&line);
  std::sort(order_.begin(), order_.end(), before);
}

void JobQueue::State::sort_in() {
  for (Line* line : changed_) place_anew(*line);
  for (Line* line : changed_)
    if (line->is_listed) order_.insert(std::upper_bound(order_.begin(), order_.end(), line, before), line);
}

const std::vector<const QueueEntry*>& JobQueue::State::entries() {
  fresh_.clear();
  if (changed_.empty()) return entries_;
  constexpr size_t kFew = 64;
  changed_.size() > kFew ? sort_anew() : sort_in();
  for (const Line* line : changed_)
    if (line->is_listed) fresh_.push_back(&line->entry);
  for (const Line* line : changed_)
    if (line->is_empty()) lines.erase(std::string(line->id));
  changed_.clear();
  entries_.clear();
  int position = 0;
  const std::string* queue = nullptr;
  for (Line* line : order_) {
    const bool waits = line->rank.state == 1;
    if (waits && (!queue || *queue != line->rank.queue)) position = 0;
    queue = waits ? &line->rank.queue : nullptr;
    line->entry.position = !waits                          ? 0
                           : line->rank.kueue_position > 0 ? line->rank.kueue_position
                                                           : ++position;
    entries_.push_back(&line->entry);
  }
  return entries_;
}

std::string id_of(const QueueEntry& entry) {
  return entry.job.namespace_name + "/" + entry.job.kind + "/" + entry.job.name;
}

JobQueue::JobQueue() : state_(std::make_unique<State>()) {}
JobQueue::~JobQueue() = default;
JobQueue::JobQueue(JobQueue&&) noexcept = default;
JobQueue& JobQueue::operator=(JobQueue&&) noexcept = default;

void JobQueue::put(Json object) {
  state_->put(std::move(object));
}
void JobQueue::remove(const Json& object) {
  state_->remove(object);
}
void JobQueue::cannot_see(std::string_view kind) {
  state_->unseen_kinds.emplace(kind);
  state_->change_all();
}
void JobQueue::set_kueue_position(const std::string& namespace_name, const std::string& workload,
                                  int position) {
  state_->set_kueue_position(namespace_name + "/" + workload, position);
}
void JobQueue::set_progress(const std::string& id, std::optional<Time> ends_at,
                            std::optional<Time> saved_at) {
  for (auto& [key, line] : state_->lines)
    if (id_of(line.entry) == id) {
      line.ends_at = ends_at;
      line.saved_at = saved_at;
      state_->change(line);
    }
}
const std::vector<const QueueEntry*>& JobQueue::entries() {
  return state_->entries();
}
const std::vector<const QueueEntry*>& JobQueue::fresh() const {
  return state_->fresh();
}
std::set<std::string> JobQueue::kueue_queues() const {
  std::set<std::string> queues;
  for (const auto& [id, line] : state_->lines)
    if (const std::string queue = api::label_of(line.record.job, api::kKueueQueue); !queue.empty())
      queues.insert(id.substr(0, id.find('/')) + "/" + queue);
  return queues;
}
void JobQueue::each(const Visit& visit) const {
  for (const auto& [id, line] : state_->lines) visit(line.record.job, line.record.pods, line.entry);
}

}  // namespace kml::job
