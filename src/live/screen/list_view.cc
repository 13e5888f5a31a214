#include "live/screen/list_view.h"

#include <algorithm>
#include <utility>

namespace kml::live {

namespace {

constexpr size_t kGap = 2;
/// The last column should be this wide. To make room for it, other columns are left out.
constexpr size_t kLeastOfLast = 16;
constexpr size_t kWidest = 40;

std::string id_of_selected(const Row& row) {
  return row.cluster->name + '\0' + row.id;
}

/// The lower case of a letter of ASCII.
char folded(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool has_text(std::string_view data, std::string_view text) {
  const auto equal = [](char a, char b) { return folded(a) == folded(b); };
  return std::search(data.begin(), data.end(), text.begin(), text.end(), equal) != data.end();
}

/// The text as it is inside a string of JSON.
std::string escaped(std::string_view text) {
  const std::string json = json_text(Json(std::string(text)));
  return json.substr(1, json.size() - 2);
}

/// Objects whose members have names that users have chosen.
bool is_named_by_users(std::string_view member) {
  return member == "heldBy" || member == "metrics" || member == "parameters" || member == "tags";
}

/// Nobody searches for the random digits of an id.
bool is_id(std::string_view member) {
  return member == "uid" || member == "submitId";
}

/// Goes through a row's data, and finds a text in what a reader sees of it: strings, numbers, and names that
/// users have chosen. The other names, braces and `true` are kml's.
class ValueSearch {
 public:
  ValueSearch(std::string_view data, std::string_view text) : data_(data), text_(text) {}

  bool run() {
    while (at_ < data_.size()) {
      const char c = data_[at_];
      if (c == '"' ? take_string() : (c >= '0' && c <= '9') || c == '-' ? take_number() : take_mark(c))
        return true;
    }
    return false;
  }

 private:
  bool take_string() {
    size_t end = at_ + 1;
    while (end < data_.size() && data_[end] != '"') end += data_[end] == '\\' ? 2 : 1;
    end = std::min(end, data_.size());
    const std::string_view word = data_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    const bool is_name = at_ < data_.size() && data_[at_] == ':';
    if (!is_name) return !is_id(member_) && has_text(word, text_);
    member_ = word;
    if (depth_ != named_depth_ && is_named_by_users(word)) {
      named_depth_ = depth_ + 1;
      return false;
    }
    return depth_ == named_depth_ && has_text(word, text_);
  }
  bool take_number() {
    const size_t end = std::min(data_.find_first_of(",]}", at_), data_.size());
    const std::string_view number = data_.substr(at_, end - at_);
    at_ = end;
    return has_text(number, text_);
  }
  bool take_mark(char c) {
    depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth_ < named_depth_ && c == '}') named_depth_ = -1;
    ++at_;
    return false;
  }

  const std::string_view data_, text_;
  std::string_view member_;  ///< the name of the last member
  size_t at_ = 0;
  int depth_ = 0, named_depth_ = -1;  ///< named_depth_: of the members with names that users have chosen
};

/// The cells of the visible rows, by row and column.
using Cells = std::vector<std::vector<ui::Cell>>;

/// The widths of the columns on a screen of this width. A width of 0 leaves a column out.
std::vector<size_t> fitting(const std::vector<const ViewColumn*>& columns, std::vector<size_t> widths,
                            size_t screen) {
  const size_t last = columns.size() - 1;
  const auto used = [&] {
    size_t sum = 0;
    for (size_t i = 0; i < last; ++i)
      if (widths[i] > 0) sum += widths[i] + kGap;
    return sum;
  };
  for (size_t i = 0; i < last; ++i) widths[i] = std::min(widths[i], kWidest);
  while (used() + kLeastOfLast > screen) {
    size_t first = last;
    for (size_t i = 0; i < last; ++i)
      if (widths[i] > 0 && columns[i]->drop > (first == last ? 0 : columns[first]->drop)) first = i;
    if (first == last) break;
    widths[first] = 0;
  }
  for (size_t over = used() + kLeastOfLast > screen ? used() + kLeastOfLast - screen : 0; over > 0; --over) {
    const auto widest = std::max_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(last));
    if (widest == widths.begin() + static_cast<std::ptrdiff_t>(last) || *widest <= 4) break;
    --*widest;
  }
  widths[last] = screen > used() ? screen - used() : 1;
  return widths;
}

}  // namespace

bool has_value_with(std::string_view data, std::string_view text) {
  if (text.empty()) return true;
  const std::string wanted = escaped(text);
  // Most rows lack the text, and the simple search is fast.
  return has_text(data, wanted) && ValueSearch(data, wanted).run();
}

