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

/// Headings of submit's help, and the command's names for them.
using OtherHeadings = std::map<std::string_view, std::string_view>;

/// Declares the flags that describe a job, except those that do not apply to the command. Given flags are
/// appended to `settings`, which must outlive the command.
void add_spec_flags(Command& command, std::vector<spec::Setting>& settings,
                    std::initializer_list<std::string_view> without = {}, const OtherHeadings& others = {});

/// The parts of a flag's NAME=VALUE; the second one is empty if it is missing.
std::pair<std::string, std::string> split_pair(const std::string& text);

/// The job to submit, as described on the command line.
struct SubmitFlags {
  std::vector<spec::Setting> settings;  ///< in the order given
  std::vector<std::string> files;       ///< -f
  std::vector<UnknownFlag> unknown;     ///< possibly parameters of the template
  std::vector<std::string> command;
  std::string key;            ///< --idempotency-key
  bool checks_fields = true;  ///< whether misspelt fields of manifests are rejected
  std::string usage = "kml submit [flags] -- COMMAND ARGUMENT...";  ///< for the error about a missing command
};

/// Combines the flags with kml.yaml and the environment; flags take precedence. Prints the settings from
/// kml.yaml, or throws Error if they need the user's trust. If `manifests` is given, it replaces the files.
job::SubmitRequest submit_request(Context& context, const SubmitFlags& flags,
                                  std::optional<std::vector<Json>> manifests = {});

/// The request's plan. Prints which of the cluster's objects its manifests use.
job::SubmitPlan plan(Context& context, const job::SubmitRequest& request, const std::string& source);

/// Both steps, with the files of -f.
job::SubmitPlan plan(Context& context, const SubmitFlags& flags);

}  // namespace kml::cli
