#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kml/ui/table.h"

namespace kml::ui {

/// A column of a table: its name, and a function that makes its cell for a value.
template <typename Value>
struct Column {
  /// `cell_of` returns a Cell or a text. It can also be a pointer to a text member.
  template <std::invocable<const Value&> CellOf>
  Column(std::string its_name, CellOf cell_of, bool shown = true)
      : name(std::move(its_name)), cell(as_cell(std::move(cell_of))), is_shown(shown) {}

  std::string name;
  std::function<Cell(const Value&)> cell;
  bool is_shown;

 private:
  template <typename CellOf>
  static std::function<Cell(const Value&)> as_cell(CellOf cell_of) {
    if constexpr (std::convertible_to<std::invoke_result_t<CellOf, const Value&>, Cell>)
      return cell_of;
    else
      return [cell_of](const Value& value) -> Cell { return {std::invoke(cell_of, value)}; };
  }
};

/// The columns that have a text for at least one of the values.
template <typename Value, typename Values>
std::vector<Column<Value>> without_empty(std::vector<Column<Value>> columns, const Values& values) {
  std::erase_if(columns, [&](const Column<Value>& column) {
    return std::none_of(values.begin(), values.end(),
                        [&](const Value& value) { return !column.cell(value).text.empty(); });
  });
  return columns;
}

/// A table with a row for each of the values.
template <typename Value, typename Values>
Table table_of(const std::vector<Column<Value>>& columns, const Values& values) {
  std::vector<std::string> header;
  for (const Column<Value>& column : columns)
    if (column.is_shown) header.push_back(column.name);
  Table table(std::move(header));
  for (const Value& value : values) {
    std::vector<Cell> row;
    for (const Column<Value>& column : columns)
      if (column.is_shown) row.push_back(column.cell(value));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace kml::ui
