#include "pipeline/engine/gc.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/system_calls.h"
#include "kml/engine/journal/journal.h"
#include "kml/pipeline/engine/key.h"
#include "kml/pipeline/engine/pins.h"
#include "kml/pipeline/engine/runs.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours kGrace{24};

/// The files that a run needs, according to its journal.
struct Needs {
  std::string name, pipeline;
  Time last_time = {};
  bool is_open = false;  ///< the run has not ended, or an engine is running it
  std::set<std::string> paths = {};
  std::set<std::string> digests = {};  ///< digests of its trees and lists
};

void add_made(const Json& made, Needs& needs) {
  if (!made.is_object() || !made.contains("digest")) return;
  needs.paths.insert(string_at(made, {"path"}));
  needs.digests.insert(string_at(made, {"digest"}));
}

Needs needs_of(const RunState& run) {
  Needs needs{run.name(), run.head().pipeline, run.last_time(), !run.end()};
  needs.is_open = needs.is_open || engine::writer_of(run_folder(run.name()));
  for (const auto& [name, step] : run.steps()) {
    for (const Json& made : step.outputs) add_made(made, needs);
    if (needs.is_open)
      for (const Json& made : step.inputs) add_made(made, needs);
    for (const auto& [part, text] : step.parts.items())
      if (is_list_part(part)) needs.digests.insert(text.get<std::string>());
  }
  return needs;
}

std::vector<Needs> needs_of_all() {
  std::vector<Needs> all;
  for (const std::string& name : run_names()) all.push_back(needs_of(read_run(name)));
  std::sort(all.begin(), all.end(), [](const Needs& a, const Needs& b) { return a.last_time < b.last_time; });
  return all;
}

std::uintmax_t bytes_at(const fs::path& path) {
  struct stat at {};
  if (::lstat(path.c_str(), &at) != 0) return 0;
  std::uintmax_t bytes = S_ISREG(at.st_mode) ? static_cast<std::uintmax_t>(at.st_size) : 0;
  if (!S_ISDIR(at.st_mode)) return bytes;
  std::error_code ignored;
  for (fs::directory_iterator it(path, ignored), end; it != end; it.increment(ignored))
    bytes += bytes_at(it->path());
  return bytes;
}

/// When the file's content, name or mode last changed, by the file system's clock.
Time changed_at(const fs::path& path) {
  struct stat at {};
  if (::lstat(path.c_str(), &at) != 0) return {};
  return change_time(at);
}

class Collection {
 public:
  Collection(const LocalStore& store, const GcOptions& options, Time now)
      : store_(store), options_(options), young_(now - kGrace), now_(now), runs_(needs_of_all()) {}

  GcReport result() {
    choose_roots();
    measure();
    if (options_.max_bytes) give_up_roots();
    for (const Found& found : found_) remove(found);
    forget_results();
    remove_unused("manifests");
    remove_unused("lists");
    return std::move(report_);
  }

 private:
  struct Found {
    LocalStore::Output output;
    std::uintmax_t bytes;
    bool is_young;
  };

