#include "run/options.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "run/flag_values.h"
#include "run/flags.h"

namespace trainer {

namespace {

std::string with_dashes(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

const Flag& find_flag(const std::string& name) {
  const std::string wanted = with_dashes(name);
  const auto& table = flags();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Flag& flag) { return with_dashes(flag.name) == wanted; });
  if (found != table.end()) return *found;
  const auto distance = [&](const Flag& flag) { return edit_distance(wanted, with_dashes(flag.name)); };
  const auto nearest = std::min_element(
      table.begin(), table.end(), [&](const Flag& a, const Flag& b) { return distance(a) < distance(b); });
  usage_error("unknown flag --" + name, "no flag has that name",
              distance(*nearest) <= 2 + wanted.size() / 4
                  ? std::string("did you mean --") + nearest->name + "?"
                  : "");
}

}  // namespace

Options parse_options(std::span<const char* const> arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (!argument.starts_with("--") || argument.size() == 2) {
      usage_error("unexpected argument " + argument, "kml-trainer takes only flags");
    }
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Flag& flag = find_flag(name);
    std::string value;
    if (flag.value && equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (flag.value) {
      if (++i == arguments.size()) usage_error("--" + name, std::string("a value is missing: ") + flag.value);
      value = arguments[i];
    } else if (equals != std::string::npos) {
      usage_error(argument, "--" + name + " takes no value");
    }
    flag.set(options, value);
  }
  return options;
}

}  // namespace trainer
