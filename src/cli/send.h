#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/jobs/submit/submit.h"

namespace kml::cli {

/// What happens to a plan.
struct SendOptions {
  std::string dry_run;  ///< "", "client", "server"
  std::string output;
  bool test_only = false;
  bool no_check = false;
  bool replace = false;
  bool follow = false;
  bool wait = false;
  std::optional<std::chrono::seconds> timeout;
};

void add_send_flags(Command& command, SendOptions& options);

/// Makes the plan, prints the target, creates the objects, keeps the run record, then waits or follows. git
/// is asked for the record from the start, while the plan is made. `on_made` gets the objects that were made
/// or, with a key, are there. Returns the exit code.
int send(Context& context, const std::function<jobs::SubmitPlan()>& make_plan, const SendOptions& options,
         const std::function<void(const std::vector<Json>& made)>& on_made = {});

}  // namespace kml::cli
