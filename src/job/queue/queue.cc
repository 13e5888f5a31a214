#include "job/queue/queue.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "job/capacity/kueue_api.h"
#include "job/queue/brief.h"
#include "job/queue/entry.h"
#include "job/queue/kueue.h"
#include "job/queue/line.h"
#include "job/queue/packed_objects.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// For the pods of a Job, the key names their owner. The pods of other jobs may have owners of several kinds.
constexpr std::string_view kOfJob = "Job/";
constexpr std::string_view kOfPodGroup = "PodGroup/";

}  // namespace

class JobQueue::State {
 public:
  explicit State(QueueForm form) : is_packed_(form == QueueForm::packed) {}

  void put(Json object);
  void remove(const Json& object);
  void set_kueue_position(const std::string& workload, int position);
  const std::vector<const QueueEntry*>& entries();
  const std::vector<const QueueEntry*>& fresh() const { return fresh_; }
  void take_changes(const std::function<void(const QueueChange&)>& take);
  std::optional<Json> job_of(const Json& pod) const;

  std::unordered_map<std::string, QueueLine> lines;  ///< the key is "namespace/" and the pods' key
  std::set<std::string, std::less<>> unseen_kinds;
  bool lacks_kueue = false;

  /// Reads a field of an object, without a copy if the object is not packed.
  template <typename Field>
  std::string field_of(const Json& object, const Field& field) const {
    return object.is_string() ? field(packed_.unpacked(object)) : field(object);
  }

  std::vector<Json> pods_of(const QueueLine& line) const {
    std::vector<Json> pods;
    for (const Json& pod : line.record.pods) pods.push_back(packed_.unpacked(pod));
    return pods;
  }

  void change(QueueLine& line) {
    line.is_settled = false;
    if (!std::exchange(line.is_changed, true)) changed_.push_back(&line);
  }
  void change_all() {
    for (auto& [key, line] : lines) change(line);
  }

 private:
  QueueLine& line_of(const std::string& namespace_name, const std::string& key);
  void put_pod(Json pod);
  void remove_pod(QueueLine& line, const std::string& name) const;
  void put_workload(Json workload);
  /// Stores an object in its line.
  void keep(Json& place, Json object);
  // `record` is the line's record, unpacked.
  QueueEntry entry_for(const QueueLine& line, const QueueRecord& record) const;
  bool is_to_be_listed(const QueueLine& line, const QueueRecord& record, const QueueEntry& entry) const;
  void settle_later(QueueLine& line);
  void place(QueueLine& line);
  void sort_anew();
  /// Sorts by moving only the changed lines, which is faster if few have changed.
  void sort_in();

  const bool is_packed_;
  PackedObjects packed_;
  std::unordered_map<std::string, std::string> line_of_pod_, line_of_workload_;  ///< by "namespace/name"
  std::map<std::string, std::string> cluster_queues_;  ///< by "namespace/LocalQueue"
  Priorities priorities_ = {{"", {}}};
  std::vector<QueueLine*> changed_, order_;
  std::deque<QueueLine*> to_settle_;  ///< the changed lines that settle_later() has noted
  std::vector<const QueueEntry*> entries_, fresh_;
};

QueueLine& JobQueue::State::line_of(const std::string& namespace_name, const std::string& key) {
  const auto [found, is_new] = lines.try_emplace(namespace_name + "/" + key);
  QueueLine& line = found->second;
  if (is_new) {
    line.id = &found->first;
    if (!is_packed_) line.placed = std::make_unique<PlacedEntry>();
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
    const PriorityClass its{api::priority_value_of(object), api::may_preempt(object)};
    priorities_[api::name_of(object)] = its;
    if (bool_at(object, {"globalDefault"})) priorities_[""] = its;
    return change_all();
  }
  if (!is_job(object) || is_part_of_job(object)) return;
  const std::string key = pods_key(object);
  // Some controllers choose the label of the pods only after the creation of the job.
  if (is_label(key))
    if (const auto before = lines.find(api::namespace_of(object) + "/" + job_key(object));
        before != lines.end()) {
      before->second.record.job = nullptr;
      change(before->second);
    }
  QueueLine& line = line_of(api::namespace_of(object), key);
  line.kind = kind;
  keep(line.record.job, std::move(object));
  settle_later(line);
}

void JobQueue::State::keep(Json& place, Json object) {
  place = std::move(object);
  if (is_packed_) packed_.pack(place);
}

void JobQueue::State::put_pod(Json pod) {
  drop_repeated(pod);
  std::string key = job_key_of_pod(pod);
  // Pods without a job that start together are one line.
  if (const std::string group = key.empty() ? api::pod_group_of(pod) : ""; !group.empty())
    key = std::string(kOfPodGroup) + group;
  if (key.empty()) key = "Pod/" + api::name_of(pod);
  QueueLine& line = line_of(api::namespace_of(pod), key);
  line_of_pod_[api::full_name_of(pod)] = *line.id;
  std::vector<Json>& pods = line.record.pods;
  const auto [place, is_new] = line.place_of_pod.try_emplace(api::name_of(pod), pods.size());
  if (is_new) pods.emplace_back();
  if (!is_packed_ && key.starts_with(kOfJob)) drop_owner(pod);
  keep(pods[place->second], std::move(pod));
  settle_later(line);
}

