#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/ui/table.h"
#include "live/model/tables.h"

namespace kml::live {

/// The views that show rows, in the order of the keys 1 to 8.
enum class View { queue, jobs, nodes, runs, sweeps, pipelines, serves, schedules };
inline constexpr std::array kAllViews = {View::queue,  View::jobs,      View::nodes,  View::runs,
                                         View::sweeps, View::pipelines, View::serves, View::schedules};

std::string_view name_of(View view);
Table table_of(View view);
/// The view whose name starts with the word; empty if no name does, or several do.
std::optional<View> view_of_word(std::string_view word);

/// A row with its data.
struct Seen {
  const Row& row;
  const Json& data;
  Time now;

  std::string text(std::string_view key) const { return string_at(data, {key}); }
  long long number(std::string_view key) const { return int_at(data, {key}); }
  std::optional<Time> time(std::string_view key) const { return parse_rfc3339(text(key)); }
};

struct ViewColumn {
  std::string_view name;
  int drop = 0;  ///< on a narrow screen, columns with the largest numbers are left out first; 0: never
  std::function<ui::Cell(const Seen&)> cell;
};

/// The columns. The last one takes up the rest of the line.
const std::vector<ViewColumn>& view_columns(View view);

/// The color of a state.
ui::Style style_of_state(std::string_view state);
/// How long ago `time` was: "3m", or "-" if it is unknown.
std::string since(std::optional<Time> time, Time now);

}  // namespace kml::live
