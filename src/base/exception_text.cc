#include "kml/base/exception_text.h"

#include <algorithm>

namespace kml {

std::string exception_text(const std::exception& exception) {
  if (dynamic_cast<const Json::parse_error*>(&exception)) return "a text is not valid JSON";
  if (dynamic_cast<const Json::type_error*>(&exception)) return "a JSON value has the wrong type";
  if (dynamic_cast<const Json::out_of_range*>(&exception)) return "a JSON value is missing or out of range";
  if (dynamic_cast<const Json::exception*>(&exception)) return "a JSON value is not as expected";
  return exception.what();
}

std::string parse_fault(const Json::exception& exception, std::string_view text) {
  const auto* fault = dynamic_cast<const Json::parse_error*>(&exception);
  if (!fault || fault->byte == 0) return "a number in it is out of range";
  if (text.empty()) return "it is empty";
  if (fault->byte > text.size()) return "it is incomplete";
  const std::string_view before = text.substr(0, fault->byte - 1);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": it is not valid JSON";
}

}  // namespace kml
