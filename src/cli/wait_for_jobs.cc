#include "cli/wait_for_jobs.h"

#include <algorithm>

#include "cli/outcome.h"
#include "kml/jobs/find.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/wait.h"

namespace kml::cli {

int wait_for_jobs(Context& context, const std::vector<Json>& jobs,
                  std::optional<std::chrono::seconds> timeout) {
  jobs::Interrupt interrupt;
  int code = 0;
  const auto report = [&](const Json& job, jobs::JobView view) {
    if (view.state == jobs::State::failed) {
      // The pods know more than the job: an exit code, a signal, a program that is not there.
      auto pods = jobs::list_pods(context.client(), view.namespace_name, jobs::pod_selector(job));
      view = jobs::view_of_job(job, pods.of(job));
    }
    report_end(context, job, view);
    code = std::max(code, exit_code_of(view));
  };
  try {
    jobs::wait_for_end(context.client(), jobs, timeout, interrupt, report);
  } catch (const Error& error) {
    if (error.code != ErrorCode::interrupted) throw;
    return report_interrupt(context, jobs);
  }
  return code;
}

}  // namespace kml::cli
