#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// A short job that works on the files of a volume claim.
struct ClaimJob {
  std::string name;      ///< the start of the job's name
  std::string claim;     ///< the claim, which is mounted at `path`
  std::string sub_path;  ///< the folder of the claim; empty for all of it
  std::string path;
  std::string image;
  std::vector<std::string> command;
};

/// Submits the job, prints its log, and waits for its end. `complete` may add to the plan. The job is deleted
/// ten minutes after its end. Returns the exit code.
int run_on_claim(Context& context, const ClaimJob& job,
                 const std::function<void(job::SubmitPlan&)>& complete = {});

/// The log of such a job, and its exit code. The log is not printed.
struct ClaimOutput {
  int exit_code = 0;
  std::string log;
};
ClaimOutput output_on_claim(Context& context, const ClaimJob& job);

/// The claim and the folder in "pvc/NAME[/FOLDER]". Throws usage Error for another text.
std::pair<std::string, std::string> claim_and_folder(const std::string& text, const std::string& flag);

}  // namespace kml::cli
