#include "kml/kube/objects/selector.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/names.h"

namespace kml::api {

namespace {

Error bad_selector(std::string_view text, std::string why,
                   const std::string& example = "app=bert,tier!=test,zone in (a,b),gpu,!spot") {
  return usage_error("\"" + std::string(text) + "\" is not a selector", std::move(why),
                     "write it like this: " + example);
}

/// Splits the text at commas that are outside parentheses.
std::vector<std::string> requirement_texts(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

LabelSelector LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  if (trim(text).empty()) return selector;
  for (const std::string& part : requirement_texts(text)) {
    std::string_view rest = trim(part);
    Requirement requirement;
    bool negated = rest.starts_with('!');
    if (negated) rest = trim(rest.substr(1));
    size_t end = std::min(rest.find_first_of(" =!("), rest.size());
    requirement.key = rest.substr(0, end);
    rest = trim(rest.substr(end));
    if (requirement.key.empty()) throw bad_selector(text, "one of its terms has no key");

    if (rest.empty()) {
      requirement.op = negated ? Operator::does_not_exist : Operator::exists;
    } else if (negated) {
      throw bad_selector(text, "nothing may follow !" + requirement.key);
    } else if (rest.starts_with("in") || rest.starts_with("notin")) {
      requirement.op = rest.starts_with("in") ? Operator::in : Operator::not_in;
      std::string_view list = trim(rest.substr(requirement.op == Operator::in ? 2 : 5));
      if (list.size() < 2 || list.front() != '(' || list.back() != ')')
        throw bad_selector(text, "a list in parentheses must follow \"in\"");
      for (const std::string& value : split(list.substr(1, list.size() - 2), ','))
        requirement.values.emplace_back(trim(value));
    } else {
      requirement.op = rest.starts_with("!=") ? Operator::not_in : Operator::in;
      size_t operator_size = rest.starts_with("!=") || rest.starts_with("==") ? 2 : 1;
      if (!rest.starts_with("=") && !rest.starts_with("!="))
        throw bad_selector(text, "an operator is missing");
      requirement.values.emplace_back(trim(rest.substr(operator_size)));
      if (std::string problem = label_value_problem(requirement.values.back()); !problem.empty())
        throw bad_selector(text,
                           "\"" + requirement.values.back() + "\" is not a valid label value: " + problem);
    }
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

LabelSelector LabelSelector::from_json(const Json& json) {
  LabelSelector selector;
  for (const auto& [key, value] : object_at(json, {"matchLabels"}).items())
    selector.requirements_.push_back(
        {key, Operator::in, {value.is_string() ? value.get<std::string>() : ""}});
  for (const Json& expression : array_at(json, {"matchExpressions"})) {
    std::string op = string_at(expression, {"operator"});
    Requirement requirement{string_at(expression, {"key"}), Operator::in, {}};
    if (op == "NotIn")
      requirement.op = Operator::not_in;
    else if (op == "Exists")
      requirement.op = Operator::exists;
    else if (op == "DoesNotExist")
      requirement.op = Operator::does_not_exist;
    else if (op != "In")
      throw bad_selector(json.dump(), "\"" + op + "\" is not an operator");
    for (const Json& value : array_at(expression, {"values"}))
      requirement.values.push_back(value.is_string() ? value.get<std::string>() : "");
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

bool LabelSelector::matches(const Json& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& requirement) {
    const Json* label = find(labels, {requirement.key});
    bool listed = label && label->is_string() &&
                  std::find(requirement.values.begin(), requirement.values.end(),
                            label->get_ref<const std::string&>()) != requirement.values.end();
    switch (requirement.op) {
      case Operator::in: return listed;
      case Operator::not_in: return !listed;
      case Operator::exists: return label != nullptr;
      case Operator::does_not_exist: return label == nullptr;
    }
    return false;
  });
}

FieldSelector FieldSelector::parse(std::string_view text) {
  FieldSelector selector;
  if (trim(text).empty()) return selector;
  for (const std::string& part : split(text, ',')) {
    size_t at = part.find('=');
    if (at == std::string::npos || at == 0)
      throw bad_selector(text, "one of its terms has no " + std::string(at == 0 ? "field" : "operator"),
                         "metadata.name=bert,status.phase!=Failed");
    bool equal = part[at - 1] != '!';
    size_t value_at = at + (part.compare(at, 2, "==") == 0 ? 2 : 1);
    std::string path(trim(std::string_view(part).substr(0, equal ? at : at - 1)));
    selector.requirements_.push_back(
        {split(path, '.'), equal, std::string(trim(std::string_view(part).substr(value_at)))});
  }
  return selector;
}

bool FieldSelector::matches(const Json& object) const {
  return std::all_of(requirements_.begin(), requirements_.end(), [&](const Requirement& requirement) {
    const Json* value = &object;
    for (const std::string& key : requirement.path) {
      value = find(*value, {key});
      if (!value) break;
    }
    std::string text = !value ? "" : value->is_string() ? value->get<std::string>() : value->dump();
    return (text == requirement.value) == requirement.equal;
  });
}

}  // namespace kml::api