void ListView::set_filter(std::string filter) {
  const bool is_narrower =
      filter.find(filter_) != std::string::npos && version_ == tables_.version(table_of(view_));
  filter_ = std::move(filter);
  if (!is_narrower) {
    version_ = 0;
    return;
  }
  std::erase_if(rows_, [this](const Row* row) { return !passes_filter(*row); });
  find_selected();
}

bool ListView::passes_filter(const Row& row) const {
  return filter_.empty() || has_value_with(row.data, filter_);
}

void ListView::set_scopes(std::vector<Scope> scopes) {
  scopes_ = std::move(scopes);
  version_ = 0;
  widths_.clear();  // the columns may have changed
}

bool ListView::is_in_scope(const Row& row) const {
  if (scopes_.empty() || row.namespace_name.empty()) return true;  // nodes have no namespace
  return std::ranges::any_of(scopes_, [&](const Scope& scope) {
    return scope.cluster == row.cluster->name && scope.namespace_name == row.namespace_name;
  });
}

const std::vector<const Row*>& ListView::rows() {
  const Table table = table_of(view_);
  if (version_ == tables_.version(table)) return rows_;
  version_ = tables_.version(table);
  rows_.clear();
  for (const Row* row : tables_.rows(table))
    if ((view_ != View::queue || row->is_active) && is_in_scope(*row) && passes_filter(*row))
      rows_.push_back(row);
  find_selected();
  return rows_;
}

void ListView::find_selected() {
  const auto is_selected = [this](const Row* row) {
    return selected_id_.ends_with(row->id) && id_of_selected(*row) == selected_id_;
  };
  if (!is_held_) {
    selected_ = 0;
  } else if (selected_ >= rows_.size() || !is_selected(rows_[selected_])) {
    const auto found = std::ranges::find_if(rows_, is_selected);
    if (found != rows_.end()) selected_ = static_cast<size_t>(found - rows_.begin());
  }
  selected_ = rows_.empty() ? 0 : std::min(selected_, rows_.size() - 1);
  selected_id_ = rows_.empty() ? "" : id_of_selected(*rows_[selected_]);
}

const Row* ListView::selected() {
  return rows().empty() ? nullptr : rows_[selected_];
}

void ListView::move(long long by) {
  if (rows().empty()) return;
  hold();
  const auto last = static_cast<long long>(rows_.size()) - 1;
  selected_ = static_cast<size_t>(std::clamp(static_cast<long long>(selected_) + by, 0LL, last));
  selected_id_ = id_of_selected(*rows_[selected_]);
}

std::vector<const ViewColumn*> ListView::shown_columns() const {
  static const ViewColumn kCluster = {"CLUSTER", 0,
                                      [](const Seen& seen) -> ui::Cell { return {seen.row.cluster->name}; }};
  std::vector<const ViewColumn*> columns;
  if (tables_.clusters().size() > 1) columns.push_back(&kCluster);
  for (const ViewColumn& column : view_columns(view_))
    if (column.name != "NAMESPACE" || scopes_.size() != 1) columns.push_back(&column);
  return columns;
}

void ListView::draw(Canvas& canvas, size_t top, size_t end, Time now) {
  if (top >= end) return;
  const std::vector<const ViewColumn*> columns = shown_columns();
  page_ = end > top + 1 ? end - top - 1 : 1;
  const size_t count = rows().size();
  top_ = std::min(top_, selected_);
  if (selected_ >= top_ + page_) top_ = selected_ - page_ + 1;
  if (top_ + page_ > count) top_ = count > page_ ? count - page_ : 0;
  const size_t shown = std::min(end - top - 1, count - top_);

  Cells cells(shown);
  widths_.resize(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) widths_[i] = std::max(widths_[i], columns[i]->name.size());
  for (size_t i = 0; i < shown; ++i) {
    const Row& row = *rows_[top_ + i];
    const Json data = parse_json(row.data, "a row");
    for (size_t column = 0; column < columns.size(); ++column) {
      cells[i].push_back(columns[column]->cell({row, data, now}));
      widths_[column] = std::max(widths_[column], ui::display_width(cells[i].back().text));
    }
  }
  const std::vector<size_t> widths = fitting(columns, widths_, canvas.columns());
  const auto draw_row = [&](size_t at, const auto& cell_of) {
    size_t left = 0;
    for (size_t column = 0; column < columns.size(); ++column) {
      if (widths[column] == 0) continue;
      const ui::Cell cell = cell_of(column);
      canvas.put(at, left, cell.text, sgr_of(cell.style), left + widths[column]);
      left += widths[column] + kGap;
    }
  };
  draw_row(top, [&](size_t column) { return ui::Cell{std::string(columns[column]->name), ui::Style::bold}; });
  for (size_t i = 0; i < shown; ++i) {
    draw_row(top + 1 + i, [&](size_t column) { return cells[i][column]; });
    if (top_ + i == selected_) canvas.add_style(top + 1 + i, "7");
  }
}

}  // namespace kml::live
