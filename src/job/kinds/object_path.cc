#include "kml/job/kinds/object_path.h"

#include <fmt/format.h>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

constexpr std::string_view kEach = "[*]";

}  // namespace

ObjectPath::ObjectPath(std::string_view text) : text_(text) {
  for (std::string name : split(std::string(text), '.')) {
    const bool is_each = name.ends_with(kEach);
    if (is_each) name.resize(name.size() - kEach.size());
    if (name.empty() || name.find_first_of("[]*") != std::string::npos)
      throw usage_error("\"" + text_ + "\" is not a path", "a path consists of names separated by dots",
                        "for example status.phase, or spec.tasks[*].template for each task");
    steps_.push_back({std::move(name)});
    if (is_each) steps_.push_back({"", true});
  }
}

template <typename Object, typename Visit>
void ObjectPath::walk(Object& object, size_t step, const std::string& place, const Visit& visit) const {
  const bool is_last = step + 1 == steps_.size();
  const auto go_on = [&](auto& value, const std::string& there) {
    if (is_last)
      visit(value, object, there);
    else
      walk(value, step + 1, there, visit);
  };
  if (!steps_[step].is_wildcard) {
    if (!object.is_object()) return;
    const auto found = object.find(steps_[step].key);
    if (found != object.end())
      go_on(*found, place.empty() ? steps_[step].key : place + "." + steps_[step].key);
  } else if (object.is_array()) {
    for (size_t i = 0; i < object.size(); ++i) go_on(object[i], fmt::format("{}[{}]", place, i));
  } else if (object.is_object()) {
    for (auto member = object.begin(); member != object.end(); ++member)
      go_on(member.value(), place + "." + member.key());
  }
}

void ObjectPath::each(const Json& object,
                      const std::function<void(const Json& value, const Json& parent)>& visit) const {
  if (empty()) return;
  walk(object, 0, "",
       [&](const Json& value, const Json& parent, const std::string&) { visit(value, parent); });
}

void ObjectPath::each(Json& object, const std::function<void(Json& value, const Json& parent)>& visit) const {
  if (empty()) return;
  walk(object, 0, "", [&](Json& value, const Json& parent, const std::string&) { visit(value, parent); });
}

std::vector<std::string> ObjectPath::places(const Json& object) const {
  std::vector<std::string> found;
  if (!empty())
    walk(object, 0, "", [&](const Json&, const Json&, const std::string& place) { found.push_back(place); });
  return found;
}

const Json& ObjectPath::first(const Json& object) const {
  static const Json kNull;
  const Json* found = &kNull;
  each(object, [&](const Json& value, const Json&) {
    if (found == &kNull) found = &value;
  });
  return *found;
}

}  // namespace kml::job
