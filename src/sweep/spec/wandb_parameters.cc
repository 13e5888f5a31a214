#include "sweep/spec/wandb_parameters.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "kml/base/text.h"
#include "sweep/spec/fields.h"

namespace kml::sweep {

namespace {

/// A distribution over a range, and how its bounds are converted.
struct Law {
  const char* name;
  const char* distribution;  ///< kml's
  /// null means that the bounds are used unchanged
  std::pair<double, double> (*bounds)(double low, double high) = nullptr;
  bool is_normal = false;
};

std::pair<double, double> exponents(double low, double high) {
  return {std::exp(low), std::exp(high)};
}

std::pair<double, double> negative_exponents(double low, double high) {
  return {std::exp(-high), std::exp(-low)};
}

constexpr Law kLaws[] = {{"uniform", "uniform"},
                         {"int_uniform", "uniform"},
                         {"log_uniform_values", "logUniform"},
                         {"inv_log_uniform_values", "logUniform"},
                         {"log_uniform", "logUniform", exponents},
                         {"inv_log_uniform", "logUniform", negative_exponents},
                         {"normal", "normal", nullptr, true},
                         {"log_normal", "logNormal", exponents, true},
                         {"q_uniform", "uniform"},
                         {"q_log_uniform_values", "logUniform"},
                         {"q_log_uniform", "logUniform", exponents},
                         {"q_normal", "normal", nullptr, true},
                         {"q_log_normal", "logNormal", exponents, true}};

/// Only about 1e-15 of a normal distribution lies farther out than this many standard deviations.
constexpr double kDeviations = 8;
constexpr double kMostGridValues = 1e6;
constexpr double kMostExact = 9007199254740992;  // 2^53

bool is_quantized(const Law& law) {
  return std::string_view(law.name).starts_with("q_");
}

Json as_integer(double value) {
  return static_cast<long long>(value);
}

/// A W&B parameter, with the parameters nested in it.
class WandbParameter {
 public:
  WandbParameter(const Json& value, std::vector<std::string> path, const std::string& method,
                 std::vector<Problem>& problems)
      : fields_(&value, "parameters." + join(path, ".parameters."), problems),
        path_(std::move(path)),
        is_mapping_(value.is_object()),
        is_grid_(method == "grid"),
        method_(method),
        problems_(problems) {}

  void add_to(Json& parameters) {
    if (!is_mapping_) return;  // fields_ has already reported the fault
    if (const Json* nested = fields_.take("parameters")) {
      fields_.end();
      return add_nested(*nested, parameters);
    }
    Json parameter = read();
    fields_.end();
    if (parameter.is_null()) return;
    parameter["name"] = join(path_, ".");
    if (path_.size() > 1) parameter["parents"] = std::vector(path_.begin(), path_.end() - 1);
    parameters.push_back(std::move(parameter));
  }

 private:
  void add_nested(const Json& nested, Json& parameters) {
    if (!nested.is_object() || nested.empty())
      return fields_.problem("parameters", "must be a mapping of parameters");
    for (const auto& [name, value] : nested.items()) {
      std::vector<std::string> path = path_;
      path.push_back(name);
      WandbParameter(value, std::move(path), method_, problems_).add_to(parameters);
    }
  }

  Json read() {
    if (fields_.has("value")) {
      static_cast<void>(fields_.word("distribution", {"constant"}));
      return choices(Json::array({fields_.any("value")}));
    }
    if (const Json* values = fields_.take("values")) return listed(*values);
    return range();
  }

  static Json choices(const Json& values) {
    const bool are_numbers =
        std::all_of(values.begin(), values.end(), [](const Json& value) { return value.is_number(); });
    return {{"parameterType", are_numbers ? "discrete" : "categorical"},
            {"feasibleSpace", {{"list", values}}}};
  }

