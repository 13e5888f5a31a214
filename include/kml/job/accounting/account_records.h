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

/// The accounts of ended jobs, so that their GPU time is known after the jobs have been deleted. Each line is
/// a JSON object. The accounts are not in the file with the run records, because many commands read that
/// whole file.
class AccountRecords {
 public:
  explicit AccountRecords(std::filesystem::path file) : file_(std::move(file)) {}
  /// The accounts of the current user, in state_folder()/gpu_time.jsonl.
  static AccountRecords of_user();

  void add(const std::vector<JobAccount>& accounts) const;
  /// Decides by an account's key whether the account is wanted.
  using IsWanted = std::function<bool(std::string_view key)>;
  /// The accounts by key; all of them if `is_wanted` is empty. If a job has several accounts, the last one.
  /// Skips a line that is not an account.
  std::map<std::string, JobAccount> read(const IsWanted& is_wanted = {}) const;

 private:
  std::filesystem::path file_;
};

/// Which jobs to include.
struct AccountQuery {
  std::string context, namespace_name;  ///< an empty namespace means all namespaces
  bool keeps_all = false;               ///< as in account_of()
  Time since = {}, now = {};
};

/// The accounts of jobs that existed between `since` and `now`: jobs on the server, and jobs that are only
/// recorded. Records the accounts of ended jobs. Reads the logs of a job if they may complete its account,
/// but of at most 50 jobs.
std::vector<JobAccount> read_accounts(kube::Client& client, const AccountQuery& query);

/// The account of a job that exists.
JobAccount read_account(kube::Client& client, const Json& job, const AccountQuery& query);

/// Records the accounts of kml's jobs that have ended or will be deleted. Lists the pods of each namespace
/// once.
void record_accounts(kube::Client& client, const std::vector<Json>& jobs, const AccountQuery& query);

}  // namespace kml::job
