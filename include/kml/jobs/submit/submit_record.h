#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/core/process.h"
#include "kml/jobs/submit/submit.h"
#include "kml/kube/kubeconfig/kubeconfig.h"

namespace kml::jobs {

/// Asks git what code a run is made of. It is asked while the submit goes on: git takes longer than most of
/// it.
class GitState {
 public:
  /// Starts git if the folder lies in a repository.
  explicit GitState(const std::filesystem::path& folder);

  /// Waits for git: commit, branch, whether it is dirty, and the difference to the commit, at most 256 KiB of
  /// it (`diffCut` says so). Null if the folder is in no git repository, or there is no git. To be called
  /// once.
  Json take();

 private:
  std::filesystem::path folder_;
  std::optional<RunningProcess> diff_;
};

/// The record of one submit: what is to be sent is kept before, what became of it after.
class SubmitRecord {
 public:
  /// Asks git meanwhile, which takes as long as the rest of a submit.
  SubmitRecord();

  /// Before anything is sent, so that no job is ever without its record. Throws Error if it cannot be
  /// kept.
  void begin(const SubmitPlan& plan, const kube::Target& target);
  /// `made` are the objects that were made, each as job_key() names it; none if that is not known, and
  /// `kml history` asks for the run later. Returns what could not be kept, for the user, as the jobs are
  /// there; empty if all was.
  std::string end(const std::optional<std::vector<std::string>>& made);

 private:
  GitState git_;
  std::string run_id_;
};

}  // namespace kml::jobs
