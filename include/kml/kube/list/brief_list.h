#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/kube/client.h"

namespace kml::kube {

/// How much of each object is of use.
enum class Detail {
  table,  ///< state and cause
  queue,  ///< also what its pods ask for, of which nodes, and for how long; and what nodes have
};

/// A collection whose objects are to be shown in a table.
struct BriefQuery {
  const api::ResourceKind* kind;
  std::string namespace_name;  ///< empty for all
  std::string label_selector = {};
  Detail detail = Detail::table;
  /// Where given, gets each object as soon as it is there, while others are on their way; after an answer
  /// that broke off, those again.
  std::function<void(Json)> take = {};
  /// By what the server has in memory, which is faster, and may be a moment behind.
  bool may_be_old = false;
};

/// Its objects, or why there are none.
struct BriefList {
  std::vector<Json> items;  ///< each with apiVersion and kind; none if the query takes them itself
  std::optional<Error> error;
};

/// Lists several collections at once. Jobs, Pods and Nodes come in protobuf where the server has it, and hold
/// only what a table needs: metadata, requests, state and causes. That is a third of the bytes, a tenth of
/// the memory, and most of all far less work for the server. One result a query, in order. Throws Error if
/// the server cannot be reached.
std::vector<BriefList> list_briefly(Client& client, std::span<const BriefQuery> queries);

}  // namespace kml::kube
