#include "sweep/spec/parameters.h"

#include <algorithm>
#include <cmath>

#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "sweep/spec/fields.h"

namespace kml::sweep {

namespace {

/// The number if it is printed like the text, otherwise the text: a trial gets the value as Katib passes it.
Json number_or_text(const std::string& text, double number) {
  const std::optional<int> whole = whole_number(text);
  const Json value = whole ? Json(*whole) : Json(number);
  return value.dump() == text ? value : Json(text);
}

/// The values of a list. In Katib, numbers in a list are texts.
std::vector<Json> choices_of(Fields& space, bool are_numbers, bool takes_any) {
  std::vector<Json> choices;
  const Json* list = space.take("list");
  if (!list || !list->is_array() || list->empty()) {
    space.problem("list", "is missing: the values to choose from");
    return choices;
  }
  for (const Json& value : *list) {
    const std::optional<double> number = are_numbers ? number_of(value) : std::nullopt;
    if (are_numbers && !number)
      space.problem("list", value.dump() + " is not a number");
    else if (!takes_any && (value.is_structured() || value.is_null()))
      space.problem("list", "contains a value that is not a string, a number, true or false");
    else
      choices.push_back(number && value.is_string() ? number_or_text(value, *number) : value);
  }
  if (are_numbers) std::ranges::stable_sort(choices, {}, number_of);
  return choices;
}

void read_range(Fields& space, Parameter& parameter) {
  for (std::string_view bound : {"min", "max"})
    if (!space.take(bound)) space.problem(bound, "is missing");
  parameter.low = space.number("min").value_or(0);
  parameter.high = space.number("max").value_or(0);
  parameter.step = space.number("step").value_or(0);
  const std::string law = space.word("distribution", {"uniform", "logUniform", "normal", "logNormal"});
  parameter.log = law.starts_with("log");
  parameter.normal = law == "normal" || law == "logNormal";
  parameter.deviations = space.number("deviations").value_or(parameter.deviations);
  if (!(parameter.deviations > 0)) space.problem("deviations", "must be above 0");
  const auto multiple = space.number("multipleOf");
  if (!multiple) return;
  if (!(*multiple > 0)) return space.problem("multipleOf", "must be above 0");
  parameter.drawn.emplace(parameter.low, parameter.high);
  parameter.step = *multiple;
  for (double* bound : {&parameter.low, &parameter.high})
    *bound = std::nearbyint(*bound / *multiple) * *multiple + 0.0;  // not -0.0
}

/// Reads the weights: a number of at least 0 for each choice.
std::vector<double> weights_of(Fields& space) {
  std::vector<double> weights;
  const Json* list = space.take("probabilities");
  if (!list) return weights;
  for (const Json& value : list->is_array() ? *list : Json::array({Json()}))
    weights.push_back(number_of(value).value_or(-1));
  const bool is_right =
      std::all_of(weights.begin(), weights.end(), [](double weight) { return weight >= 0; }) &&
      std::any_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
  if (is_right) return weights;
  space.problem("probabilities", "must be a list of numbers of at least 0, not all of them 0");
  return {};
}

void read_condition(Fields& fields, Parameter& parameter, std::vector<Problem>& problems) {
  const Json* object = fields.take("condition");
  if (!object) return;
  Fields condition(object, fields.path_of("condition"), problems);
  parameter.condition.emplace();
  parameter.condition->parent = condition.text("parameter");
  const Json* values = condition.take("values");
  if (!values || !values->is_array() || values->empty())
    condition.problem("values", "is missing: a list of the parent's values");
  else
    parameter.condition->values = values->get<std::vector<Json>>();
  condition.end();
}

}  // namespace

std::vector<Parameter> read_parameters(const Json* list, const std::string& path, bool takes_any,
                                       std::vector<Problem>& problems) {
  std::vector<Parameter> parameters;
  if (!list || !list->is_array() || list->empty()) {
    problems.push_back({{}, 0, 0, path, "is missing: the list of parameters to try"});
    return parameters;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    Fields fields(&(*list)[i], path + "[" + std::to_string(i) + "]", problems);
    Parameter parameter;
    parameter.name = fields.text("name");
    if (parameter.name.empty()) fields.problem("name", "is missing");
    const std::string type = fields.word("parameterType", {"double", "int", "discrete", "categorical"});
    if (!fields.take("parameterType"))
      fields.problem("parameterType", "is missing: double, int, discrete or categorical");
    Fields space(fields.take("feasibleSpace"), fields.path_of("feasibleSpace"), problems);
    if (type == "double" || type == "int") {
      parameter.kind = type == "int" ? Kind::integer : Kind::real;
      read_range(space, parameter);
    } else {
      parameter.kind = type == "discrete" ? Kind::ordinal : Kind::categorical;
      parameter.choices = choices_of(space, type == "discrete", takes_any);
      parameter.weights = weights_of(space);
      space.word("distribution", {"uniform"});
    }
    space.end();
    parameter.parents = fields.texts("parents");
    read_condition(fields, parameter, problems);
    fields.end();
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

namespace {

Error wrong(const std::string& flag, const std::string& why) {
  return usage_error(
      "--param " + flag + ": " + why, "",
      "for example: lr=log:1e-4..1e-1, layers=1..8, drop=0..0.5/0.1, batch=32,64,128 or opt=adam,sgd");
}

/// Removes the word from the front of the text. Returns false if the text does not start with it.
bool take(std::string& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.erase(0, word.size());
  return true;
}

bool is_whole(const std::string& text) {
  return text.find_first_not_of("-0123456789") == std::string::npos;
}

double number_in(const std::string& flag, const std::string& text) {
  const std::optional<double> number = number_of(Json(text));
  if (!number) throw wrong(flag, "\"" + text + "\" is not a number");
  return *number;
}

/// "1e-4..1e-1", "1..8", "0..0.5/0.1".
Json range_of(const std::string& flag, const std::string& text, bool is_integer, bool is_log) {
  const size_t dots = text.find(".."), slash = text.find('/');
  const std::string low = text.substr(0, dots),
                    high = text.substr(dots + 2, slash == std::string::npos ? slash : slash - dots - 2),
                    step = slash == std::string::npos ? "" : text.substr(slash + 1);
  Json space = {{"min", number_in(flag, low)}, {"max", number_in(flag, high)}};
  if (slash != std::string::npos) space["step"] = number_in(flag, step);
  if (is_log) space["distribution"] = "logUniform";
  is_integer = is_integer || (is_whole(low) && is_whole(high) && is_whole(step));
  return {{"parameterType", is_integer ? "int" : "double"}, {"feasibleSpace", space}};
}

bool has_exponent(const std::string& text) {
  return text.find_first_of("eE") != std::string::npos;
}

bool is_number(std::string_view text) {
  return number_of(Json(std::string(text))).has_value();
}

/// Rejects a text that other tools would read as a range or a list, because kml would treat it as a single
/// value.
void refuse_other_syntax(const std::string& flag, const std::string& text, bool has_prefix) {
  constexpr std::string_view kWords[] = {"choice",     "choices",     "list",       "values",  "categorical",
                                         "discrete",   "range",       "randint",    "uniform", "quniform",
                                         "loguniform", "log_uniform", "logUniform", "linear",  "normal",
                                         "float",      "double",      "real"};
  if (has_prefix) throw wrong(flag, "int: and log: need a range, LOW..HIGH");
  if (text.find_first_of("[({") == 0 && text.find_last_of("])}") + 1 == text.size())
    throw wrong(flag, "write the values without brackets");
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return;
  const std::string before = text.substr(0, colon), after = text.substr(colon + 1);
  if (std::find(std::begin(kWords), std::end(kWords), before) != std::end(kWords))
    throw wrong(flag, "\"" + before + ":\" is not supported; use int: or log:");
  if (is_number(before) && is_number(after)) throw wrong(flag, "a range is written LOW..HIGH");
}

/// The number that a trial receives for this item; null if the item is not a number.
Json number_of_item(const std::string& item) {
  constexpr double kExact = 9007199254740992;  // 2^53
  const std::optional<double> number = number_of(Json(item));
  if (!number) return {};
  const bool has_fraction = item.find('.') != std::string::npos && !has_exponent(item);
  if (has_fraction || *number != std::floor(*number) || std::abs(*number) > kExact) return *number;
  return static_cast<long long>(*number);
}

/// Whether the number, printed again, still looks like the text of the item. 3.10 (a version) would become
/// 3.1, and 007 (a name) would become 7, which must not happen. If 1e-3 becomes 0.001, or 0.00001 becomes
/// 1e-05, that is harmless.
bool stays(const std::string& item, const Json& number) {
  const bool is_small = std::abs(number.get<double>()) < 1;
  return has_exponent(item) || (is_small && has_exponent(number.dump())) || number.dump() == item;
}

/// "32,64,128", "adam,sgd".
Json list_of(const std::string& flag, const std::string& text) {
  Json numbers = Json::array(), texts = Json::array();
  bool are_numbers = true;
  for (const std::string& item : split(text, ',')) {
    if (item.empty()) throw wrong(flag, "a value is missing");
    texts.push_back(item);
    numbers.push_back(number_of_item(item));
    are_numbers = are_numbers && !numbers.back().is_null() && stays(item, numbers.back());
  }
  return {{"parameterType", are_numbers ? "discrete" : "categorical"},
          {"feasibleSpace", {{"list", are_numbers ? numbers : texts}}}};
}

/// A note that a list of numbers is treated as texts, because one of them ("1e-4", "08") would be printed
/// differently as a number.
std::string note_on_texts(const Json& parameter) {
  std::string changed;
  for (const Json& value : parameter["feasibleSpace"]["list"]) {
    const auto& item = value.get_ref<const std::string&>();
    const Json number = number_of_item(item);
    if (number.is_null()) return {};
    if (changed.empty() && !stays(item, number)) changed = item + " would become " + number.dump();
  }
  return api::entry_name(parameter) + " is treated as a string: as a number, " + changed;
}

}  // namespace

Json parameter_of_flag(const std::string& flag) {
  const size_t equals = flag.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == flag.size())
    throw wrong(flag, "must be NAME=VALUES");
  std::string text = flag.substr(equals + 1);
  const bool is_integer = take(text, "int:"), is_log = take(text, "log:");
  const bool is_range = text.find("..") != std::string::npos && text.find(',') == std::string::npos;
  if (!is_range) refuse_other_syntax(flag, text, is_integer || is_log);
  Json parameter = is_range ? range_of(flag, text, is_integer, is_log) : list_of(flag, text);
  parameter["name"] = flag.substr(0, equals);
  return parameter;
}

std::string note_on_parameter_flag(const std::string& flag) {
  const Json parameter = parameter_of_flag(flag);
  const std::string type = string_at(parameter, {"parameterType"});
  if (type == "categorical") return note_on_texts(parameter);
  if (type != "int" || flag.find("=int:") != std::string::npos) return {};
  const Json& space = parameter["feasibleSpace"];
  const double min = space["min"], max = space["max"];
  if (max != min + 1) return {};
  const std::string low = Json(static_cast<long long>(min)).dump(),
                    high = Json(static_cast<long long>(max)).dump();
  return api::entry_name(parameter) + " is " + low + " or " + high +
         ", a whole number; for all values between, write " + low + ".0.." + high + ".0";
}

}  // namespace kml::sweep
