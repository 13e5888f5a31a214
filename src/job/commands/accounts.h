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

/// Like record_accounts(), but for jobs that have ended, and only for those with GPUs. If this fails for a
/// job, `kml usage` tries again while the job exists.
void record_gpu_time(Context& context, std::vector<Json> jobs);

/// If the GPU time of some jobs is unknown, prints of how many.
void note_unknown_accounts(Context& context, const std::vector<job::JobAccount>& accounts);

}  // namespace kml::cli
