#include "tracking/runs/printed_arguments.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "kml/base/clean.h"
#include "kml/base/pattern.h"
#include "kml/base/real_number.h"
#include "kml/base/text.h"
#include "kml/job/logs/metric_line.h"
#include "tracking/runs/argument_names.h"
#include "tracking/runs/printed_object.h"

namespace kml::tracking {

namespace {

bool is_same_name(std::string_view a, std::string_view b) {
  const auto is_end_of = [](std::string_view end, std::string_view whole) {
    return whole.size() > end.size() && whole.ends_with(end) && whole[whole.size() - end.size() - 1] == '.';
  };
  return a == b || is_end_of(a, b) || is_end_of(b, a);  // "lr" of "optim.lr"
}

/// The line without a logger's prefix (with a time or a level) before "lr=0.1" or "lr: 0.1".
std::string_view without_log_prefix(std::string_view line) {
  static const Pattern prefix(R"(\b(?:DEBUG|INFO|WARNING)\b|[0-9]{2}:[0-9]{2}:[0-9]{2})");
  const auto is_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  };
  for (size_t sign = 0; (sign = line.find_first_of("=:", sign)) != line.npos; ++sign) {
    if (line[sign] == ':' && line.substr(sign + 1, 1) != " ") continue;
    const size_t end = line.find_last_not_of(' ', sign == 0 ? 0 : sign - 1) + 1;
    size_t begin = end;
    while (begin > 0 && is_of_name(line[begin - 1])) --begin;
    if (begin < end && prefix.matches(line.substr(0, begin))) return line.substr(begin);
  }
  return line;
}

/// How many more brackets are opened than closed in the text.
int balance(std::string_view text) {
  int depth = 0;
  for (const char c : text) depth += contains("{[(", {&c, 1}) ? 1 : contains("}])", {&c, 1}) ? -1 : 0;
  return depth;
}

/// The sign in a line with one name and one value, such as "lr: 0.1" or "lr = 0.1"; empty for any other line.
std::string_view sign_of_pair(std::string_view text) {
  const size_t end = text.find_first_of(":= ");
  if (end == 0 || end == std::string_view::npos) return {};
  const size_t at = text.find_first_not_of(' ', end);
  if (at == std::string_view::npos || (text[at] != ':' && text[at] != '=')) return {};
  if (text.find('=', at + 1) != std::string_view::npos) return {};
  return text.substr(at, 1);
}

/// The number of names that are typical of hyperparameters; 0 if a name is that of a result. If there are
/// some, the values are probably arguments, whatever the command contains. For example, a program that only
/// has defaults may print(vars(args)).
size_t count_hyperparameters(const PrintedArguments::Members& members) {
  std::set<std::string_view> found;
  for (const auto& [name, value] : members) {
    if (is_name_of_result(name)) return 0;
    if (is_name_of_hyperparameter(name)) found.insert(name);
  }
  return found.size();
}

/// The argument's value as a number: Python's float() also accepts "inf" and "nan".
std::optional<double> number_of(const Json& argument) {
  if (argument.is_number()) return argument.get<double>();
  if (!argument.is_string()) return {};
  const auto& text = argument.get_ref<const std::string&>();
  const char* end = nullptr;
  const std::optional<double> value = real_number_at(text, end);
  return end == text.data() + text.size() ? value : std::nullopt;
}

std::vector<std::string> names_of(const PrintedArguments::Members& members) {
  std::vector<std::string> names;
  for (const auto& [name, value] : members) names.push_back(name);
  return names;
}

bool are_same(const PrintedArguments::Members& a, const PrintedArguments::Members& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && is_same_number(one.second, other.second);
  });
}

/// Whether the value of a pair is in brackets, as in "sizes: (1, 2)", and the name is not a word for
/// arguments, such as "args".
bool is_value_in_brackets(std::string_view pair, std::string_view sign) {
  const size_t bracket = pair.find_first_of("{(["), at = pair.find(sign);
  return bracket != pair.npos && at < bracket && balance(pair) == 0 &&
         pair.find_last_not_of(' ', bracket - 1) == at && !names_arguments(pair.substr(0, at));
}

/// Whether the line is a list of arguments with a title: "Hyperparameters: lr=0.1, batch=64".
bool has_title_of_arguments(std::string_view line, const PrintedArguments::Members& metrics) {
  const std::string_view title = line.substr(0, line.find(':'));
  return title.size() < line.size() && !metrics.empty() && !contains(title, "=") && names_arguments(title) &&
         std::ranges::none_of(metrics, [](const auto& metric) { return is_name_of_result(metric.first); });
}

