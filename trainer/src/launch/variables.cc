#include "launch/variables.h"

#include <charconv>
#include <limits>

#include "base/error.h"

namespace trainer {

uint32_t whole_number(const std::string& name, const std::string& text) {
  uint32_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) {
    refuse_launch(name + "=" + text, "it must be a whole number");
  }
  return value;
}

uint16_t port_number(const std::string& name, const std::string& text) {
  const uint32_t port = whole_number(name, text);
  if (port == 0 || port > std::numeric_limits<uint16_t>::max()) {
    refuse_launch(name + "=" + text, "a port must be 1 to 65535");
  }
  return static_cast<uint16_t>(port);
}

void refuse_launch(const std::string& what, const std::string& why, const std::string& fix) {
  throw Error(what, why, fix.empty() ? "correct it, or pass --launch=single to train in one process" : fix,
              2);
}

std::string Variables::text(const char* name) const {
  const char* value = surroundings_.get(name);
  return value ? value : "";
}

std::optional<uint32_t> Variables::number(const char* name) const {
  const std::string value = text(name);
  if (value.empty()) return std::nullopt;
  return whole_number(name, value);
}

uint32_t Variables::required_number(const char* name, const std::string& because) const {
  const auto value = number(name);
  if (!value) refuse_launch(std::string(name) + " is not set", because);
  return *value;
}

std::string Variables::same_text(const char* name, const char* other) const {
  const std::string value = text(name), other_value = text(other);
  if (!value.empty() && !other_value.empty() && value != other_value) {
    refuse_launch(std::string(name) + "=" + value + " contradicts " + other + "=" + other_value,
                  "the two together are the address of rank 0");
  }
  return value.empty() ? other_value : value;
}

}  // namespace trainer
