#include "kml/job/logs/metric_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "job/logs/metric_name.h"
#include "kml/base/clean.h"
#include "kml/base/json.h"
#include "kml/base/json_number.h"
#include "kml/base/real_number.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

constexpr size_t kLongestMetricLine = 4096, kLongestWantedLine = 32768, kLongestName = 32, kMost = 32;
constexpr std::string_view kAt = " at ";
constexpr std::string_view kNotFinite[] = {"NaN", "Infinity", "-Infinity"};

bool is_word(std::string_view name) {
  return letter_size(name) > 0 && name_size(name) == name.size();
}

/// Collects the metrics on a line: all wanted metrics, and the first few others whose names can be shown.
class Metrics {
 public:
  explicit Metrics(const MetricNames& wanted) : wanted_(wanted) {
    for (const std::string& name : wanted)
      if (!is_word(name)) unusual_.push_back(name);
    std::sort(unusual_.begin(), unusual_.end(),
              [](std::string_view a, std::string_view b) { return a.size() > b.size(); });
  }

  void add(std::string_view name, double value) {
    if (!name.empty() && (wanted_.contains(name) || (found_.size() < kMost && can_be_shown(name))))
      found_.emplace_back(name, value);
  }
  bool wants(std::string_view name) const { return wanted_.contains(name); }
  /// The longest wanted name of several words, such as "val loss", with which the text starts; empty if it
  /// starts with none.
  std::string_view unusual_at(std::string_view text) const {
    for (const std::string_view name : unusual_)
      if (text.starts_with(name)) return name;
    return {};
  }
  bool empty() const { return found_.empty(); }
  std::vector<std::pair<std::string, double>> take() { return std::move(found_); }

 private:
  static bool can_be_shown(std::string_view name) {
    size_t characters = 0;
    while (!name.empty() && characters <= kLongestName) {
      const bool is_printable = is_ascii(name[0]) && name[0] >= ' ' && name[0] < 0x7F;
      const size_t size = is_printable ? 1 : name_character_size(name);
      if (size == 0) return false;
      name.remove_prefix(size);
      ++characters;
    }
    return characters <= kLongestName;
  }

  const MetricNames& wanted_;
  std::vector<std::string_view> unusual_;
  std::vector<std::pair<std::string, double>> found_;
};

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

/// Whether a progress bar starts here, after its percentage: "|###| 5/5 [00:01", "[===>", " ━━━━".
bool begins_bar(std::string_view text) {
  if (text.starts_with('[')) return true;
  const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  const auto first = first_code_point(text.substr(text.starts_with('|') ? 1 : blanks));
  if (first && first->value >= U'\u2500' && first->value <= U'\u259F') return true;  // box and block drawing
  const size_t end = text.find('|', 1);
  if (!text.starts_with('|') || end == std::string_view::npos) return false;
  const std::string_view count = trim(text.substr(end + 1));
  const size_t slash = count.find_first_not_of("0123456789.kMGT");
  return slash > 0 && slash < count.size() && count[slash] == '/';
}

/// The rest of the text after the groups of three digits in a number such as "1 234 567".
std::string_view after_groups(std::string_view text) {
  const auto begins_group = [&text] {
    return text.size() > 3 && text[0] == ' ' && is_digit(text[1]) && is_digit(text[2]) && is_digit(text[3]);
  };
  while (begins_group()) text.remove_prefix(4);
  return text;
}

bool begins_decimals(std::string_view text) {
  return text.size() > 1 && text[0] == ',' && is_digit(text[1]);
}

/// If the text starts with a number, and white space or closing punctuation follows it, removes the number
/// and returns it.
std::optional<double> take_number(std::string_view& text) {
  const char* end = nullptr;
  const std::optional<double> value = real_number_at(text, end);
  if (!value) return {};
  const auto size = static_cast<size_t>(end - text.data());
  if (is_like_hash(text.substr(0, size))) return {};
  std::string_view rest = text.substr(size);
  if (rest.starts_with('%')) {
    rest.remove_prefix(1);
    if (begins_bar(rest)) return {};
  }
  // "12,345" may be a single number or a list, so it is not used.
  if (begins_decimals(rest) || begins_decimals(after_groups(rest))) return {};
  // "12:30" is a time, "1/10" a fraction, "3s" has a unit, and "1.2.3" is a version.
  const bool ends = rest.empty() || std::string_view(" \t\r,;|)]}").find(rest[0]) != std::string_view::npos ||
                    (rest[0] == '.' && (rest.size() == 1 || rest[1] == ' '));
  if (!ends) return {};
  text = rest;
  return value;
}