/// The text from its opening bracket to the bracket that closes it; the whole text if no bracket closes it.
std::string_view bracketed(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if ((depth += balance(text.substr(i, 1))) <= 0) return text.substr(0, i + 1);
  return text;
}

}  // namespace

PrintedArguments::PrintedArguments(std::map<std::string, Json> arguments) {
  while (!arguments.empty()) {
    auto argument = arguments.extract(arguments.begin());
    argument.key() = attribute_of(argument.key());
    arguments_.insert(std::move(argument));
  }
}

const Json* PrintedArguments::argument(std::string_view name) const {
  const std::string wanted = attribute_of(name);
  const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                  [&](const auto& each) { return is_same_name(each.first, wanted); });
  return found == arguments_.end() ? nullptr : &found->second;
}

bool PrintedArguments::is_argument(const std::string& name, double value) const {
  const Json* known = argument(name);
  const std::optional<double> number = known ? number_of(*known) : std::nullopt;
  return number && is_same_number(*number, value);
}

void PrintedArguments::add(Dict& dict, std::string_view text, size_t number, const Members& metrics) {
  dict.lines.last = number;
  dict.members.insert(dict.members.end(), metrics.begin(), metrics.end());
  dict.text.append(text).append("\n");
  if (dict.form == Form::lines)
    dict.is_nested = dict.is_nested || (text.ends_with(':') && !dict.members.empty());
  else
    dict.is_nested = dict.is_nested || text.find('{', text.starts_with('{') ? 1 : 0) != text.npos;
}

void PrintedArguments::close() {
  if (open_ && (open_->form != Form::lines || open_->is_named || open_->members.size() > 1))
    dicts_.push_back(std::move(*open_));
  open_.reset();
}

void PrintedArguments::read(std::string_view line, size_t number, const Members& metrics) {
  constexpr size_t kMostOfDict = 500;
  if (!metrics.empty()) last_value_ = number;
  if (number > kMostLines) return;
  const std::string colourless = without_colours(line);
  const std::string_view plain = without_frame(colourless), text = trim(plain);
  const size_t previous = text.empty() ? last_text_ : std::exchange(last_text_, number);
  if (open_ && open_->form != Form::lines) {
    add(*open_, text, number, metrics);
    open_->depth += balance(text);
    if (open_->depth <= 0)
      close();
    else if (number - open_->lines.first > kMostOfDict)
      open_.reset();
    return;
  }
  if (read_section(text, number, previous) || read_pair(without_log_prefix(plain), number, metrics)) return;
  // whether the previous line is the name of the dict
  const bool is_named = open_ && open_->is_named && open_->members.empty();
  close();
  read_bracket(text, number, metrics, is_named);
  read_inner(text, number, metrics);
  const bool is_title = text.ends_with(':') || plain.data() != colourless.data();
  if (!open_ && metrics.empty() && is_title && names_arguments(text))
    open_ = {.form = Form::lines, .lines = {number, number}, .is_named = true};
}

/// Reads the heading of a section in TOML. An empty line before the heading does not end the dict.
bool PrintedArguments::read_section(std::string_view line, size_t number, size_t previous) {
  if (!is_section_heading(line) || is_name_of_result(line)) return false;
  const auto goes_on = [&](const Dict& dict) {
    return dict.form == Form::lines && dict.sign != ":" && dict.lines.last == previous;
  };
  if (!open_ && !dicts_.empty() && goes_on(dicts_.back())) {
    open_ = std::move(dicts_.back());
    dicts_.pop_back();
  }
  if (!open_ || !goes_on(*open_)) {
    close();
    open_ = {.form = Form::lines, .lines = {number, number}};
  }
  open_->sign = "=";
  open_->is_indented = false;
  open_->is_nested = true;
  add(*open_, line, number, {});
  return true;
}

/// Reads a line of YAML, or one of several lines that each print one argument.
bool PrintedArguments::read_pair(std::string_view line, size_t number, const Members& metrics) {
  const std::string_view text = trim(line);
  const std::string_view sign = sign_of_pair(text);
  const bool is_result = std::any_of(metrics.begin(), metrics.end(),
                                     [](const auto& metric) { return is_name_of_result(metric.first); });
  if (sign.empty() || is_result) return false;
  const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
  const bool goes_on = open_ && (open_->sign.empty() || open_->sign == sign) &&
                       (is_indented || !open_->is_indented.value_or(false));
  const bool is_whole = goes_on && is_value_in_brackets(text, sign);
  if (!is_whole && (metrics.size() > 1 || text.find_first_of("{(") != text.npos)) return false;
  if (!goes_on) {
    if (metrics.empty() && text.ends_with(':')) return false;  // the line may be the name of a dict
    close();
    open_ = {.form = Form::lines, .lines = {number, number}};
  }
  open_->sign = sign == ":" ? ":" : "=";
  if (!open_->is_indented) open_->is_indented = is_indented;
  add(*open_, text, number, metrics);
  return true;
}