  /// A value that is listed n times is n times as probable. In a grid, it occurs once.
  Json listed(const Json& values) {
    const std::vector<double> weights = probabilities(values);
    static_cast<void>(fields_.word("distribution", {"categorical", "categorical_w_probabilities"}));
    if (!values.is_array() || values.empty()) {
      fields_.problem("values", "must be a list of values");
      return {};
    }
    Json different = Json::array();
    std::vector<double> sums;
    for (size_t i = 0; i < values.size(); ++i) {
      const double weight = weights.size() == values.size() ? weights[i] : 1;
      if (weight == 0) continue;
      const auto same = std::find(different.begin(), different.end(), values[i]);
      if (same != different.end()) {
        sums[static_cast<size_t>(same - different.begin())] += weight;
      } else {
        different.push_back(values[i]);
        sums.push_back(weight);
      }
    }
    Json parameter = choices(different);
    const bool is_even = std::all_of(sums.begin(), sums.end(), [&](double sum) { return sum == sums[0]; });
    if (is_even || is_grid_) return parameter;
    parameter["parameterType"] = "categorical";  // otherwise, a list of numbers would be sorted
    parameter["feasibleSpace"]["probabilities"] = sums;
    return parameter;
  }

  std::vector<double> probabilities(const Json& values) {
    const Json* list = fields_.take("probabilities");
    if (!list) return {};
    std::vector<double> weights;
    for (const Json& value : list->is_array() ? *list : Json::array())
      weights.push_back(value.is_number() ? value.get<double>() : -1);
    double sum = 0;
    for (const double weight : weights) sum += weight;
    if (is_grid_)
      fields_.problem("probabilities", "cannot be used with method: grid");
    else if (weights.size() != values.size())
      fields_.problem("probabilities",
                      "must have a number for each of the " + std::to_string(values.size()) + " values");
    else if (std::any_of(weights.begin(), weights.end(), [](double weight) { return !(weight >= 0); }) ||
             std::abs(sum - 1) > 1e-5)
      fields_.problem("probabilities", "must be numbers of at least 0 whose sum is 1");
    return weights;
  }

  static bool is_whole(const Json* number) { return number && number->is_number_integer(); }

  Json range() {
    const Json *min = fields_.take("min"), *max = fields_.take("max");
    const std::string named = fields_.text("distribution");
    const std::string name = !named.empty()                   ? named
                             : is_whole(min) && is_whole(max) ? "int_uniform"
                                                              : "uniform";
    const auto law =
        std::find_if(std::begin(kLaws), std::end(kLaws), [&](const Law& each) { return name == each.name; });
    if (name == "constant" || name.starts_with("categorical")) {
      const char* field = name == "constant" ? "value" : "values";
      fields_.problem(field, "is missing, and distribution \"" + name + "\" needs it");
      fields_.ignore({"q", "mu", "sigma", "a", "b"});
      return {};
    }
    if (law == std::end(kLaws)) {
      std::vector<std::string> names = {"constant", "categorical"};
      for (const Law& each : kLaws) names.emplace_back(each.name);
      const std::string hint = did_you_mean(name, names);
      fields_.problem("distribution", "W&B's manual has no distribution \"" + name + "\"; " +
                                          (hint.empty() ? "it has " + join(names, ", ") : hint));
      fields_.ignore({"q", "mu", "sigma", "a", "b"});
      return {};
    }
    if (name == "int_uniform" && !(is_whole(min) && is_whole(max))) {
      fields_.problem(is_whole(min) ? "max" : "min", "must be a whole number for int_uniform");
      return {};
    }
    const auto bounds = law->is_normal ? around_mean() : ends(*law);
    const std::optional<Json> step = is_quantized(*law) ? quantum() : std::nullopt;
    if (!bounds || (is_quantized(*law) && !step)) return {};
    if (is_grid_) return of_grid(*law, *bounds, step);
    const auto [low, high] = law->bounds ? law->bounds(bounds->first, bounds->second) : *bounds;
    const double most_steps = step ? std::max(std::abs(low), std::abs(high)) / step->get<double>() : 0;
    if (!std::isfinite(high) || (law->bounds && !(low > 0)) || most_steps > kMostExact) {
      fields_.problem(law->is_normal ? "sigma" : "max", "leads to numbers that are too large or too small");
      return {};
    }
    Json space = {{"min", low}, {"max", high}, {"distribution", law->distribution}};
    if (law->is_normal) space["deviations"] = kDeviations;
    if (step) space["multipleOf"] = *step;
    const bool is_integer = name == "int_uniform" || (step && step->is_number_integer());
    return {{"parameterType", is_integer ? "int" : "double"}, {"feasibleSpace", std::move(space)}};
  }

