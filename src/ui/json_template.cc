#include "ui/json_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::ui {

namespace {

using Node = JsonTemplate::Node;
using Kind = JsonTemplate::Node::Kind;
using Values = std::vector<const Json*>;

[[noreturn]] void does_not_fit(const std::string& what) {
  throw Error(ErrorCode::failure, "the JSONPath template cannot be applied to the value", what);
}

const char* type_of(const Json& value) {
  return value.is_object() ? "an object" : value.type_name();
}

/// Formats a number as %v does in Go.
std::string number_in_go(const Json& value) {
  if (!value.is_number_float()) return value.dump();
  const double number = value.get<double>();
  const double size = std::abs(number);
  if (size == 0 || (size >= 1e-4 && size < 1e21)) {
    std::string text = fmt::format("{}", number);
    if (text.find('e') != std::string::npos) text = fmt::format("{:.0f}", number);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  }
  return fmt::format("{}", number);
}

/// Formats a value as %v does in Go.
std::string in_go(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "<nil>";
  if (value.is_number()) return number_in_go(value);
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  std::string text;
  for (const auto& [key, item] : value.items())
    text += (text.empty() ? "" : " ") + (value.is_object() ? key + ":" : std::string()) + in_go(item);
  return (value.is_object() ? "map[" : "[") + text + "]";
}

/// Formats JSON as Go's encoder does, which also escapes HTML markup.
std::string json_in_go(const Json& value) {
  std::string text;
  for (const char c : json_text(value)) {
    if (c == '<' || c == '>' || c == '&')
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      text += c;
  }
  return text;
}

std::string printed(const Json& value) {
  if (value.is_structured()) return json_in_go(value);
  return value.is_null() ? "null" : in_go(value);
}

/// Evaluates the steps of an expression. Owns the values that it creates.
class Walk {
 public:
  /// A list of values for each literal and expression. If they are in {range}…{end}, there is one list for
  /// each item.
  std::vector<Values> results(const std::vector<Node>& nodes, const Json& value) {
    std::vector<Values> all;
    const size_t end = block(nodes, 0, value, false, all);
    if (end != nodes.size()) does_not_fit("{end} without {range}");
    return all;
  }

 private:
  static bool is_word(const Node& node, std::string_view word) {
    return node.kind == Kind::list && !node.nodes.empty() && node.nodes[0].kind == Kind::word &&
           node.nodes[0].text == word;
  }

  /// Processes the nodes from `at` to the {end} of this block, or to the end of the template. Returns the
  /// index at which it stopped.
  size_t block(const std::vector<Node>& nodes, size_t at, const Json& value, bool in_range,
               std::vector<Values>& all) {
    for (; at < nodes.size(); ++at) {
      if (is_word(nodes[at], "end")) {
        if (in_range) return at;
        does_not_fit("{end} without {range}");
      }
      if (!is_word(nodes[at], "range")) {
        all.push_back(walk({&value}, nodes[at]));
        continue;
      }
      const Values items = walk({&value}, nodes[at]);
      size_t end = at + 1;
      for (const Json* item : items) end = block(nodes, at + 1, *item, true, all);
      if (items.empty()) {  // the end of the block must be found, even without items
        static const Json kNothing;
        std::vector<Values> ignored;
        end = block(nodes, at + 1, kNothing, true, ignored);
      }
      at = end;
    }
    return at;
  }

  Values walk(const Values& input, const Node& node) {
    switch (node.kind) {
      case Kind::list: return list(input, node);
      case Kind::text: return {kept(node.text)};
      case Kind::number: return {&node.value};
      case Kind::field: return field(input, node.text);
      case Kind::array: return slice(input, node);
      case Kind::filter: return filter(input, node);
      case Kind::wildcard: return wildcard(input);
      case Kind::recursive: return recursive(input);
      case Kind::alternatives: {
        Values all;
        for (const Node& each : node.nodes)
          for (const Json* value : list(input, each)) all.push_back(value);
        return all;
      }
      case Kind::word:
        if (node.text == "range" || node.text == "end") return input;
        does_not_fit("unrecognized identifier " + node.text);
    }
    return {};
  }

  Values list(Values values, const Node& node) {
    for (const Node& step : node.nodes) values = walk(values, step);
    return values;
  }

  static Values field(const Values& input, const std::string& name) {
    Values found;
    for (const Json* value : input) {
      if (!value->is_object()) continue;
      if (const auto member = value->find(name); member != value->end()) found.push_back(&*member);
    }
    return found;
  }

  static Values wildcard(const Values& input) {
    Values found;
    for (const Json* value : input)
      if (value->is_structured())
        for (const Json& item : *value) found.push_back(&item);
    return found;
  }

  static Values recursive(const Values& input) {
    Values found;
    for (const Json* value : input) {
      if (!value->is_structured() || value->empty()) continue;
      found.push_back(value);
      for (const Json* below : recursive(wildcard({value}))) found.push_back(below);
    }
    return found;
  }