void PrintedArguments::read_bracket(std::string_view text, size_t number, const Members& metrics,
                                    bool is_named) {
  size_t at = text.find('{');
  Form form = Form::braces;
  for (size_t open = text.find('('); open < std::min(at, text.size()); open = text.find('(', open + 1)) {
    const size_t blank = text.substr(0, open).find_last_of(" :=");
    const std::vector<std::string> words = letter_words(text.substr(blank + 1, open - blank - 1));
    if (words.empty() || !means_arguments(words.back())) continue;
    form = Form::object;
    at = open;
  }
  if (form != Form::object && read_instances(std::min(at, text.size()), text, number)) return;
  if (at == text.npos) {
    const auto is_usual = [](const auto& metric) { return is_name_of_hyperparameter(metric.first); };
    const bool is_titled = has_title_of_arguments(text, metrics);
    if (is_titled || (metrics.size() > 1 && std::all_of(metrics.begin(), metrics.end(), is_usual)))
      dicts_.push_back(
          {.form = Form::line, .lines = {number, number}, .is_named = is_titled, .members = metrics});
    return;
  }
  Dict dict{.form = form, .lines = {number, number}};
  dict.is_named = is_named || form == Form::object || names_arguments(text.substr(0, at));
  dict.depth = balance(text.substr(at));
  const std::string_view inner = bracketed(text.substr(at));
  const bool is_whole = dict.depth > 0 || text.ends_with(inner);
  if (!is_whole && !dict.is_named) return;
  add(dict, is_whole ? text.substr(at) : inner, number, is_whole ? metrics : job::metrics_in(inner, true));
  open_ = std::move(dict);
  if (open_->depth <= 0 || !is_whole) close();
}

/// Reads the objects on a line that begin before `end`. Returns whether there are any.
bool PrintedArguments::read_instances(size_t end, std::string_view text, size_t number) {
  bool has_any = false;
  for (size_t begin = 0; begin < text.size();) {
    const auto open = printed_object_in(text.substr(begin));
    if (!open || begin + *open >= end) break;
    const std::string_view rest = text.substr(begin + *open), inner = bracketed(rest);
    Dict dict{.form = Form::instance, .lines = {number, number}};
    dict.depth = balance(inner);
    const Members own = job::metrics_in(inner, true);
    begin += *open + inner.size();
    if (own.empty() && dict.depth <= 0) continue;
    has_any = true;
    add(dict, inner, number, own);
    open_ = std::move(dict);
    if (open_->depth <= 0) close();
  }
  return has_any;
}

/// Reads the dicts with arguments inside a line's dict: {"config": {"lr": 0.1}, "accuracy": 0.97}.
void PrintedArguments::read_inner(std::string_view text, size_t number, const Members& metrics) {
  for (size_t open = text.find('{', text.find('{') + 1); open < text.size();
       open = text.find('{', open + 1)) {
    const size_t quote = text.find_last_not_of(": ", open - 1);
    const std::string_view before = text.substr(0, quote);
    const std::string_view key = before.substr(before.find_last_of("'\"") + 1);
    if (!contains("'\"", text.substr(quote, 1)) || !names_arguments(key)) continue;
    size_t end = open;
    for (int depth = 0; end < text.size() && (depth > 0 || end == open);)
      depth += balance(text.substr(end++, 1));
    Dict dict{.form = Form::object, .lines = {number, number}, .is_named = true};
    for (const auto& [name, value] : job::metrics_in(text.substr(open, end - open), true))
      for (const std::string& full : {name, std::string(key) + "." + name})
        if (const std::pair member(full, value);
            std::find(metrics.begin(), metrics.end(), member) != metrics.end())
          dict.members.push_back(member);
    dicts_.push_back(std::move(dict));
    open = end - 1;
  }
}

