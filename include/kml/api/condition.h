#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/core/clock.h"
#include "kml/core/json.h"

namespace kml::api {

/// An entry of an object's status.conditions, or none. Looks into the object, which has to live as long.
class Condition {
 public:
  Condition() = default;
  explicit Condition(const Json* entry) : entry_(entry) {}

  explicit operator bool() const { return entry_ != nullptr; }
  bool is_true() const { return text("status") == "True"; }
  /// Its status is False: neither missing nor Unknown.
  bool is_false() const { return text("status") == "False"; }

  std::string type() const { return text("type"); }
  std::string status() const { return text("status"); }
  std::string reason() const { return text("reason"); }
  std::string message() const { return text("message"); }
  /// When its status last changed.
  std::optional<Time> since() const;

 private:
  std::string text(std::string_view field) const { return entry_ ? string_at(*entry_, {field}) : ""; }

  const Json* entry_ = nullptr;
};

/// That of a type. All kinds have them alike, PyTorchJobs and Kueue's workloads too.
Condition condition(const Json& object, std::string_view type);
Condition condition(Json&& object, std::string_view type) = delete;  // it would look into what is gone
inline bool condition_is_true(const Json& object, std::string_view type) {
  return condition(object, type).is_true();
}

}  // namespace kml::api
