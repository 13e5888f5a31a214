#include "sweep/space/constraint.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::sweep {

namespace {

/// Whether two sums of decimal fractions are equal apart from rounding errors: 0.1 + 0.2 == 0.3.
bool nearly_equal(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

constexpr int kMostBrackets = 100;

}  // namespace

class ConstraintParser {
 public:
  ConstraintParser(Constraint& constraint, const std::string& text, const std::vector<Parameter>& parameters)
      : constraint_(constraint), text_(text), parameters_(parameters) {}

  void parse() {
    sum(constraint_.left_);
    constraint_.comparison_ = comparison();
    sum(constraint_.right_);
    skip_space();
    if (at_ < text_.size()) fail("the end: a constraint has one comparison");
  }

 private:
  using Op = Constraint::Op;

  void sum(Constraint::Formula& formula) {
    product(formula);
    while (next_is("+-")) {
      const Op op = text_[at_++] == '+' ? Op::add : Op::subtract;
      product(formula);
      formula.push_back({op});
    }
  }

  void product(Constraint::Formula& formula) {
    term(formula);
    while (next_is("*/")) {
      const Op op = text_[at_++] == '*' ? Op::multiply : Op::divide;
      term(formula);
      formula.push_back({op});
    }
  }

  void term(Constraint::Formula& formula) {
    if (next_is("(")) {
      if (++depth_ > kMostBrackets) fail("at most 100 nested parentheses");
      ++at_;
      sum(formula);
      if (!next_is(")")) fail("a closing bracket");
      ++at_;
      --depth_;
    } else if (next_is("-0123456789.")) {
      double value = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc()) fail("a number");
      at_ = static_cast<size_t>(end - text_.data());
      formula.push_back({Op::number, value});
    } else {
      formula.push_back({Op::parameter, 0, parameter_called(name())});
    }
  }

  std::string name() {
    skip_space();
    const size_t begin = at_;
    if (next_is("\"")) {
      const size_t end = text_.find('"', begin + 1);
      if (end == std::string::npos) fail("a closing quote");
      at_ = end + 1;
      return text_.substr(begin + 1, end - begin - 1);
    }
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    if (at_ == begin) fail("a parameter's name or a number");
    return text_.substr(begin, at_ - begin);
  }

  size_t parameter_called(const std::string& name) {
    std::vector<std::string> names;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].name == name) {
        if (parameters_[i].kind == Kind::categorical)
          throw usage_error(
              "constraint \"" + text_ + "\" uses " + name + ", which is categorical, as a number", "",
              "a constraint needs numbers: make the parameter discrete, or leave it out");
        return i;
      }
      names.push_back(parameters_[i].name);
    }
    throw usage_error("constraint \"" + text_ + "\" names \"" + name + "\", which is not a parameter", "",
                      did_you_mean(name, names));
  }

  std::string comparison() {
    skip_space();
    for (const char* word : {"<=", ">=", "==", "!=", "<", ">"})
      if (text_.compare(at_, std::string(word).size(), word) == 0) {
        at_ += std::string(word).size();
        return word;
      }
    fail("one of <= < >= > == !=");
  }

  bool next_is(const std::string& any_of) {
    skip_space();
    return at_ < text_.size() && any_of.find(text_[at_]) != std::string::npos;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  [[noreturn]] void fail(const std::string& expected) {
    throw usage_error("constraint \"" + text_ + "\" has an error at character " + std::to_string(at_ + 1),
                      "expected " + expected, "for example: batch * accum <= 4096");
  }

  Constraint& constraint_;
  const std::string& text_;
  const std::vector<Parameter>& parameters_;
  size_t at_ = 0;
  int depth_ = 0;
};

Constraint::Constraint(const std::string& text, const std::vector<Parameter>& parameters) {
  ConstraintParser(*this, text, parameters).parse();
}

double Constraint::value_of(const Formula& formula, std::span<const double> numbers) {
  std::vector<double> stack;
  for (const Step& step : formula) {
    if (step.op == Op::number || step.op == Op::parameter) {
      stack.push_back(step.op == Op::number ? step.number : numbers[step.parameter]);
      continue;
    }
    const double right = stack.back();
    stack.pop_back();
    double& left = stack.back();
    switch (step.op) {
      case Op::add: left += right; break;
      case Op::subtract: left -= right; break;
      case Op::multiply: left *= right; break;
      default: left /= right;
    }
  }
  return stack.back();
}

bool Constraint::holds(std::span<const double> numbers) const {
  for (const Formula* formula : {&left_, &right_})
    for (const Step& step : *formula)
      if (step.op == Op::parameter && std::isnan(numbers[step.parameter])) return true;
  const double left = value_of(left_, numbers), right = value_of(right_, numbers);
  const bool equal = nearly_equal(left, right);
  if (comparison_ == "==") return equal;
  if (comparison_ == "!=") return !equal && !std::isnan(left) && !std::isnan(right);
  if (comparison_ == "<=") return equal || left < right;
  if (comparison_ == ">=") return equal || left > right;
  return comparison_ == "<" ? left < right && !equal : left > right && !equal;
}

}  // namespace kml::sweep
