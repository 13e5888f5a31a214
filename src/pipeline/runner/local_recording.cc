#include "pipeline/runner/local_recording.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "kml/base/files.h"
#include "kml/base/read_record.h"
#include "kml/base/sha256.h"
#include "kml/job/views/kinds.h"
#include "pipeline/runner/step_program.h"
#include "pipeline/store/store_write.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestRecord = size_t{256} << 20;

bool has_one_pod(const Json& object) {
  return job::is_plain_job(object) && int_at(object, {"spec", "completions"}, 1) == 1 &&
         int_at(object, {"spec", "parallelism"}, 1) == 1;
}

/// Whether one of the folders contains the other.
bool overlap(const fs::path& a, const fs::path& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return in_a == a.end() || in_b == b.end();
}

/// Whether the job's pods may see files of the code folder at other paths, or other files at its paths.
/// kml-step would not recognize them.
bool hides_or_repeats(const Json& object, const fs::path& folder) {
  bool found = false;
  std::error_code unknown;  // a path that cannot be resolved overlaps with every other
  const fs::path code = fs::weakly_canonical(folder, unknown);
  const auto look_at = [&](const std::string& path) {
    found = found || (!path.empty() && overlap(fs::weakly_canonical(path, unknown), code));
  };
  job::each_pod_template(object, [&](const Json& pod, int) {
    for (const Json& volume : array_at(pod, {"spec", "volumes"}))
      look_at(string_at(volume, {"hostPath", "path"}));
    for (const Json& container : array_at(pod, {"spec", "containers"}))
      for (const Json& mount : array_at(container, {"volumeMounts"}))
        look_at(string_at(mount, {"mountPath"}));
  });
  return found;
}

}  // namespace

void LocalRecording::put_into(Json& object, const StepJob& job, bool is_in_folder) {
  if (!options_.records_since || !job.step->is_cached || job.step->program) return;
  const std::string program = this->program();
  std::string& reason = reasons_[job.name];
  if (!is_in_folder)
    reason = "it runs in a copy of its code";
  else if (!has_one_pod(object))
    reason = "it has several pods";
  else if (hides_or_repeats(object, options_.folder))
    reason = "it mounts files of the folder, or others in their place";
  else if (program.empty())
    reason = "programs in " + store_.folder().string() + " cannot be executed";
  if (!reason.empty()) return;
  const auto since = options_.records_since->time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const Json words = {program,
                      "--record",
                      file_of(job),
                      options_.folder,
                      std::to_string(seconds.count()),
                      std::to_string(std::chrono::nanoseconds(since - seconds).count()),
                      "--"};
  if (job.is_new) store_.prepare(file_of(job));
  job::each_pod_template(object, [&](Json& pod, int) {
    Json& container = pod["spec"]["containers"][0];
    Json command = words;
    for (const Json& word : array_at(container, {"command"})) command.push_back(word);
    container["command"] = std::move(command);
  });
}

std::optional<std::string> LocalRecording::take(const StepJob& job) {
  if (const std::string& reason = reasons_[job.name]; !reason.empty()) {
    ReadRecord record;
    record.give_up(reason);
    return record.text();
  }
  const fs::path file = file_of(job);
  std::optional<std::string> record = read_file_if_exists(file, kLongestRecord);
  std::error_code ignored;
  fs::remove(file, ignored);
  return record;
}

fs::path LocalRecording::file_of(const StepJob& job) const {
  return store_.output_path(options_.run, job.step->name, job.attempt, "kml-reads");
}

/// The path of kml-step on this machine; empty if it cannot be executed there.
std::string LocalRecording::program() const {
  const std::vector<PodPrograms>& programs = pod_programs();
  if (programs.empty()) return {};
  const fs::path path = store_.folder() / "programs" / sha256_hex(programs[0].step) / "kml-step";
  if (!fs::exists(path)) {
    store_.make_folder_of(path);
    write_in(store_.folder(), [&] { write_file_atomically(path, programs[0].step, 0700); });
  }
  return ::access(path.c_str(), X_OK) == 0 ? path.string() : std::string();
}

}  // namespace kml::pipeline