  static Values slice(const Values& input, const Node& node) {
    Values found;
    for (const Json* value : input) {
      if (value->is_null()) continue;
      if (!value->is_array()) does_not_fit(std::string(type_of(*value)) + " is not an array");
      const int length = static_cast<int>(value->size());
      const auto& [first, last, step] = node.bounds;
      int begin = first.is_known ? first.value : 0, end = last.is_known ? last.value : length;
      if (begin < 0) begin += length;
      if (end < 0 || (end == 0 && last.is_derived)) end += length;
      if (begin == end) return found;
      if (begin >= length || begin < 0)
        does_not_fit(fmt::format("array index out of bounds: index {}, length {}", begin, length));
      if (end > length || end < 0)
        does_not_fit(fmt::format("array index out of bounds: index {}, length {}", end - 1, length));
      if (begin > end) does_not_fit(fmt::format("index {} is greater than index {}", begin, end));
      if (step.is_known && step.value <= 0) does_not_fit("a step must be more than 0");
      for (int i = begin; i < end; i += step.is_known ? step.value : 1)
        found.push_back(&(*value)[static_cast<size_t>(i)]);
    }
    return found;
  }

  Values filter(const Values& input, const Node& node) {
    Values found;
    for (const Json* value : input) {
      if (!value->is_array())
        does_not_fit(std::string(type_of(*value)) + " is not an array and cannot be filtered");
      for (const Json& item : *value)
        if (passes(item, node)) found.push_back(&item);
    }
    return found;
  }

  bool passes(const Json& item, const Node& node) {
    const Values left = list({&item}, node.nodes[0]);
    if (node.text == "exists") return !left.empty();
    if (left.size() > 1) does_not_fit("only one element can be compared at a time");
    if (left.empty()) return false;
    const Values right = list({&item}, node.nodes[1]);
    if (right.size() > 1) does_not_fit("only one element can be compared at a time");
    return !right.empty() && compare(*left[0], node.text, *right[0]);
  }

  static bool compare(const Json& a, const std::string& by, const Json& b) {
    const bool alike = (a.is_string() && b.is_string()) || (a.is_boolean() && b.is_boolean()) ||
                       (a.is_number_integer() && b.is_number_integer()) ||
                       (a.is_number_float() && b.is_number_float());
    if (!alike) does_not_fit("incompatible types for comparison");
    if (by == "==") return a == b;
    if (by == "!=") return a != b;
    if (a.is_boolean()) does_not_fit("true and false cannot be ordered");
    if (by == "<") return a < b;
    if (by == "<=") return a <= b;
    if (by == ">") return a > b;
    if (by == ">=") return a >= b;
    does_not_fit("unrecognized filter operator " + by);
  }

  const Json* kept(const std::string& text) { return &texts_.emplace_back(text); }

  std::deque<Json> texts_;
};

}  // namespace

JsonTemplate::JsonTemplate(std::string_view text) : nodes_(parse_json_template(text)) {}
JsonTemplate::~JsonTemplate() = default;
JsonTemplate::JsonTemplate(JsonTemplate&&) noexcept = default;

std::string JsonTemplate::text_of(const Json& value) const {
  Walk walk;
  std::string text;
  for (const Values& values : walk.results(nodes_, value))
    for (const Json* const& each : values) text += (&each == values.data() ? "" : " ") + printed(*each);
  return text;
}

std::vector<std::string> JsonTemplate::cells_of(const Json& value) const {
  Walk walk;
  std::vector<std::string> cells;
  const std::vector<Values> results = walk.results(nodes_, value);
  for (const Values& values : results)
    for (const Json* each : values) cells.push_back(in_go(*each));
  return cells;
}

namespace {

/// Turns a path into a template. Accepts ".metadata.name", "metadata.name", "{.metadata.name}" and
/// "{metadata.name}", which all have the same meaning.
std::string as_template(std::string_view path) {
  const std::string typed(path);
  if (path.starts_with('{') && path.ends_with('}')) path = path.substr(1, path.size() - 2);
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.empty() || path.find_first_of("{}") != std::string_view::npos)
    throw usage_error("\"" + typed + "\" is not a column's path", "", "write it as .metadata.name");
  return "{." + std::string(path) + "}";
}

}  // namespace

CustomColumns::CustomColumns(std::string_view text) {
  if (text.empty())
    throw usage_error("custom-columns= has no columns", "", "-o custom-columns=NAME:.metadata.name");
  for (const std::string& column : split(text, ',')) {
    const size_t colon = column.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == column.size())
      throw usage_error("\"" + column + "\" is not a column", "a column is HEADER:PATH",
                        "-o custom-columns=NAME:.metadata.name");
    headers_.push_back(column.substr(0, colon));
    paths_.emplace_back(as_template(std::string_view(column).substr(colon + 1)));
  }
}

std::string CustomColumns::table_of(const std::vector<const Json*>& objects, bool with_header) const {
  std::vector<std::vector<std::string>> rows;
  if (with_header) rows.push_back(headers_);
  for (const Json* object : objects) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const JsonTemplate& path : paths_) {
      const std::vector<std::string> cells = path.cells_of(*object);
      row.push_back(cells.empty() ? "<none>" : join(cells, ","));
    }
  }
  constexpr size_t kNarrowest = 6, kGap = 3;  // the widths in kubectl's own printer
  const auto width_of = [](const std::string& cell) {
    return static_cast<size_t>(std::count_if(cell.begin(), cell.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // counts characters, not bytes
    }));
  };
  std::vector<size_t> widths(headers_.size(), kNarrowest);
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]) + kGap);
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i)
      text += row[i] + (i + 1 < row.size() ? std::string(widths[i] - width_of(row[i]), ' ') : "\n");
  }
  return text;
}

}  // namespace kml::ui
