#pragma once

#include <vector>

#include "cli/context.h"
#include "kml/job/accounting/account_records.h"

namespace kml::cli {

/// The query for the target's jobs that existed after `since`, in the target's namespace or in all
/// namespaces.
job::AccountQuery account_query(Context& context, Time since, bool all_namespaces = false);

/// Records the GPU time of jobs that have ended or are about to be deleted. Failures are ignored: `kml usage`
/// tries again while a job exists. Sends requests, so it must not be called while a watch or a log is
/// followed.
void record_gpu_time(Context& context, const std::vector<Json>& jobs);

/// If some accounts come only from records, prints how many.
void note_unknown_accounts(Context& context, const std::vector<job::JobAccount>& accounts);

}  // namespace kml::cli
