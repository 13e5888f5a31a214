#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "kml/jobs/records/records.h"
#include "kml/jobs/submit/belongings.h"
#include "kml/spec/submit_spec.h"

namespace kml::jobs {

/// The run whose id begins so, or the last one with a job of that name; the last one of all for "@". Throws
/// Error: none (with the nearest name), or several ids that begin so.
const Run& find_run(const std::vector<Run>& runs, std::string_view id_or_job);

/// The run's objects under new names: each job gets a new suffix, or `name`, wherever its name stands.
/// Secrets are left out: the record does not hold them. Throws Error (usage) if several jobs would get one
/// name.
std::vector<Json> objects_to_run_again(const Run& run, const std::string& name = {});

/// Gives an argument of the run's command another value, in the jobs and in `command`: "lr=0.1" changes
/// `--lr 0.5`, `--lr=0.5` and `lr=0.5`. Throws Error (usage) if the command has no such argument, with the
/// nearest one.
void set_argument(std::vector<Json>& objects, std::vector<std::string>& command, std::string_view change);

/// The Secrets of a run's code, for objects that mention them: from its folder where that is as it was then,
/// else from the cluster, where another job may still hold them. Throws Error if neither has them any
/// more.
std::vector<Belonging> code_to_run_again(const std::function<kube::Client&()>& client, const Run& run,
                                         const Marks& marks, const std::vector<Json>& objects);

/// Gives the Secret of the run's secret variables another name, and tells the variables: their values have to
/// be found again.
std::vector<spec::SecretVariable> rename_secret_object(std::vector<Json>& objects, const std::string& from,
                                                       const std::string& to);

}  // namespace kml::jobs
