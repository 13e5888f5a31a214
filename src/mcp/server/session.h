#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "mcp/limits/audit.h"
#include "mcp/protocol/message.h"
#include "mcp/tools/call.h"

namespace kml::mcp {

/// A request that is answered once its kml processes have ended.
struct Started {
  std::unique_ptr<Call> call;
  long long number = 0;  ///< of the call, for the audit log
  std::string tool;      ///< the name of the tool, for the audit log
  Json arguments;
  bool changes = false;  ///< whether the tool may change something
};

struct ServerSettings {
  Permissions permissions;
  Budget budget;
  size_t most_bytes = 0;        ///< the maximum size of an answer
  bool is_progressive = false;  ///< whether `tools/list` only has three tools, which find and call the others
  std::filesystem::path audit_file;
  /// the tree of commands, which is made when the tools are first needed
  std::function<cli::Command()> command_tree;
};

/// Answers requests. Other classes read the messages, write the answers and start the processes.
class Session {
 public:
  explicit Session(ServerSettings settings);

  /// A request's result, the reason why it has none, or the call that will produce the result. Not for
  /// notifications.
  std::variant<Json, Refusal, Started> answer(const Message& request);
  AuditLog& audit() { return audit_; }

 private:
  const std::vector<Tool>& tools();
  const Tool* find_tool(const std::string& name);
  Json list_of_tools();
  std::variant<Json, Refusal, Started> call_tool(const Json& params);
  std::variant<Json, Refusal, Started> call_meta_tool(const std::string& name, const Json& arguments);
  /// Records a call that was not started.
  Refusal refused(const std::string& tool, const Json& arguments, Refusal refusal);
  /// Records a call that needs no process.
  Json answered(const std::string& tool, const Json& arguments, Json result);
  /// The tools whose names or summaries contain the text; all tools if there are none.
  Json tools_about(const std::string& text);
  std::variant<Json, Refusal, Started> read(const Json& params);
  std::variant<Json, Refusal, Started> start(const std::string& name, const Json& arguments);

  ServerSettings settings_;
  Shared shared_;
  AuditLog audit_;
  std::vector<Tool> tools_;
};

}  // namespace kml::mcp
