#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kml/base/error.h"
#include "kml/base/flag_duration.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"

namespace kml::cli {

namespace {

std::string last_of(const std::string& names) {
  return names.substr(names.rfind(',') + 1);
}

}  // namespace

Option& Option::details(std::string text) {
  sentences = std::move(text);
  return *this;
}

Option& Option::after(std::string name) {
  predecessor = std::move(name);
  return *this;
}

std::string Option::long_name() const {
  return last_of(names);
}

bool Option::has_name(std::string_view name) const {
  for (const std::string& its : split(names, ','))
    if (its == name) return true;
  return false;
}

void Command::options_under(const std::string& title) {
  if (std::find(headings.begin(), headings.end(), title) == headings.end()) headings.push_back(title);
  heading_of_next_ = title;
}

Option* Command::find(std::string_view option_name) {
  for (Option& option : options)
    if (option.has_name(option_name)) return &option;
  return nullptr;
}

const Option* Command::find(std::string_view option_name) const {
  return const_cast<Command*>(this)->find(option_name);
}

Option& Command::add(Option option) {
  if (option.heading.empty()) option.heading = heading_of_next_;
  options.push_back(std::move(option));
  return options.back();
}

Option& Command::flag(std::string names, bool& target, std::string help) {
  return add(
      {std::move(names), "", std::move(help), false, {}, [&target](const std::string&) { target = true; }});
}

Option& Command::option(std::string names, std::string value_name, std::string& target, std::string help) {
  return add({std::move(names),
              std::move(value_name),
              std::move(help),
              false,
              {},
              [&target](const std::string& value) { target = value; }});
}

Option& Command::option(std::string names, std::string value_name, std::vector<std::string>& target,
                        std::string help) {
  return add({std::move(names),
              std::move(value_name),
              std::move(help),
              true,
              {},
              [&target](const std::string& value) { target.push_back(value); }});
}

Option& Command::option(const std::string& names, std::string value_name, std::optional<long long>& target,
                        std::string help, long long least) {
  const auto accept = [&target, names, least](const std::string& value) {
    long long number = 0;
    const char* end = value.data() + value.size();
    auto [rest, failed] = std::from_chars(value.data(), end, number);
    if (failed != std::errc() || rest != end || number < least)
      throw invalid_value(value, last_of(names), fmt::format("a whole number, {} or more", least));
    target = number;
  };
  return add({names, std::move(value_name), std::move(help), false, {}, accept});
}

Option& Command::option(const std::string& names, std::string value_name,
                        std::optional<std::chrono::seconds>& target, std::string help) {
  return add(
      {names, std::move(value_name), std::move(help), false, {}, [&target, names](const std::string& value) {
         target = duration_in_flag(value, last_of(names));
       }});
}

Option& Command::choice(const std::string& names, std::vector<std::string> choices, std::string& target,
                        std::string help) {
  Option option{names, join(choices, "|"), std::move(help), false, choices, {}};
  option.accept = [&target, names, choices](const std::string& value) {
    for (const std::string& choice : choices)
      if (value == choice) return void(target = value);
    throw invalid_choice(value, last_of(names), choices);
  };
  return add(std::move(option));
}

void Command::takes(std::string word_name, std::vector<std::string>& target, std::string help, size_t min,
                    size_t max) {
  words = {std::move(word_name), std::move(help), min, max, &target};
}

Option& Command::takes_name(std::vector<std::string>& target, std::string help, size_t min) {
  takes("NAME", target, std::move(help), min, 1);
  words.by_flag = std::make_shared<std::string>();
  return option("--name", "NAME", *words.by_flag, "the same as NAME");
}

}  // namespace kml::cli
