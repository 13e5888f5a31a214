#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/jobs/belongings.h"
#include "kml/spec/submit_spec.h"

namespace kml::cli {

/// What submit was asked to send.
struct SubmitRequest {
  std::vector<spec::Setting> flags;  ///< in the order given
  std::vector<std::string> files;    ///< -f
  std::vector<Json> manifests = {};  ///< instead of files
  std::vector<UnknownFlag> unknown;  ///< may be parameters of the template
  std::vector<std::string> command;
  std::string key;                                                  ///< --idempotency-key
  std::string usage = "kml submit [flags] -- COMMAND ARGUMENT...";  ///< said where the command is missing
  std::string sweep;  ///< of whose trials this is the job: what it brings along is for all of them
};

/// The manifests of a request, with names, labels and annotations: exactly what is to be sent.
struct Prepared {
  std::vector<Json> objects;
  std::vector<jobs::Belonging> belongings;  ///< made before them
  std::vector<std::string> notes;
  std::string submit_id;
  std::string user;
  std::string code_folder;    ///< absolute; empty where no code goes along
  std::string template_name;  ///< empty where manifests were given
  std::string key;            ///< of the request
};

/// Reads configuration, template and files; asks no server. Throws Error (usage) with every problem.
Prepared prepare(Context& context, const SubmitRequest& request);

/// What a server would refuse as unknown, and is nearly the name of a field: for those who ask none, or late.
std::vector<std::string> misspelt_fields(const std::vector<Json>& objects);

/// The person who runs kml, as the operating system calls them.
std::string user_name();

}  // namespace kml::cli
