#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// Options for sending a plan.
struct SendOptions {
  std::string dry_run;  ///< "", "client" or "server"
  std::string output;
  bool test_only = false;
  bool no_check = false;
  bool has_no_check = false;  ///< the command has the flag --no-check
  bool yes = false;           ///< submit without asking for confirmation
  bool replace = false;
  bool follow = false;
  bool wait = false;
  std::optional<std::chrono::seconds> timeout;
  std::vector<std::string> notify = {};  ///< values of --notify
};

/// Replaces the names of priorities and topology levels by the names that the cluster's Kueue uses.
void use_names_of_queues(Context& context, job::SubmitPlan& plan);

/// Throws usage Error if the log would follow data on standard output.
void refuse_log_after_data(const SendOptions& options);

void add_send_flags(Command& command, SendOptions& options);
/// Declares only --follow, --wait, --timeout and -o.
void add_following_flags(Command& command, SendOptions& options);

/// Makes the plan, prints the target, creates the objects, writes the run record, then waits for the jobs or
/// follows them. Meanwhile, git collects data for the record. `on_made` receives the created objects and, if
/// a key was given, those that already exist. Returns the exit code.
int send(Context& context, const std::function<job::SubmitPlan()>& make_plan, const SendOptions& options,
         const std::function<void(const std::vector<Json>& made)>& on_made = {});

/// Prints objects that an earlier submit has created, and follows or waits for the jobs as send() does.
int report_earlier(Context& context, const std::vector<Json>& objects, const SendOptions& options);

}  // namespace kml::cli