/// The text's number if it consists only of a number.
std::optional<double> number_of(std::string_view text) {
  const std::optional<double> value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

/// Makes the output of Python's json module valid JSON by quoting values: [NaN] becomes ["NaN"], and 1e999
/// becomes "Infinity".
std::string quoted_infinities(std::string_view line) {
  std::string quoted;
  bool is_text = false;
  for (size_t i = 0; i < line.size();) {
    const std::string_view rest = line.substr(i);
    const auto word = std::find_if(std::begin(kNotFinite), std::end(kNotFinite),
                                   [&](std::string_view each) { return rest.starts_with(each); });
    if (!is_text && word != std::end(kNotFinite)) {
      quoted += '"' + std::string(*word) + '"';
      i += word->size();
      continue;
    }
    if (!is_text && (is_digit(line[i]) || line[i] == '-')) {
      const char* end = nullptr;
      const double number = real_number_at(rest, end).value_or(0);
      const size_t length = std::max<size_t>(1, static_cast<size_t>(end - rest.data()));
      quoted += std::isinf(number) ? number < 0 ? "\"-Infinity\"" : "\"Infinity\"" : rest.substr(0, length);
      i += length;
      continue;
    }
    if (line[i] == '\\' && i + 1 < line.size())
      quoted += line[i++];  // an escaped character cannot end the string
    else if (line[i] == '"')
      is_text = !is_text;
    quoted += line[i++];
  }
  return quoted;
}

void add_members(Metrics& metrics, const Json& object, const std::string& prefix) {
  for (const auto& [name, value] : object.items()) {
    if (const auto number = number_of_json(value))
      metrics.add(prefix + name, *number);
    else if (value.is_object() && prefix.empty())
      add_members(metrics, value, name + ".");
    else if (value.is_string() && metrics.wants(prefix + name))
      if (const auto quoted = number_of(value.get_ref<const std::string&>()))
        metrics.add(prefix + name, *quoted);
  }
}

/// The JSON object on the line; empty if the line is not one.
std::optional<Json> object_in(std::string_view line) {
  // Rejects deep nesting, because metrics only need an object of objects.
  int depth = 0;
  for (char c : line)
    if (((c == '{' || c == '[') && ++depth > 8) || ((c == '}' || c == ']') && --depth < 0))
      return Json::object();
  Json object = Json::parse(line, nullptr, false);
  if (object.is_discarded()) object = Json::parse(quoted_infinities(line), nullptr, false);
  if (!object.is_object()) return std::nullopt;
  return object;
}

/// Removes a counter such as "step 100" or "Epoch [3" from the start of the text, and returns its name and
/// number.
std::optional<std::pair<std::string_view, double>> take_counter(std::string_view& text) {
  const size_t size = name_size(text);
  if (!counts_steps(lower(text.substr(0, size))) || !text.substr(size).starts_with(' ')) return {};
  const std::string_view name = text.substr(0, size);
  std::string_view rest = text.substr(size + 1);
  long long count = 0;
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  if (failure != std::errc()) return {};
  text = rest.substr(static_cast<size_t>(end - rest.data()));
  return std::pair(name, static_cast<double>(count));
}

/// Adds the metric in "NAME at step N: V".
void add_at_step(Metrics& metrics, std::string_view line, size_t at) {
  std::string_view name = line.substr(0, at), rest = line.substr(at + kAt.size());
  const size_t begin = name.rfind(' ') + 1;  // npos + 1 is 0
  name = name.substr(begin);
  const auto counter = take_counter(rest);
  if (!counter || !rest.starts_with(": ")) return;
  rest.remove_prefix(2);
  const std::optional<double> value = take_number(rest);
  if (!value) return;
  metrics.add(lower(counter->first), counter->second);
  metrics.add(full_name(line, begin, name), *value);
}

/// Adds the metrics in "step 100: train loss 4.25, val loss 4.31", as nanoGPT prints them. Only numbers with
/// a point are metrics.
void add_after_counter(Metrics& metrics, std::string_view line) {
  const auto counter = take_counter(line);
  if (!counter || !line.starts_with(": ")) return;
  std::vector<std::pair<std::string, double>> found;
  for (const std::string& part : split(line.substr(2), ',')) {
    const std::string_view pair = trim(part);
    const size_t blank = pair.rfind(' ');
    if (blank == std::string_view::npos || pair.find('.', blank) == std::string_view::npos) continue;
    const size_t begin = pair.rfind(' ', blank - 1) + 1;  // npos + 1 is 0
    const std::string_view name = pair.substr(begin, blank - begin);
    if (const auto value = number_of(pair.substr(blank + 1)); value && is_word(name))
      found.emplace_back(full_name(pair, begin, name), *value);
  }
  if (!found.empty()) metrics.add(lower(counter->first), counter->second);
  for (const auto& [name, value] : found) metrics.add(name, value);
}

/// A number that has the same quotes as its name, as Hugging Face prints it: {'loss': '0.3'}.
std::optional<double> take_quoted(std::string_view& text, char quote) {
  if (!is_quote(quote) || !text.starts_with(quote)) return {};
  const size_t end = text.find(quote, 1);
  if (end == std::string_view::npos) return {};
  const std::optional<double> value = number_of(text.substr(1, end - 1));
  if (value) text.remove_prefix(end + 1);
  return value;
}

bool prints_a_number(std::string_view type) {
  constexpr std::string_view kTypes[] = {"tensor", "array", "Array", "tf.Tensor"};
  return type.starts_with("np.") || std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

/// A number as Python's libraries print it: np.float64(0.9), tensor(0.5, device='cuda:0').
std::optional<double> take_wrapped(std::string_view& text) {
  const size_t open = text.substr(0, kLongestName).find('(');
  if (open == std::string_view::npos || !prints_a_number(text.substr(0, open))) return {};
  std::string_view rest = text.substr(open + 1);
  const std::optional<double> value = take_number(rest);
  if (!value || !(rest.starts_with(')') || rest.starts_with(','))) return {};
  size_t end = 0;
  for (int depth = 1; depth > 0; ++end) {
    if (end == rest.size()) return {};
    depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
  }
  text = rest.substr(end);
  return value;
}

/// Removes the text between a name and its number: "=", ": ", " = ", or the closing quote of a quoted name,
/// as in Python's {'loss': 0.3}. If the text starts with none of these, returns false and removes nothing.
bool take_sign(std::string_view& rest, char before_name) {
  std::string_view text = rest;
  if (is_quote(before_name) && text.starts_with(before_name)) text.remove_prefix(1);
  const auto skip_blanks = [&text] {
    while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  };
  skip_blanks();
  if (!text.starts_with('=') && !text.starts_with(':')) return false;
  text.remove_prefix(1);
  skip_blanks();
  rest = text;
  return true;
}

/// Parses the value that follows a name.
std::optional<double> take_value(std::string_view& rest, char before_name) {
  if (!take_sign(rest, before_name)) return {};
  auto value = take_number(rest);
  if (!value) value = take_quoted(rest, before_name);
  if (!value) value = take_wrapped(rest);
  return value;
}

void add_words(Metrics& metrics, std::string_view line) {
  constexpr std::string_view kOwns = "'s ";
  std::optional<size_t> owner;  // in "valid_0's auc", the position of "valid_0"; set once "'s " has been read
  for (size_t i = 0; i < line.size();) {
    const char before = i > 0 ? line[i - 1] : ' ';
    const bool may_begin = !ends_in_name(line.substr(0, i));
    const size_t begin = std::exchange(owner, std::nullopt).value_or(i);
    if (may_begin && !follows_qualifier(line, i)) {
      const std::string_view unusual = metrics.unusual_at(line.substr(i));
      std::string_view rest = line.substr(i + unusual.size());
      const auto value = unusual.empty() ? std::nullopt : take_value(rest, before);
      if (value) {
        metrics.add(unusual, *value);
        i = line.size() - rest.size();
        continue;
      }
    }
    if (!may_begin || letter_size(line.substr(i)) == 0) {
      ++i;
      continue;
    }
    const size_t size = name_size(line.substr(i)), address = address_size(line.substr(i), size);
    i += address > 0 ? address : size;
    const std::string_view name = line.substr(begin, i - begin);
    const bool is_of_query = before == '?' || before == '&';
    if (address > 0 || is_of_query ||
        (!metrics.wants(name) && (is_place_in_code(line, begin, name) || is_of_process(line, begin, name))))
      continue;
    std::string_view rest = line.substr(i);
    if (rest.starts_with(kOwns)) {
      owner = begin;
      i += kOwns.size();
    } else if (const auto value = take_value(rest, begin > 0 ? line[begin - 1] : ' ')) {
      const std::string_view with_number = line.substr(begin, line.size() - rest.size() - begin);
      const bool may_be_name = with_number.find_first_of(" \t") == std::string_view::npos;
      if (const auto own = may_be_name ? take_value(rest, ' ') : std::nullopt)
        metrics.add(with_number, *own);  // "mAP@0.5:0.95 = 0.41"
      else
        metrics.add(full_name(line, begin, name), *value);
      i = line.size() - rest.size();
    }
  }
}

void add_all(Metrics& metrics, std::string_view line) {
  if (line.starts_with("kml: ")) return;  // kml's own words in a log
  // Python's logging prints a prefix: INFO:root:{"loss": 0.3}. A Python dict, {'loss': 0.3}, looks similar
  // but is not JSON.
  if (const size_t brace = line.find('{'); brace != std::string_view::npos && line.ends_with('}'))
    if (const std::optional<Json> object = object_in(line.substr(brace))) {
      add_words(metrics, line.substr(0, brace));
      return add_members(metrics, *object, "");
    }
  if (const size_t at = line.find(kAt); at != std::string_view::npos) add_at_step(metrics, line, at);
  if (metrics.empty() && line.find_first_of("=:") != std::string_view::npos) add_words(metrics, line);
  if (metrics.empty()) add_after_counter(metrics, line);
}

}  // namespace

std::vector<std::pair<std::string, double>> metrics_in(std::string_view line, bool all,
                                                       const MetricNames& wanted) {
  Metrics metrics(wanted);
  if (line.size() <= (wanted.empty() ? kLongestMetricLine : kLongestWantedLine))
    add_all(metrics, trim(without_colours(line)));
  auto found = metrics.take();
  if (!all) std::erase_if(found, [](const auto& metric) { return !std::isfinite(metric.second); });
  return found;
}

}  // namespace kml::job
