#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/launch.h"

namespace trainer {

/// The environment variables. Values are checked when they are read; invalid ones throw Error with exit code
/// 2.
class Variables {
 public:
  explicit Variables(const Surroundings& surroundings) : surroundings_(surroundings) {}

  /// The text of a variable; empty if it is not set.
  std::string text(const char* name) const;
  bool has(const char* name) const { return !text(name).empty(); }
  /// The number in a variable. Throws if the value is not a whole number.
  std::optional<uint32_t> number(const char* name) const;
  /// Like number(), but also throws if the variable is not set; `because` names what needs it.
  uint32_t required_number(const char* name, const std::string& because) const;
  /// The common value of two variables; throws if their values differ.
  std::string same_text(const char* name, const char* other) const;

  const Surroundings& surroundings() const { return surroundings_; }

 private:
  const Surroundings& surroundings_;
};

uint32_t whole_number(const std::string& name, const std::string& text);
uint16_t port_number(const std::string& name, const std::string& text);

[[noreturn]] void refuse_launch(const std::string& what, const std::string& why, const std::string& fix = "");

}  // namespace trainer
