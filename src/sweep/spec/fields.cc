#include "sweep/spec/fields.h"

#include <algorithm>
#include <limits>

#include "kml/base/text.h"
#include "kml/sweep/space/space.h"

namespace kml::sweep {

Fields::Fields(const Json* object, std::string path, std::vector<Problem>& problems)
    : object_(object), path_(std::move(path)), problems_(problems) {
  if (object_ && object_->is_null()) object_ = nullptr;
  if (!object_ || object_->is_object()) return;
  problems_.push_back({{}, 0, 0, path_, "must be a mapping"});
  object_ = nullptr;
}

std::string Fields::path_of(std::string_view key) const {
  return (path_.empty() ? "" : path_ + ".") + std::string(key);
}

void Fields::problem(std::string_view key, std::string text) {
  problems_.push_back({{}, 0, 0, path_of(key), std::move(text)});
}

const Json* Fields::take(std::string_view key) {
  asked_.emplace_back(key);
  const Json* value = object_ ? find(*object_, {key}) : nullptr;
  return value && !value->is_null() ? value : nullptr;
}

Json Fields::any(std::string_view key) {
  const Json* value = take(key);
  return value ? *value : Json();
}

std::optional<double> Fields::number(std::string_view key) {
  const Json* value = take(key);
  if (!value) return std::nullopt;
  const std::optional<double> number = number_of(*value);
  if (!number) problem(key, "must be a number");
  return number;
}

std::optional<long long> Fields::integer(std::string_view key, long long least, long long most) {
  const Json* value = take(key);
  if (!value) return std::nullopt;
  const std::optional<double> number = number_of(*value);
  if (number && *number == std::floor(*number) && *number >= static_cast<double>(least) &&
      *number <= static_cast<double>(most))
    return static_cast<long long>(*number);
  const bool is_too_large = number && *number > static_cast<double>(most);
  problem(key, "must be a whole number, " + std::to_string(least) +
                   (is_too_large ? " to " + std::to_string(most) : " or more"));
  return std::nullopt;
}

std::optional<int> Fields::count(std::string_view key, int least) {
  const auto number = integer(key, least, std::numeric_limits<int>::max());
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::string Fields::text(std::string_view key) {
  const Json* value = take(key);
  if (!value) return {};
  if (value->is_string()) return value->get<std::string>();
  problem(key, "must be a string");
  return {};
}

bool Fields::truth(std::string_view key) {
  const Json* value = take(key);
  if (!value) return false;
  if (value->is_boolean()) return value->get<bool>();
  problem(key, "must be true or false");
  return false;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  const Json* value = take(key);
  if (!value) return {};
  std::vector<std::string> texts;
  const bool is_right = value->is_array() && std::all_of(value->begin(), value->end(),
                                                         [](const Json& item) { return item.is_string(); });
  if (!is_right)
    problem(key, "must be a list of strings");
  else
    texts = value->get<std::vector<std::string>>();
  return texts;
}

std::string Fields::word(std::string_view key, const std::vector<std::string>& words) {
  const Json* value = take(key);
  if (!value) return words.front();
  std::string word = value->is_string() ? value->get<std::string>() : value->dump();
  if (std::find(words.begin(), words.end(), word) != words.end()) return word;
  const std::string hint = did_you_mean(word, words);
  problem(key, "\"" + word + "\" is not one of " + join(words, ", ") + (hint.empty() ? "" : "; " + hint));
  return words.front();
}

void Fields::ignore(std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) asked_.emplace_back(key);
}

void Fields::end() {
  if (!object_) return;
  for (const auto& [key, value] : object_->items()) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    const std::string hint = did_you_mean(key, asked_);
    problem(key, "is not supported" + (hint.empty() ? "" : "; " + hint));
  }
}

}  // namespace kml::sweep
