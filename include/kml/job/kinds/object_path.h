#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// A path in an object: `status.state.phase`, or with `[*]` for each item of a list or each member of a map,
/// `spec.tasks[*].template`.
class ObjectPath {
 public:
  ObjectPath() = default;
  /// Throws usage Error if a name is empty, or has a bracket or an asterisk other than a final `[*]`.
  explicit ObjectPath(std::string_view text);

  bool empty() const { return steps_.empty(); }
  const std::string& text() const { return text_; }

  /// Calls `visit` with each value at the path and with the object or list that has it.
  void each(const Json& object,
            const std::function<void(const Json& value, const Json& parent)>& visit) const;
  void each(Json& object, const std::function<void(Json& value, const Json& parent)>& visit) const;
  /// The paths of these values, without `[*]`: `spec.tasks[0].template`.
  std::vector<std::string> places(const Json& object) const;
  /// The first value; null if there is none.
  const Json& first(const Json& object) const;

 private:
  struct Step {
    std::string key;
    bool is_wildcard = false;
  };

  template <typename Object, typename Visit>
  void walk(Object& object, size_t step, const std::string& place, const Visit& visit) const;

  std::string text_;
  std::vector<Step> steps_;
};

}  // namespace kml::job