  /// Chooses the runs whose files are kept. The latest runs come last.
  void choose_roots() {
    std::map<std::string, size_t> of_pipeline;
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      const bool is_last = ++of_pipeline[run->pipeline] <= options_.keep_last;
      if (run->is_open) open_.insert(run->name);
      if (is_last || run->is_open || run->last_time > now_ - options_.keep || run->last_time > young_)
        roots_.insert(run->name);
    }
    pinned_ = pins_of(store_).paths;
    count_needed();
  }

  void count_needed() {
    needed_ = pinned_;
    for (const Needs& run : runs_)
      if (roots_.contains(run.name)) needed_.insert(run.paths.begin(), run.paths.end());
  }

  void measure() {
    for (LocalStore::Output& output : store_.outputs()) {
      const Time used = std::max(changed_at(output.path), store_.last_use(output.path).value_or(Time{}));
      const std::uintmax_t bytes = bytes_at(output.path);
      found_.push_back({std::move(output), bytes, used > young_});
    }
  }

  bool is_kept(const Found& found) const {
    return found.is_young || open_.contains(found.output.run) || needed_.contains(found.output.path.string());
  }

  std::uintmax_t bytes_kept() const {
    std::uintmax_t bytes = 0;
    for (const Found& found : found_) bytes += is_kept(found) ? found.bytes : 0;
    return bytes;
  }

  /// Drops runs from the list, the oldest first, until the rest is small enough.
  void give_up_roots() {
    for (const Needs& run : runs_) {
      if (bytes_kept() <= *options_.max_bytes) return;
      if (run.is_open || run.last_time > young_ || roots_.erase(run.name) == 0) continue;
      count_needed();
    }
  }

  void remove(const Found& found) {
    if (is_kept(found) || (!options_.is_dry_run && !is_removed(found.output))) {
      report_.kept_bytes += found.bytes;
      return;
    }
    gone_.insert(found.output.path.string());
    report_.removed.push_back(
        {found.output.path.lexically_relative(store_.folder() / "data").string(), found.bytes});
  }

  /// Whether the output was removed. Returns false if the run was resumed in the meantime, or if another run
  /// has found its files.
  bool is_removed(const LocalStore::Output& output) const {
    if (!fs::exists(run_folder(output.run))) return store_.remove_output(output.path, young_);
    try {
      const Journal lock = open_run(output.run, "kml gc");
      return store_.remove_output(output.path, young_);
    } catch (const Error&) {
      if (!engine::writer_of(run_folder(output.run))) throw;
      return false;
    }
  }

  bool is_there(const std::string& path) const {
    struct stat ignored {};
    return !gone_.contains(path) && ::lstat(path.c_str(), &ignored) == 0;
  }

  void forget_results() {
    std::vector<std::string> keys;
    store_.each_result([&](const std::string& key, const Json& result) {
      Needs needs;
      for (const Json& made : object_at(result, {"outputs"})) add_made(made, needs);
      if (std::all_of(needs.paths.begin(), needs.paths.end(),
                      [&](const auto& path) { return is_there(path); }))
        add_digests(result, needs);
      else
        keys.push_back(key);
    });
    for (const std::string& key : keys)
      if (!options_.is_dry_run) store_.forget_result(key);
    add_sum(keys.size(), "results whose files are gone", 0);
  }

  void add_digests(const Json& result, const Needs& needs) {
    digests_.insert(needs.digests.begin(), needs.digests.end());
    for (const Json* parts : {&object_at(result, {"parts"}), &object_at(result, {"reads", "parts"})})
      for (const auto& [part, text] : parts->items())
        if (is_list_part(part)) digests_.insert(text.get<std::string>());
    digests_.insert(string_at(result, {"reads", "record"}));
  }

  void remove_unused(const char* kind) {
    for (const Needs& run : runs_)
      if (roots_.contains(run.name)) digests_.insert(run.digests.begin(), run.digests.end());
    size_t count = 0;
    std::uintmax_t bytes = 0;
    std::error_code none;
    for (const auto& folder : fs::directory_iterator(store_.folder() / kind, none))
      for (const auto& file : fs::directory_iterator(folder.path(), none)) {
        if (digests_.contains(file.path().filename().string()) || changed_at(file.path()) > young_) continue;
        ++count;
        bytes += bytes_at(file.path());
        if (!options_.is_dry_run) fs::remove(file.path(), none);
      }
    add_sum(count, std::string("unused ") + kind, bytes);
  }

  void add_sum(size_t count, const std::string& what, std::uintmax_t bytes) {
    if (count > 0) report_.removed.push_back({std::to_string(count) + " " + what, bytes});
  }

  const LocalStore& store_;
  const GcOptions& options_;
  const Time young_, now_;
  const std::vector<Needs> runs_;  ///< sorted by the times of their last events
  std::set<std::string> roots_, open_, pinned_, needed_, gone_, digests_;
  std::vector<Found> found_;
  GcReport report_;
};

/// Removes results whose outputs no longer exist.
void forget_broken_results(const LocalStore& store) {
  std::vector<std::string> keys;
  store.each_result([&](const std::string& key, const Json& result) {
    for (const Json& made : object_at(result, {"outputs"}))
      if (made.contains("path") && changed_at(string_at(made, {"path"})) == Time{})
        return keys.push_back(key);
  });
  for (const std::string& key : keys) store.forget_result(key);
}

}  // namespace

GcReport collect(const LocalStore& store, const GcOptions& options, Time now) {
  return Collection(store, options, now).result();
}

/// Keeps outputs that another run has just found. That run's journal may not show this yet, but the run has
/// marked the outputs, and this mark is newer than the last event of the run that made them.
std::vector<std::string> remove_outputs(const LocalStore& store, const std::string& run, bool is_forced,
                                        Time now) {
  constexpr std::chrono::seconds kJustNow{60};
  std::set<std::string> used = pins_of(store).paths;
  bool any_runs = false;
  Time ended = {};
  for (const std::string& name : run_names()) try {
      const Needs needs = needs_of(read_run(name));
      if (name == run) {
        ended = needs.last_time;
        continue;
      }
      any_runs = any_runs || engine::writer_of(run_folder(name));
      used.insert(needs.paths.begin(), needs.paths.end());
    } catch (const Error&) {
      if (!is_forced) throw;  // otherwise it would be unknown which files that run needs
    }
  const Time since = is_forced || !any_runs ? Time::max() : std::max(ended, now - kJustNow);
  std::vector<std::string> kept;
  for (const LocalStore::Output& output : store.outputs()) {
    if (output.run != path_component(run)) continue;
    const bool is_used = !is_forced && used.contains(output.path.string());
    if (is_used || !store.remove_output(output.path, since))
      kept.push_back(output.path.lexically_relative(store.folder() / "data").string());
  }
  forget_broken_results(store);
  return kept;
}

}  // namespace kml::pipeline
