#pragma once

#include <string>

namespace kml {

// `kml mcp` sets these environment variables for the commands that it runs for an agent. They are variables
// of the environment because the processes that a command starts, such as the engine of a run, must obey
// them, too.

/// The folder in which `kml mcp` was started.
inline constexpr const char* kAgentFolder = "KML_AGENT_FOLDER";
/// The environment variables that may be copied into jobs, and the existing objects that jobs may use,
/// separated by commas: "HF_TOKEN,secret/hf-token".
inline constexpr const char* kAgentSecrets = "KML_AGENT_SECRETS";

/// The reason of an Error about something that an agent's job may not read.
inline constexpr const char* kRefusedToAgent = "RefusedToAgent";

/// Whether this process runs a command for an agent.
bool runs_for_agent();

/// The value of a variable that goes from kml's own environment into a job; nullptr if it is not set. Throws
/// usage Error if this process runs for an agent that may not copy the variable.
const char* variable_for_job(const std::string& name);

/// Whether jobs of this process may use an existing object, such as "secret/hf-token" or
/// "serviceaccount/reader". True if this process does not run for an agent. A name without a kind in
/// kAgentSecrets also allows the Secret with that name.
bool agent_may_use(const std::string& object);

/// Throws usage Error if this process runs for an agent, unless the file or folder is kAgentFolder or is
/// below it, and no name in its path below that folder starts with a dot. A relative path starts at the
/// current folder.
void require_agents_file(const std::string& file);

}  // namespace kml