bool PrintedArguments::has_all_arguments(const Dict& dict) const {
  const auto has = [&](const auto& argument) {
    const auto& name = argument.first;  // clang 14 has no structured bindings in lambdas
    const auto& value = argument.second;
    if (name.starts_with("env.")) return true;
    const std::optional<double> number = number_of(value);
    const bool is_text = value.is_string() && contains(dict.text, value.template get<std::string>());
    if (!number || is_text)
      return contains(dict.text, name) &&
             (!value.is_string() || contains(dict.text, value.template get<std::string>()));
    return std::any_of(dict.members.begin(), dict.members.end(), [&](const auto& member) {
      return is_same_name(attribute_of(member.first), name) && is_same_number(*number, member.second);
    });
  };
  const auto is_of_command = [](const auto& argument) { return !argument.first.starts_with("env."); };
  return std::any_of(arguments_.begin(), arguments_.end(), is_of_command) &&
         std::all_of(arguments_.begin(), arguments_.end(), has);
}

bool PrintedArguments::is_of_arguments(const Dict& dict, const Repeated& repeated,
                                       const HasOther& has_other) const {
  if (dict.is_named) return true;
  if (dict.form == Form::instance)
    return dict.lines.last < last_value_ && !repeated.contains(names_of(dict.members));
  if (dict.form == Form::line || dict.lines.last >= last_value_ || repeated.contains(names_of(dict.members)))
    return false;
  const auto is_result = [](const auto& member) { return is_name_of_result(member.first); };
  const auto is_step = [](const auto& member) { return job::counts_steps(member.first); };
  const auto results = std::count_if(dict.members.begin(), dict.members.end(), is_result);
  const bool is_probable = std::none_of(dict.members.begin(), dict.members.end(), is_step) &&
                           count_hyperparameters(dict.members) > (dict.is_nested ? 0 : 1);
  if (!is_probable && (2 * results >= std::ssize(dict.members) || !has_all_arguments(dict))) return false;
  return std::all_of(dict.members.begin(), dict.members.end(), [&](const auto& member) {
    return is_result(member) || argument(member.first) || !has_other(member.first, member.second, dict.lines);
  });
}

/// The names that have different values in several dicts, such as dicts that are printed once in each epoch.
PrintedArguments::Repeated PrintedArguments::repeated() const {
  std::map<std::vector<std::string>, const Members*> firsts;
  Repeated repeated;
  for (const Dict& dict : dicts_) {
    const std::vector<std::string> names = names_of(dict.members);
    if (!are_same(*firsts.emplace(names, &dict.members).first->second, dict.members)) repeated.insert(names);
  }
  return repeated;
}

PrintedArguments::Members PrintedArguments::each_printed(
    const HasOther& has_other,
    const std::function<void(const std::string& name, Lines lines)>& leave_out) const {
  std::vector<const Dict*> all;
  for (const Dict& dict : dicts_) all.push_back(&dict);
  if (open_ && open_->form == Form::lines) all.push_back(&*open_);
  const auto printed = std::stable_partition(
      all.begin(), all.end(),
      [&, repeated = repeated()](const Dict* dict) { return is_of_arguments(*dict, repeated, has_other); });
  std::map<std::string, double> firsts;
  std::set<std::string> varying;  // the names whose values differ between dicts
  for (auto dict = all.begin(); dict != printed; ++dict)
    for (const auto& [name, value] : (*dict)->members)
      if (!is_same_number(firsts.emplace(name, value).first->second, value)) varying.insert(name);
  Members arguments;
  for (auto dict = all.begin(); dict != all.end(); ++dict) {
    const auto is_same = [&](const Dict* other) { return are_same(other->members, (*dict)->members); };
    if (dict >= printed && std::none_of(all.begin(), printed, is_same)) {
      if (count_hyperparameters((*dict)->members) < 2) continue;
      for (const auto& [name, value] : (*dict)->members)
        if (is_name_of_hyperparameter(name) && !has_other(name, value, (*dict)->lines))
          leave_out(name, (*dict)->lines);
      continue;
    }
    const bool is_sure = (*dict)->is_named || has_all_arguments(**dict);
    for (const auto& [name, value] : (*dict)->members) {
      const bool is_result = is_name_of_result(name);
      const bool may_be_goal = (*dict)->form != Form::instance && !varying.contains(name);
      const bool is_of_arguments = is_result ? may_be_goal && has_other(name, value, (*dict)->lines)
                                             : is_sure || !is_name_of_cost(name);
      if ((*dict)->form != Form::object && !is_argument(name, value) && !is_of_arguments) continue;
      leave_out(name, (*dict)->lines);
      if (!is_result) arguments.emplace_back(name, value);
    }
  }
  return arguments;
}

}  // namespace kml::tracking
