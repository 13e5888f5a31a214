#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "job/commands/command_plan.h"
#include "kml/job/submit/belongings.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::cli {

/// The plan of a sweep: its document, and what its trials use at most.
job::PlanFile plan_of_sweep(Context& context, const sweep::SweepSpec& spec);

/// Implements `kml sweep run --plan`. Throws Error if the sweep exists and was not begun by this plan, or if
/// its first trial could not run.
int write_sweep_plan(Context& context, const sweep::SweepSpec& spec,
                     const std::vector<job::Belonging>& secrets, const std::vector<std::string>& notes,
                     const PlanFlags& flags);

/// Throws usage Error if the sweep exists.
void require_new_sweep(Context& context, const std::string& name);
/// Records that an apply of the plan begins the sweep. The sweep's folder must exist.
void mark_as_planned(const std::string& sweep, const job::PlanFile& plan);
/// Whether an earlier apply of the plan has begun the sweep.
bool was_begun_by(const job::PlanFile& plan, const std::string& sweep);
/// The id of the plan that has begun the sweep; empty if no plan has begun it.
std::string plan_of_begun_sweep(const std::string& sweep);

}  // namespace kml::cli
