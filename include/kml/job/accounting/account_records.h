#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/clock.h"
#include "kml/job/accounting/gpu_time.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The accounts of ended jobs, so that their GPU time is known when they no longer exist: one JSON object a
/// line. They are not in the run records because these are read as a whole by other commands.
class AccountRecords {
 public:
  explicit AccountRecords(std::filesystem::path file) : file_(std::move(file)) {}
  /// The accounts of the current user: state_folder()/gpu_time.jsonl.
  static AccountRecords of_user();

  void add(const std::vector<JobAccount>& accounts) const;
  /// Decides by its key whether an account is wanted.
  using IsWanted = std::function<bool(std::string_view key)>;
  /// By key; all if `is_wanted` is empty. Of several accounts of a job, the last one. Skips a line that is
  /// not an account.
  std::map<std::string, JobAccount> read(const IsWanted& is_wanted = {}) const;

 private:
  std::filesystem::path file_;
};

/// The jobs to account for.
struct AccountQuery {
  std::string context, namespace_name;  ///< an empty namespace means all
  bool keeps_all = false;               ///< as in account_of()
  Time since = {}, now = {};
};

/// The accounts of jobs that existed during that time: those of the server, and those that are only on
/// record. Records the accounts of ended jobs. Reads the logs of at most 50 jobs that were preempted, for
/// their steps.
std::vector<JobAccount> read_accounts(kube::Client& client, const AccountQuery& query);

/// The account of one job that exists.
JobAccount read_account(kube::Client& client, const Json& job, const AccountQuery& query);

/// Records the accounts of kml's jobs that have ended or are about to be deleted, except those that requested
/// no GPUs. Lists the pods once per namespace.
void record_accounts(kube::Client& client, const std::vector<Json>& jobs, const AccountQuery& query);

}  // namespace kml::job
