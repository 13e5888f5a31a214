#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/job/spec/setting.h"
#include "kml/job/submit/submit.h"

namespace kml::cli {

/// Maps headings in submit's help to the ones that another command uses.
using OtherHeadings = std::map<std::string_view, std::string_view>;

/// Declares the flags that describe a job, except those that the command does not support. Appends the given
/// flags to `settings`, which must outlive the command.
void add_spec_flags(Command& command, std::vector<spec::Setting>& settings,
                    std::initializer_list<std::string_view> without = {}, const OtherHeadings& others = {});

/// Splits a flag's NAME=VALUE. The second part is empty if it is missing.
std::pair<std::string, std::string> split_pair(const std::string& text);

/// The job to submit, as described on the command line.
struct SubmitFlags {
  std::vector<spec::Setting> settings;  ///< the settings of the flags, in the order on the command line
  std::vector<std::string> files;       ///< -f
  std::vector<UnknownFlag> unknown;     ///< flags that kml does not know, but the template may
  std::vector<std::string> command;
  std::string key;            ///< --idempotency-key
  bool keeps_claims = false;  ///< --keep
  bool fetches_data = false;  ///< whether the command obeys --data, and `data` in kml.yaml
  bool claims_gpus = true;    ///< whether the command calls use_gpu_claims() for the job
  bool checks_fields = true;  ///< whether misspelled fields in manifests are rejected
  /// the usage in the error about a missing command
  std::string usage = "kml submit [flags] -- COMMAND ARGUMENT...";
};

/// Combines the flags with kml.yaml and the environment; flags take precedence. Prints the settings from
/// kml.yaml, or throws Error if they need the user's trust. If `manifests` is given, it is used instead of
/// the files.
job::SubmitRequest submit_request(Context& context, const SubmitFlags& flags,
                                  std::optional<std::vector<Json>> manifests = {});

/// Makes the plan for the request. Prints which of the cluster's existing objects the manifests use.
job::SubmitPlan plan(Context& context, const job::SubmitRequest& request, const std::string& source);

/// Calls submit_request() and plan(), with the files of -f.
job::SubmitPlan plan(Context& context, const SubmitFlags& flags);

}  // namespace kml::cli
