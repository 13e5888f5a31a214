#include "sweep/space/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kml/base/text.h"
#include "kml/sweep/space/space.h"

namespace kml::sweep {

namespace {

constexpr double kMostGridPoints = 9007199254740992;  // 2^53

/// The values of the parent in a condition, in the form of numbers in a Point.
std::vector<double> parent_values(const Parameter& parent, const std::vector<Json>& wanted,
                                  std::string& fault) {
  std::vector<double> values;
  for (const Json& value : wanted) {
    if (parent.kind == Kind::ordinal || parent.kind == Kind::categorical) {
      const auto found = std::find(parent.choices.begin(), parent.choices.end(), value);
      if (found == parent.choices.end())
        fault = "depends on " + parent.name + " being " + value.dump() + ", which is not one of its values";
      values.push_back(static_cast<double>(found - parent.choices.begin()));
    } else if (const auto number = number_of(value)) {
      values.push_back(*number);
    } else {
      fault = "depends on " + parent.name + " being " + value.dump() + ", which is not a number";
    }
  }
  if (wanted.empty()) fault = "depends on " + parent.name + " having a value, but lists none";
  return values;
}

}  // namespace

ConditionTree::ConditionTree(const std::vector<Parameter>& parameters, const std::vector<Axis>& axes,
                             std::vector<std::pair<size_t, std::string>>& faults)
    : axes_(axes), nodes_(parameters.size()) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].condition) {
      roots_.push_back(i);
      continue;
    }
    const Condition& condition = *parameters[i].condition;
    const auto found = std::find(names.begin(), names.end(), condition.parent);
    if (found == names.end()) {
      const std::string hint = did_you_mean(condition.parent, names);
      faults.emplace_back(i, "depends on \"" + condition.parent + "\", which is not a parameter" +
                                 (hint.empty() ? "" : "; " + hint));
      continue;
    }
    const auto parent = static_cast<size_t>(found - names.begin());
    std::string fault;
    nodes_[i] = {parent, parent_values(parameters[parent], condition.values, fault), nodes_[i].children};
    if (!fault.empty()) faults.emplace_back(i, fault);
    nodes_[parent].children.push_back(i);
  }
  order_ = roots_;
  for (size_t i = 0; i < order_.size(); ++i)
    order_.insert(order_.end(), nodes_[order_[i]].children.begin(), nodes_[order_[i]].children.end());
  if (!faults.empty()) return;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (std::find(order_.begin(), order_.end(), i) == order_.end())
      faults.emplace_back(i, "depends on a cycle of conditions");
}

bool ConditionTree::active(size_t parameter, const Point& point) const {
  const Node& node = nodes_[parameter];
  if (!node.parent) return true;
  return std::find(node.when.begin(), node.when.end(), point[*node.parent]) != node.when.end();
}

std::vector<size_t> ConditionTree::active_children(size_t node, double value) const {
  std::vector<size_t> found;
  for (const size_t child : nodes_[node].children)
    if (std::find(nodes_[child].when.begin(), nodes_[child].when.end(), value) != nodes_[child].when.end())
      found.push_back(child);
  return found;
}

double ConditionTree::ways(const std::vector<size_t>& nodes) const {
  double product = 1;
  for (const size_t node : nodes) product *= ways(node);
  return product;
}

double ConditionTree::ways(size_t node) const {
  const std::uint64_t values = axes_[node].values();
  if (values == 0) return std::numeric_limits<double>::infinity();
  if (nodes_[node].children.empty()) return static_cast<double>(values);
  // No child depends on the parent's other values.
  std::vector<double> named;
  for (const size_t child : nodes_[node].children)
    for (const double value : nodes_[child].when)
      if (std::find(named.begin(), named.end(), value) == named.end()) named.push_back(value);
  double sum = static_cast<double>(values);
  for (const double value : named)
    if (axes_[node].at(axes_[node].rank(value)) == value) sum += ways(active_children(node, value)) - 1;
  return sum;
}

std::optional<std::uint64_t> ConditionTree::size() const {
  const double points = ways(roots_);
  if (!(points <= kMostGridPoints)) return std::nullopt;
  return static_cast<std::uint64_t>(points);
}

Point ConditionTree::grid_point(std::uint64_t index) const {
  Point point(nodes_.size(), std::numeric_limits<double>::quiet_NaN());
  fill(point, roots_, index);
  return point;
}

void ConditionTree::fill(Point& point, const std::vector<size_t>& nodes, std::uint64_t index) const {
  for (size_t i = nodes.size(); i-- > 0;) {
    const size_t node = nodes[i];
    const auto choices = static_cast<std::uint64_t>(ways(node));
    std::uint64_t own = index % choices;
    index /= choices;
    if (nodes_[node].children.empty()) {
      point[node] = axes_[node].at(own);
      continue;
    }
    for (std::uint64_t rank = 0;; ++rank) {
      const double value = axes_[node].at(rank);
      const std::vector<size_t> children = active_children(node, value);
      const auto below = static_cast<std::uint64_t>(ways(children));
      if (own < below) {
        point[node] = value;
        fill(point, children, own);
        break;
      }
      own -= below;
    }
  }
}

}  // namespace kml::sweep
