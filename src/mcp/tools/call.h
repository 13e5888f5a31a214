#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcp/limits/budget.h"
#include "mcp/tools/answer.h"
#include "mcp/tools/catalog.h"

namespace kml::mcp {

/// The data that all calls of a server share.
struct Shared {
  Permissions permissions;
  Spending spending;
  OwnWork own;
  size_t most_bytes = 0;  ///< the maximum size of an answer
};

/// A call of a tool, or the reading of a resource. It runs kml's own commands, one after the other.
class Call {
 public:
  virtual ~Call() = default;
  /// The arguments of the next kml process; empty if the call is over. `ran` are the results so far. May
  /// throw Error: then the call has failed.
  virtual std::optional<std::vector<std::string>> next(const std::vector<Ran>& ran) = 0;
  /// The result of `tools/call` or `resources/read`.
  virtual Json result(const std::vector<Ran>& ran) = 0;
  /// The id of the plan that the call makes or applies; empty if the call does neither.
  virtual std::string plan_id() const { return {}; }
  /// Whether this call must not run beside other calls that change something.
  virtual bool is_alone() const { return false; }
};

/// Starts a call. Throws Error if the arguments are wrong or not allowed.
std::unique_ptr<Call> start_call(const Tool& tool, const Json& arguments, Shared& shared);

}  // namespace kml::mcp
