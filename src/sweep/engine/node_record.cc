#include "kml/sweep/engine/node_record.h"

#include <algorithm>

namespace kml::sweep {

void NodeRecord::note_result(const std::string& node) {
  begin_row();
  failures_.erase(node);
  good_.insert(node);
}

std::vector<std::string> NodeRecord::bad() const {
  std::vector<std::string> nodes;
  for (const auto& [node, failures] : failures_)
    if (failures >= 2 && !node.empty()) nodes.push_back(node);
  return nodes;
}

bool NodeRecord::has_one_failed() const {
  const std::vector<std::string> nodes = bad();
  const auto is_that = [&](const std::string& node) { return node == failed_on_[0]; };
  return !failed_on_.empty() && std::ranges::all_of(failed_on_, is_that) &&
         std::ranges::any_of(nodes, is_that);
}

bool NodeRecord::has_good(const std::vector<std::string>& running_on) const {
  const std::vector<std::string> nodes = bad();
  const auto is_good = [&](const std::string& node) {
    return !node.empty() && std::ranges::find(nodes, node) == nodes.end();
  };
  return std::ranges::any_of(good_, is_good) || std::ranges::any_of(running_on, is_good);
}

}  // namespace kml::sweep
