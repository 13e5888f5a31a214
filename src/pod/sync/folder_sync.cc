// A loop: after an event from TreeWatch, lists the files in the folder. Sends again the files that were
// reported, and files whose size, time, inode or mode has changed since they were sent. After five seconds
// without an event, asks whether the container is still the same, and sends again what could not be sent.
// Asks the pod for its files only at the start, for a new container, and after an error. So `known_` has the
// pod's files as they were when the pod could last be reached.

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kml/base/ready_files.h"
#include "kml/base/system_calls.h"
#include "kml/base/text.h"
#include "kml/job/submit/code.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"
#include "pod/copy/local_tree.h"
#include "pod/copy/pod_shell.h"
#include "pod/sync/pod_mirror.h"
#include "pod/sync/sync.h"
#include "pod/sync/tree_watch.h"

namespace kml::pod {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kBetweenScans{5000}, kAfterChange{200}, kUntilNextPod{2000};
/// Programs write a file in several steps, so waits until nothing has changed for a moment.
constexpr milliseconds kQuiet{20}, kLongestUnrest{200};
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;
constexpr size_t kMostFiles = 5000;
constexpr int kMostSyncTries = 5;

/// Shows whether a file has changed since it was sent. The default value differs from that of any file.
struct Stamp {
  std::uintmax_t size = 0;
  Time modified = {};
  ino_t inode = 0;  ///< the inode, which is never 0 for an existing file
  mode_t mode = 0;

  bool operator==(const Stamp&) const = default;
};

struct LocalFile {
  CopyEntry entry;
  Stamp stamp;
};
using LocalFiles = std::map<std::string, LocalFile>;

/// The file; empty if it was deleted in the meantime.
std::optional<LocalFile> local_file(const fs::path& folder, const std::string& name) {
  const fs::path place = folder / name;
  struct stat at {};
  if (::lstat(place.c_str(), &at) != 0) return {};
  const Stamp stamp = {static_cast<std::uintmax_t>(at.st_size), modification_time(at), at.st_ino, at.st_mode};
  try {
    return LocalFile{local_entry(place, name, at), stamp};
  } catch (const Error&) {
    return {};
  }
}

/// "train.py", "a, b, c and 4 more".
std::string names_of(const std::vector<CopyEntry>& entries) {
  std::vector<std::string> names;
  for (const CopyEntry& entry : entries) names.push_back(entry.path);
  return some_of(names);
}

/// Messages for the user. Does not repeat the last trouble, and says only once for each file why it is
/// skipped.
class SyncNotes {
 public:
  using Note = std::function<void(const std::string&)>;
  explicit SyncNotes(const Note& note) : note_(note) {}

  void tell(const std::string& text) const { note_(text); }
  void tell_skipped(const std::string& text) {
    if (skipped_.insert(text).second) note_("skipped " + text);
  }
  void tell_trouble(const std::string& text) {
    if (std::exchange(trouble_, text) != text) note_(text);
  }
  void trouble_is_over() { trouble_.clear(); }

 private:
  const Note& note_;
  std::set<std::string> skipped_;
  std::string trouble_;  ///< the last
};

class FolderSync {
 public:
  FolderSync(kube::Client& client, const SyncPlan& plan, const std::function<void(const std::string&)>& note,
             const job::Interrupt& interrupt)
      : client_(client),
        plan_(plan),
        notes_(note),
        interrupt_(interrupt),
        folder_(fs::canonical(plan.folder)),
        watch_(folder_) {}

  void run();

 private:
  RunningRank find();
  void connect();
  void refuse_target_inside();
  void compare_all();
  void follow();
  void send_changes(std::set<std::string> reported);
  void settle();
  bool send(std::vector<CopyEntry> entries, const LocalFiles& files);
  bool find_same_container();
  void after(const Error& error);
  LocalFiles list();
  std::string sum_here(const CopyEntry& file);
  void take_gone(const LocalFiles& files);