  /// The range from min to max.
  std::optional<std::pair<double, double>> ends(const Law& law) {
    for (const char* bound : {"min", "max"})
      if (!fields_.take(bound)) fields_.problem(bound, "is missing");
    const auto low = fields_.number("min"), high = fields_.number("max");
    if (!low || !high) return {};
    if (*low >= *high) {
      fields_.problem("min", "must be less than max");
      return {};
    }
    const bool is_of_values = std::string_view(law.name).ends_with("log_uniform_values");
    if (is_of_values && *low <= 0) {
      fields_.problem("min", std::string("must be above 0 for ") + law.name);
      return {};
    }
    return std::pair(*low, *high);
  }

  /// A range around the mean: so many standard deviations to both sides that what is left out is no more than
  /// a rounding error.
  std::optional<std::pair<double, double>> around_mean() {
    for (const char* bound : {"min", "max"})
      if (fields_.take(bound))
        fields_.problem(bound, "cannot be used with a normal distribution; use mu and sigma");
    const double mean = fields_.number("mu").value_or(0), deviation = fields_.number("sigma").value_or(1);
    if (deviation < 0) {
      fields_.problem("sigma", "must be at least 0");
      return {};
    }
    return std::pair(mean - kDeviations * deviation, mean + kDeviations * deviation);
  }

  /// The value of q. W&B's default is 1.0, a real number.
  std::optional<Json> quantum() {
    const Json* q = fields_.take("q");
    if (!q) return Json(1.0);
    const auto number = fields_.number("q");
    if (number && *number > 0) return is_whole(q) ? *q : Json(*number);
    if (number) fields_.problem("q", "must be above 0");
    return {};
  }

  /// In a grid, q_uniform has the values min, min + q and so on, without max.
  Json of_grid(const Law& law, std::pair<double, double> bounds, const std::optional<Json>& step) {
    const std::string name = law.name;
    if (name == "int_uniform")
      return {{"parameterType", "int"},
              {"feasibleSpace", {{"min", as_integer(bounds.first)}, {"max", as_integer(bounds.second)}}}};
    if (name != "q_uniform") {
      fields_.problem("distribution", name + " cannot be used with method: grid; list the values");
      return {};
    }
    const double width = step->get<double>(), count = std::ceil((bounds.second - bounds.first) / width);
    if (count > kMostGridValues) {
      fields_.problem("q", "makes more than 1,000,000 values");
      return {};
    }
    const bool are_whole =
        step->is_number_integer() && is_whole(fields_.take("min")) && is_whole(fields_.take("max"));
    Json values = Json::array();
    for (double i = 0; i < count; ++i) {
      const double value = bounds.first + i * width;
      values.push_back(are_whole ? as_integer(value) : Json(value));
    }
    return choices(values);
  }

  Fields fields_;
  const std::vector<std::string> path_;
  const bool is_mapping_, is_grid_;
  const std::string& method_;
  std::vector<Problem>& problems_;
};

}  // namespace

Json parameters_of_wandb(const Json& parameters, const std::string& method, std::vector<Problem>& problems) {
  Json result = Json::array();
  for (const auto& [name, value] : parameters.items())
    WandbParameter(value, {name}, method, problems).add_to(result);
  return result;
}

}  // namespace kml::sweep
