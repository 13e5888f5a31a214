#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"

namespace kml::jobs {

/// What one submit was: enough to know what ran, and to run it again.
struct Run {
  std::string id;  ///< the objects' submit-id
  Time time;       ///< of the submit
  std::string user, context, namespace_name, server;
  std::string template_name;
  std::vector<std::string> command;
  std::string folder;
  std::vector<Json> objects;  ///< as sent; the contents of secrets are left out
  Json git;                   ///< see git_state(); null outside a repository
  std::string outcome;        ///< "Succeeded", "Failed", "Cancelled"; empty where it is not known
  std::string cause;
  std::optional<Time> finished;

  /// Name and kind of the first job among the objects ("Job/bert"), or of the first object.
  std::string job_key() const;
  std::string job_name() const;
};

/// state_folder()/runs.jsonl: one JSON object a line, a submit or the outcome of an earlier one.
class RunRecords {
 public:
  explicit RunRecords(std::filesystem::path file) : file_(std::move(file)) {}
  /// This user's.
  static RunRecords of_user();

  void add(const Run& run) const;
  void add_outcome(const std::string& run_id, const std::string& outcome, const std::string& cause,
                   std::optional<Time> finished) const;
  /// All, oldest first. A line that is no record (cut off by a crash) is skipped.
  std::vector<Run> read() const;

 private:
  std::filesystem::path file_;
};

/// Without the contents of Secrets, and without what the server or an earlier submit added.
Json without_secrets(Json object);

/// Commit, branch, whether it is dirty, and the difference to it, at most 256 KiB of it (`diffCut` says so).
/// Null where the folder is in no git repository, or there is no git.
Json git_state(const std::filesystem::path& folder);

}  // namespace kml::jobs
