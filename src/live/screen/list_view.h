#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "live/model/tables.h"
#include "live/screen/canvas.h"
#include "live/screen/columns.h"

namespace kml::live {

/// A namespace of a cluster, to which a list is limited.
struct Scope {
  std::string cluster, namespace_name;
};

/// The rows of a view that pass the filter, one of them selected.
class ListView {
 public:
  ListView(View view, Tables& tables) : view_(view), tables_(tables) {}

  View view() const { return view_; }
  void set_filter(std::string filter);
  const std::string& filter() const { return filter_; }
  /// Without scopes, rows of all namespaces are shown.
  void set_scopes(std::vector<Scope> scopes);

  /// The selected row; null if there is none.
  const Row* selected();
  /// From now on, the selected row stays selected, whatever rows come and go. move() has the same effect.
  /// Before that, the first row is always the selected one.
  void hold() { is_held_ = true; }
  void move(long long rows);
  void move_to_first() { move(-kFar); }
  void move_to_last() { move(kFar); }
  size_t count() { return rows().size(); }

  /// Draws the header in the row `top`, and as many rows below it as fit before the row `end`.
  void draw(Canvas& canvas, size_t top, size_t end, Time now);
  /// How many rows had room in the last call of draw().
  size_t page() const { return page_; }

 private:
  static constexpr long long kFar = 1'000'000'000;
  const std::vector<const Row*>& rows();
  bool is_in_scope(const Row& row) const;
  bool passes_filter(const Row& row) const;
  /// Finds the selected row again after a change or, if it no longer exists, selects the row in its position.
  /// Until the user has chosen a row, the first row is selected.
  void find_selected();
  std::vector<const ViewColumn*> shown_columns() const;

  const View view_;
  Tables& tables_;
  std::string filter_;
  std::vector<Scope> scopes_;
  std::vector<const Row*> rows_;
  std::uint64_t version_ = 0;  ///< of `rows_`
  std::string selected_id_;    ///< the cluster and the id
  size_t selected_ = 0, top_ = 0, page_ = 1;
  bool is_held_ = false;
  /// The widths of the columns. They do not shrink, because columns that jump are hard to read.
  std::vector<size_t> widths_;
};

/// Whether a string or a number in a row's data contains the text, whatever the case of its ASCII letters.
/// Ids, and names of members that users have not chosen, are not searched.
bool has_value_with(std::string_view data, std::string_view text);

}  // namespace kml::live
