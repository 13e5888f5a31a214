#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/jobs/submit/submit.h"
#include "kml/spec/setting.h"

namespace kml::cli {

/// The flags that say something about a job, each given one to be added to `settings`, which must outlive the
/// command. Those that mean nothing to the command are left out.
void add_spec_flags(Command& command, std::vector<spec::Setting>& settings,
                    std::initializer_list<std::string_view> without = {});

/// What the command line says of the job to submit.
struct SubmitFlags {
  std::vector<spec::Setting> settings;  ///< in the order given
  std::vector<std::string> files;       ///< -f
  std::vector<UnknownFlag> unknown;     ///< may be parameters of the template
  std::vector<std::string> command;
  std::string key;            ///< --idempotency-key
  bool checks_fields = true;  ///< of manifests, whose slips of the hand are refused
  std::string usage = "kml submit [flags] -- COMMAND ARGUMENT...";  ///< said where the command is missing
};

/// The flags over kml.yaml and the environment. Says what kml.yaml chose, or throws Error if that needs
/// the user's trust. `manifests` stand instead of files.
jobs::SubmitRequest submit_request(Context& context, const SubmitFlags& flags,
                                   std::optional<std::vector<Json>> manifests = {});

/// The request's plan; says what its manifests take of the cluster.
jobs::SubmitPlan plan(Context& context, const jobs::SubmitRequest& request, const std::string& source);

/// Both, for what -f names.
jobs::SubmitPlan plan(Context& context, const SubmitFlags& flags);

}  // namespace kml::cli
