#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/records/records.h"
#include "kml/job/spec/submit_spec.h"
#include "kml/job/submit/belongings.h"
#include "kml/job/submit/submit.h"

namespace kml::job {

/// The last run that has a job with that name, "bert" or "pytorchjob/bert", or, if there is none, the run
/// with that id, see is_run_id(). "@" is the last run. Throws Error if none matches (with the nearest name),
/// or if several ids start with the text.
const Submission& find_run(const std::vector<Submission>& submissions, std::string_view id_or_job);

/// The objects of the run under new names: each job gets a new suffix, or the name `name`, wherever its old
/// name occurs. An old name that a user chose is only replaced where it is a whole string, because it may
/// also be a word in the command. With an idempotency key, the suffixes depend only on the key. Leaves out
/// Secrets, because the record does not have their contents. The new jobs do not wait for other jobs
/// (--after). Throws usage Error if several jobs would get the same name.
std::vector<Json> objects_to_run_again(const Submission& submission, const std::string& name = {},
                                       std::string_view key = {});

/// Changes the value of an argument in the run's command, in the jobs and in `command`: "lr=0.1" changes
/// `--lr 0.5`, `--lr=0.5` and `lr=0.5`. If the command has no such argument, throws usage Error with the
/// nearest one.
void set_argument(std::vector<Json>& objects, std::vector<std::string>& command, std::string_view change);

/// The Secrets with a run's code, and where the code comes from.
struct CodeAgain {
  std::vector<Belonging> secrets;
  std::string note;  ///< a note for the user if the folder has changed; empty if it has not
};

/// The Secrets with a run's code that the objects mention. If the code's folder is unchanged, they are packed
/// from it. Otherwise they are read from the cluster, where another job may own them, or packed from the
/// recorded commit with the recorded changes. Throws Error if the same files are in none of these places.
CodeAgain code_to_run_again(const std::function<kube::Client&()>& client, const Submission& submission,
                            const Marks& marks, const std::vector<Json>& objects);

/// Adds the Secret with a run's packages to the plan, if the plan's objects mention such a Secret. Throws
/// Error if the lock of the packages has been deleted.
void packages_to_run_again(const Submission& submission, const Marks& marks, bool is_local, SubmitPlan& plan);

/// Renames the Secret with the run's secret variables. Returns these variables, whose values must be read
/// again.
std::vector<spec::SecretVariable> rename_secret_object(std::vector<Json>& objects, const std::string& from,
                                                       const std::string& to);

}  // namespace kml::job
