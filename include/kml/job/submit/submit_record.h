#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/base/process.h"
#include "kml/job/submit/submit.h"
#include "kml/kube/kubeconfig/kubeconfig.h"

namespace kml::job {

/// Reads the state of a run's code from git. Git runs at the same time as the submit, because it takes longer
/// than most other steps.
class GitState {
 public:
  /// Starts git if the folder is in a repository.
  explicit GitState(const std::filesystem::path& folder);

  /// Waits for git. Returns the commit, the branch, whether tracked files have uncommitted changes, and up to
  /// 256 KiB of the diff to the commit, without .env files (`diffCut` means that the diff is longer). Returns
  /// null if the folder is not in a git repository, git is not installed, or git cannot make the diff. Call
  /// this only once.
  Json take();

 private:
  std::filesystem::path folder_;
  std::optional<RunningProcess> diff_;
};

/// The state of the code with a digest of the diff ("diffDigest") in place of the diff.
Json without_diff(Json git);

/// The record of one submit. The objects are recorded before they are sent, and the result afterwards.
class SubmitRecord {
 public:
  /// Starts git in the background, because it takes as long as the rest of a submit.
  SubmitRecord();

  /// Call this before anything is sent, so that every job has a record. Throws Error if the record cannot be
  /// written.
  void begin(const SubmitPlan& plan, const kube::Target& target);
  /// `made` are the created objects, by their job_key() names. If they are unknown, `made` is empty, and `kml
  /// history` looks them up later. If the record cannot be written or lacks a part of the diff, returns a
  /// text for the user; otherwise, an empty text. Does not throw, because the jobs already exist.
  std::string end(const std::optional<std::vector<std::string>>& made);

 private:
  GitState git_;
  std::string run_id_;
};

}  // namespace kml::job
