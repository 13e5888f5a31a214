#include "job/commands/accounts.h"

#include <algorithm>

#include "kml/job/views/job_view.h"

namespace kml::cli {

job::AccountQuery account_query(Context& context, Time since, bool all_namespaces) {
  return {context.place().context, context.list_namespace(all_namespaces), context.place().is_local, since,
          system_clock().now()};
}

void record_accounts(Context& context, const std::vector<Json>& jobs) try {
  job::record_accounts(context.client(), jobs, account_query(context, {}));
} catch (const Error&) {
  // If the record cannot be written, the job's time is unknown once the job is deleted.
}

void record_gpu_time(Context& context, std::vector<Json> jobs) {
  std::erase_if(jobs, [](const Json& job) { return job::basic_view_of_job(job).gpus == 0; });
  if (!jobs.empty()) record_accounts(context, jobs);
}

void note_unknown_accounts(Context& context, const std::vector<job::JobAccount>& accounts) {
  const auto count = std::count_if(accounts.begin(), accounts.end(), [](const job::JobAccount& account) {
    return account.gpus > 0 && account.is_unknown();
  });
  if (count > 0)
    context.note("the GPU time of " + std::to_string(count) + (count == 1 ? " job" : " jobs") +
                 " is missing here: the pods were deleted before kml recorded it");
}

}  // namespace kml::cli