  kube::Client& client_;
  const SyncPlan& plan_;
  SyncNotes notes_;
  const job::Interrupt& interrupt_;
  const fs::path folder_;
  TreeWatch watch_;
  std::map<std::string, Stamp> known_;  ///< the files that the pod has, or may have, by name
  RunningRank rank_;
  std::string container_run_;
  std::optional<PodShell> shell_;
  std::optional<PodMirror> mirror_;
  bool has_connected_ = false, has_ended_ = false;
  bool is_equal_ = false;  ///< whether both folders are equal, as far as this process knows
  int failures_ = 0;
};

std::string run_of_container(kube::Client& client, const RunningRank& rank) {
  const Json pod = client.get(*api::find_kind("v1", "Pod"), rank.namespace_name, rank.pod);
  const Json* status = api::find_container_status(pod, rank.container);
  return rank.pod_uid + " " + (status ? api::container_id_of(*status) : "");
}

RunningRank FolderSync::find() {
  try {
    return plan_.find();
  } catch (const Error& error) {
    has_ended_ = error.reason != kNotRunning && !is_cut(error);
    throw;
  }
}

void FolderSync::connect() {
  rank_ = find();
  container_run_ = run_of_container(client_, rank_);
  mirror_.reset();
  shell_.emplace(client_, rank_, rank_.name(), interrupt_);
  mirror_.emplace(*shell_, folder_, plan_.target);
  mirror_->check_tools();
  if (plan_.is_on_this_machine) refuse_target_inside();
}

/// Throws Error if the target is inside the folder, because copies of copies would be sent without end.
void FolderSync::refuse_target_inside() {
  const fs::path target = fs::weakly_canonical(fs::path(mirror_->working_folder()) / plan_.target);
  const fs::path relative = target.lexically_relative(folder_);
  if (relative.empty() || *relative.begin() == "..") return;
  throw usage_error("cannot sync " + plan_.folder.string() + " to " + target.string(),
                    "the target is in the folder itself: jobs on this machine use the folder's files",
                    "choose a target outside the folder");
}

LocalFiles FolderSync::list() {
  LocalFiles files;
  for (const job::CodeFile& code : job::code_files(folder_)) {
    std::optional<LocalFile> file = local_file(folder_, code.name);
    if (!file) continue;
    if (contains(code.name, "\n")) {
      notes_.tell_skipped(code.name + ": its name has a line break");
      continue;
    }
    std::vector<CopyEntry> entries = {file->entry};
    for (const std::string& why : take_out_uncopyable(entries)) notes_.tell_skipped(why);
    if (!entries.empty()) files.emplace(code.name, *std::move(file));
  }
  return files;
}

/// Handles files that the pod has but that no longer exist here: forgets them or, with --delete, deletes them
/// in the pod.
void FolderSync::take_gone(const LocalFiles& files) {
  std::vector<std::string> gone;
  for (const auto& [name, stamp] : known_)
    if (!files.contains(name)) gone.push_back(name);
  if (plan_.deletes && !gone.empty()) {
    mirror_->remove(gone);
    notes_.tell("deleted " + some_of(gone));
  }
  for (const std::string& name : gone) known_.erase(name);
}

/// The sum of the file; empty if the file cannot be read as it was listed. Either a program is writing to it,
/// or send() will report the error.
std::string FolderSync::sum_here(const CopyEntry& file) {
  try {
    return local_sum(folder_ / file.path, file.size, SumTool::sha256sum);
  } catch (const Error&) {
    return {};
  }
}

void FolderSync::compare_all() {
  watch_.take();
  watch_.cover(job::code_folders(folder_));
  const LocalFiles files = list();
  std::vector<std::string> compared;
  for (const auto& [name, file] : files)
    if (file.entry.kind == CopyEntry::Kind::file) compared.push_back(name);
  const std::map<std::string, PodMirror::There> there = mirror_->compare(compared);
  take_gone(files);
  std::vector<CopyEntry> missing;
  for (const auto& [name, file] : files) {
    const auto found = there.find(name);
    const bool is_equal = found != there.end() &&
                          found->second.is_executable == ((file.entry.mode & 0100U) != 0) &&
                          found->second.sum == sum_here(file.entry);
    known_.insert_or_assign(name, is_equal ? file.stamp : Stamp{});
    if (!is_equal) missing.push_back(file.entry);
  }
  std::uintmax_t bytes = 0;
  for (const CopyEntry& entry : missing) bytes += entry.size;
  const size_t count = missing.size();
  is_equal_ = send(std::move(missing), files);
  notes_.tell(fmt::format("{} of {} file{} sent to {}, {}", count, files.size(), files.size() == 1 ? "" : "s",
                          mirror_->shown(), size_text(bytes)));
  has_connected_ = true;
  if (!is_equal_) send_changes({});
}

/// Sends the files that are known to differ, in parts. If a file changed while it was sent, returns false:
/// what the pod has is unknown, so the file must be sent again.
bool FolderSync::send(std::vector<CopyEntry> entries, const LocalFiles& files) {
  bool is_whole = true;
  for (size_t begin = 0; begin < entries.size();) {
    std::vector<CopyEntry> part;
    for (std::uintmax_t bytes = 0; begin < entries.size() && part.size() < kMostFiles && bytes < kMostBytes;
         ++begin) {
      bytes += entries[begin].size;
      part.push_back(std::move(entries[begin]));
    }
    const auto is_changed = [&](const CopyEntry& entry) {
      const std::optional<LocalFile> now = local_file(folder_, entry.path);
      return !now || now->stamp != files.at(entry.path).stamp;
    };
    // If the connection breaks during the send, these files may have arrived.
    for (const CopyEntry& entry : part) known_.insert_or_assign(entry.path, Stamp{});
    bool has_arrived = false;
    try {
      has_arrived = mirror_->send(part);
    } catch (const Error& error) {
      if (is_cut(error) || error.code == ErrorCode::interrupted ||
          std::none_of(part.begin(), part.end(), is_changed))
        throw;
    }
    is_whole = is_whole && has_arrived;
    for (const CopyEntry& entry : part)
      if (has_arrived) known_[entry.path] = files.at(entry.path).stamp;
  }
  return is_whole;
}

void FolderSync::settle() {
  const http::SteadyTime latest = client_.transport().now() + kLongestUnrest;
  std::set<std::string> reported;
  do {
    TreeWatch::Changes more = watch_.take();
    if (more.has_new_folders) watch_.cover(job::code_folders(folder_));
    reported.merge(more.names);
    interrupt_.pause(kQuiet);
  } while (is_readable(watch_.fd()) && client_.transport().now() < latest);
  send_changes(std::move(reported));
}

void FolderSync::send_changes(std::set<std::string> reported) {
  for (int tries = 0; tries < kMostSyncTries; ++tries) {
    const LocalFiles files = list();
    take_gone(files);
    std::vector<CopyEntry> changed;
    for (const auto& [name, file] : files) {
      const auto known = known_.find(name);
      if (known == known_.end() || known->second != file.stamp || reported.contains(name))
        changed.push_back(file.entry);
    }
    is_equal_ = changed.empty();
    if (is_equal_) return;
    const std::string text = "sent " + names_of(changed);
    is_equal_ = send(std::move(changed), files);
    if (is_equal_) return notes_.tell(text);
    reported.clear();
    interrupt_.pause(kAfterChange);
  }
}

bool FolderSync::find_same_container() {
  rank_ = find();
  return run_of_container(client_, rank_) == container_run_;
}

void FolderSync::follow() {
  const int wake[] = {watch_.fd(), interrupt_.fd()};
  while (true) {
    const http::SteadyTime until = client_.transport().now() + kBetweenScans;
    while (!is_readable(watch_.fd()) && client_.transport().now() < until) {
      client_.transport().wait(kBetweenScans, wake);
      interrupt_.check();
    }
    if (is_readable(watch_.fd())) {
      settle();
    } else if (!find_same_container()) {
      notes_.tell(rank_.name() + " has started again");
      return;
    } else if (!is_equal_) {
      send_changes({});
    }
    failures_ = 0;
  }
}

/// Waits before the next try, or throws the error if the sync must end.
void FolderSync::after(const Error& error) {
  constexpr int kNotFound = 404;
  const bool is_pod_gone = error.reason == kNotRunning || error.http_status == kNotFound;
  const bool may_pass = is_cut(error) || is_pod_gone;
  if (has_ended_ || error.code == ErrorCode::interrupted || (!may_pass && !has_connected_)) throw error;
  if (!has_connected_ && (is_pod_gone || ++failures_ >= kMostSyncTries)) throw error;
  notes_.tell_trouble(is_pod_gone
                          ? "waiting for the next pod of " + rank_.name()
                          : error.what() + (error.why.empty() ? "" : ": " + error.why) + "; trying again");
  interrupt_.pause(kUntilNextPod);
}

void FolderSync::run() {
  for (bool is_over = false; !is_over;) try {
      connect();
      compare_all();
      is_over = plan_.ends_equal;
      if (is_over) continue;
      notes_.trouble_is_over();
      follow();
    } catch (const Error& error) {
      after(error);
    }
  if (!is_equal_)
    throw Error(ErrorCode::failure, "the files of " + folder_.string() + " change while they are sent", "",
                "run kml sync when nothing writes to these files, or let git ignore the files");
}

}  // namespace

void sync_to_pod(kube::Client& client, const SyncPlan& plan,
                 const std::function<void(const std::string&)>& note, const job::Interrupt& interrupt) {
  FolderSync(client, plan, note, interrupt).run();
}

}  // namespace kml::pod
