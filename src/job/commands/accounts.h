#pragma once

#include <vector>

#include "cli/context.h"
#include "kml/job/accounting/account_records.h"

namespace kml::cli {

/// The query for the target's jobs that existed after `since`, in the target's namespace or in all
/// namespaces.
job::AccountQuery account_query(Context& context, Time since, bool all_namespaces = false);

/// Records the accounts of jobs that are about to be deleted: when they ran, and how many GPUs they had.
/// Ignores failures. Sends requests, so it must not be called while a watch or a log is followed.
void record_accounts(Context& context, const std::vector<Json>& jobs);

/// Records the accounts of those jobs that have ended and have GPUs. Otherwise like record_accounts(). If
/// this fails for a job, `kml usage` tries again while the job exists.
void record_gpu_time(Context& context, std::vector<Json> jobs);

/// If some accounts come only from records, prints how many.
void note_unknown_accounts(Context& context, const std::vector<job::JobAccount>& accounts);

}  // namespace kml::cli
