#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/job/submit/plan_file.h"

/// Plans: `--plan FILE` of a command writes one, and `kml apply FILE` carries it out.
namespace kml::cli {

/// The flags of a command other than submit that can be planned.
struct PlanFlags {
  std::string file, output;

  bool is_given() const { return !file.empty(); }
};
void add_plan_flags(Command& command, PlanFlags& flags);
/// Like add_plan_flags(), for a command that has -o already.
void add_plan_flag(Command& command, std::string& file);

/// The plan that `kml apply` applies by running this command; empty if a user has typed the command.
std::optional<job::PlanFile> plan_to_apply(Context& context);

/// A plan of this command for its target, without objects and id.
job::PlanFile empty_plan(Context& context, const std::string& command);

/// A plan of a submit or a rerun, without the results of the checks.
struct Draft {
  job::PlanFile file;
  job::SubmitPlan plan;
};
/// Makes the plan of the submit, with this idempotency key and with the submit-id kPlannedSubmitId.
using PlanWithKey = std::function<job::SubmitPlan(const std::string& key)>;
Draft draft_of(Context& context, const std::string& command, const PlanWithKey& plan_with);

/// Makes all checks, unless the same plan was applied earlier, and writes the plan. Throws Error if the jobs
/// would be rejected or could not run.
int write_draft(Context& context, Draft draft, const PlanFlags& flags);

/// Writes the plan, and prints it in brief or as data. If the file is "-", prints the file instead.
int write_plan_file(Context& context, job::PlanFile plan, const PlanFlags& flags);

/// Throws usage Error for a variable whose value looks like a secret, because everyone who reviews the plan
/// would see it. If this process runs for an agent, throws usage Error for folders of the host that it may
/// not read, too.
void refuse_plain_secrets(const std::vector<Json>& objects);

/// Throws usage Error if the plan would now do something else.
void require_unchanged(const job::PlanFile& planned, const job::PlanFile& now);

}  // namespace kml::cli