/// Once many other lines have changed after a line that has a job and pods, the line is probably complete.
/// Its entry is then made while the rest of the lists arrives, and its pods, which take most of the memory,
/// are packed.
void JobQueue::State::settle_later(QueueLine& line) {
  constexpr size_t kRecent = 512;
  constexpr int kMostSettlings = 2;  // limits the work if the pods of different queues arrive mixed
  if (is_packed_ || line.record.job.is_null() || line.record.pods.empty()) return;
  if (line.settlings == kMostSettlings || std::exchange(line.is_to_settle, true)) return;
  to_settle_.push_back(&line);
  if (to_settle_.size() <= kRecent) return;
  QueueLine& older = *to_settle_.front();
  to_settle_.pop_front();
  older.is_to_settle = false;
  ++older.settlings;
  place(older);
  for (Json& pod : older.record.pods) packed_.pack(pod);
}

/// The last pod moves to the place of the removed one.
void JobQueue::State::remove_pod(QueueLine& line, const std::string& name) const {
  const auto place = line.place_of_pod.extract(name);
  if (!place) return;
  std::vector<Json>& pods = line.record.pods;
  if (place.mapped() + 1 < pods.size()) {
    pods[place.mapped()] = std::move(pods.back());
    line.place_of_pod[field_of(pods[place.mapped()], [](const Json& pod) { return api::name_of(pod); })] =
        place.mapped();
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
  QueueLine& line = line_of(namespace_name, key);
  keep(line.record.workload, std::move(workload));
}

void JobQueue::State::remove(const Json& object) {
  const std::string kind = api::kind_name(object), name = api::full_name_of(object);
  const auto take = [&](std::unordered_map<std::string, std::string>& index) -> QueueLine* {
    const auto found = index.find(name);
    if (found == index.end()) return nullptr;
    const auto line = lines.find(found->second);
    index.erase(found);
    if (line == lines.end()) return nullptr;
    change(line->second);
    return &line->second;
  };
  if (kind == "Pod") {
    if (QueueLine* line = take(line_of_pod_)) remove_pod(*line, api::name_of(object));
  } else if (kind == "Workload") {
    if (QueueLine* line = take(line_of_workload_)) line->record.workload = nullptr;
  } else if (const auto line = lines.find(api::namespace_of(object) + "/" + pods_key(object));
             line != lines.end() && !line->second.record.job.is_null() && line->second.kind == kind) {
    line->second.record.job = nullptr;
    change(line->second);
  }
}

void JobQueue::State::set_kueue_position(const std::string& workload, int position) {
  const auto id = line_of_workload_.find(workload);
  const auto line = id == line_of_workload_.end() ? lines.end() : lines.find(id->second);
  if (line == lines.end()) return;
  line->second.kueue_position = position;
  change(line->second);
}

bool JobQueue::State::is_to_be_listed(const QueueLine& line, const QueueRecord& record,
                                      const QueueEntry& entry) const {
  if (has_ended(entry.job.state)) return false;
  if (!record.job.is_null()) return true;
  if (record.pods.empty()) return false;
  const std::string key = line.key();
  if (!is_label(key) && !key.starts_with("Pod/") && !key.starts_with(kOfPodGroup))
    return unseen_kinds.contains(key.substr(0, key.find('/')));
  // Pods of other controllers, such as a web server's, are only listed if they hold GPUs.
  return entry.job.gpus > 0 || !api::controller_of(record.pods[0]);
}

QueueEntry JobQueue::State::entry_for(const QueueLine& line, const QueueRecord& record) const {
  QueueEntry entry = entry_of(record, line.key(), priorities_, lacks_kueue);
  if (entry.cluster_queue.empty() && !entry.queue.empty())
    if (const auto found = cluster_queues_.find(entry.job.namespace_name + "/" + entry.queue);
        found != cluster_queues_.end())
      entry.cluster_queue = found->second;
  return entry;
}

/// Makes the line's entry and rank.
void JobQueue::State::place(QueueLine& line) {
  packed_.unpack(line.record.pods);
  PlacedEntry& placed = *line.placed;
  placed.entry = entry_for(line, line.record);
  if (!placed.entry.ends_at) placed.entry.ends_at = placed.ends_at;
  placed.entry.saved_at = placed.saved_at;
  placed.entry.object = line.record.job.is_null() ? nullptr : &line.record.job;
  line.is_listed = is_to_be_listed(line, line.record, placed.entry);
  line.is_settled = true;
  placed.rank = rank_of(line.record, placed.entry, line.kueue_position);
}

void JobQueue::State::take_changes(const std::function<void(const QueueChange&)>& take) {
  for (QueueLine* line : std::exchange(changed_, {})) {
    line->is_changed = false;
    const QueueRecord record = packed_.unpacked(line->record);
    QueueEntry entry = entry_for(*line, record);
    entry.object = &record.job;
    entry.position = line->kueue_position;
    QueueChange change{
        .id = *line->id, .is_listed = is_to_be_listed(*line, record, entry), .pods = record.pods};
    if (change.is_listed || !record.job.is_null()) change.entry = &entry;
    if (change.is_listed) {
      const Rank rank = rank_of(record, entry, line->kueue_position);
      change.order = order_text(rank);
      if (rank.waits()) change.group = rank.queue;
    }
    take(change);
    if (line->is_empty()) lines.erase(std::string(*line->id));
  }
}

std::optional<Json> JobQueue::State::job_of(const Json& pod) const {
  const auto line = lines.find(api::namespace_of(pod) + "/" + job_key_of_pod(pod));
  if (line == lines.end() || line->second.record.job.is_null()) return {};
  return packed_.unpacked(line->second.record.job);
}

void JobQueue::State::sort_anew() {
  order_.clear();
  for (QueueLine* line : changed_)
    if (!line->is_settled) place(*line);
  for (auto& [id, line] : lines)
    if (line.is_listed) order_.push_back(&line);
  std::sort(order_.begin(), order_.end(), QueueLine::before);
}

void JobQueue::State::sort_in() {
  for (QueueLine* line : changed_) {
    if (line->is_listed) {
      const auto [begin, end] = std::equal_range(order_.begin(), order_.end(), line, QueueLine::before);
      order_.erase(std::find(begin, end, line));
    }
    place(*line);
  }
  for (QueueLine* line : changed_)
    if (line->is_listed)
      order_.insert(std::upper_bound(order_.begin(), order_.end(), line, QueueLine::before), line);
}

const std::vector<const QueueEntry*>& JobQueue::State::entries() {
  fresh_.clear();
  if (changed_.empty()) return entries_;
  constexpr size_t kFew = 64;
  changed_.size() > kFew ? sort_anew() : sort_in();
  for (QueueLine* line : changed_) {
    line->is_changed = line->is_to_settle = false;
    line->settlings = 0;
    if (line->is_listed) fresh_.push_back(&line->placed->entry);
  }
  for (const QueueLine* line : changed_)
    if (line->is_empty()) lines.erase(std::string(*line->id));
  changed_.clear();
  to_settle_.clear();
  entries_.clear();
  int position = 0;
  const std::string* queue = nullptr;
  for (QueueLine* line : order_) {
    const Rank& rank = line->placed->rank;
    if (rank.waits() && (!queue || *queue != rank.queue)) position = 0;
    queue = rank.waits() ? &rank.queue : nullptr;
    QueueEntry& entry = line->placed->entry;
    entry.position = !rank.waits() ? 0 : rank.kueue_position > 0 ? rank.kueue_position : ++position;
    entries_.push_back(&entry);
  }
  return entries_;
}

std::string id_of(const QueueEntry& entry) {
  return entry.job.namespace_name + "/" + entry.job.kind + "/" + entry.job.name;
}

JobQueue::JobQueue(QueueForm form) : state_(std::make_unique<State>(form)) {}
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
void JobQueue::lacks_kueue() {
  if (!std::exchange(state_->lacks_kueue, true)) state_->change_all();
}
void JobQueue::set_progress(const std::string& id, std::optional<Time> ends_at,
                            std::optional<Time> saved_at) {
  for (auto& [key, line] : state_->lines)
    if (id_of(line.placed->entry) == id) {
      line.placed->ends_at = ends_at;
      line.placed->saved_at = saved_at;
      state_->change(line);
    }
}
const std::vector<const QueueEntry*>& JobQueue::entries() {
  return state_->entries();
}
const std::vector<const QueueEntry*>& JobQueue::fresh() const {
  return state_->fresh();
}
void JobQueue::take_changes(const std::function<void(const QueueChange& change)>& take) {
  state_->take_changes(take);
}
std::optional<Json> JobQueue::job_of(const Json& pod) const {
  return state_->job_of(pod);
}
std::set<std::string> JobQueue::kueue_queues() const {
  std::set<std::string> queues;
  for (const auto& [id, line] : state_->lines)
    if (const std::string queue = state_->field_of(
            line.record.job, [](const Json& job) { return api::label_of(job, api::kKueueQueue); });
        !queue.empty())
      queues.insert(id.substr(0, id.find('/')) + "/" + queue);
  return queues;
}
void JobQueue::each(const Visit& visit) const {
  for (const auto& [id, line] : state_->lines)
    visit(line.record.job, state_->pods_of(line), line.placed->entry);
}
void JobQueue::each_job(const std::function<void(const Json& job, const QueueEntry& entry)>& visit) const {
  for (const auto& [id, line] : state_->lines) visit(line.record.job, line.placed->entry);
}

}  // namespace kml::job
