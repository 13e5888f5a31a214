#include "tracking/runs/printed_arguments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <set>

#include "kml/base/clean.h"
#include "kml/base/pattern.h"
#include "kml/base/text.h"
#include "kml/job/logs/metric_line.h"

namespace kml::tracking {

namespace {

/// The name with "_" in place of "-", as argparse names its attributes.
std::string attribute_of(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

bool is_same_name(std::string_view a, std::string_view b) {
  const auto is_end_of = [](std::string_view end, std::string_view whole) {
    return whole.size() > end.size() && whole.ends_with(end) && whole[whole.size() - end.size() - 1] == '.';
  };
  return a == b || is_end_of(a, b) || is_end_of(b, a);  // "lr" of "optim.lr"
}

/// The words in the text that consist of letters, in lower case.
std::vector<std::string> letter_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : lower(text) + " ")
    if (std::isalpha(static_cast<unsigned char>(c)))
      word += c;
    else if (!word.empty())
      words.push_back(std::exchange(word, {}));
  return words;
}

/// Whether the word stands for arguments: "args" or "TrainingArguments".
bool means_arguments(std::string_view word) {
  constexpr std::array<std::string_view, 16> kEnds = {
      "args",   "argument", "arguments",  "config",   "configuration", "cfg",     "conf",     "hparams",
      "params", "options",  "parameters", "settings", "namespace",     "environ", "argparse", "flags"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return word.ends_with(end); });
}

/// Whether one of the last two words stands for arguments: "Config loaded:".
bool names_arguments(std::string_view text) {
  const std::vector<std::string> words = letter_words(text);
  const auto begin = words.end() - std::min<std::ptrdiff_t>(std::ssize(words), 2);
  return std::any_of(begin, words.end(), means_arguments);
}

bool is_name_of_result(std::string_view name) {
  static const std::set<std::string, std::less<>> kResults = {
      "acc",     "accuracy",  "auc",     "bleu", "cer",   "corr",       "dice", "elbo",   "err",
      "error",   "f",         "fid",     "iou",  "kl",    "loss",       "mae",  "map",    "mape",
      "mse",     "nll",       "ppl",     "psnr", "rmse",  "perplexity", "r",    "recall", "return",
      "returns", "reward",    "rewards", "roc",  "rouge", "score",      "ssim", "wer",    "precision",
      "fitness", "objective", "auroc",   "mrr",  "ndcg",  "throughput", "gap",  "regret", "likelihood"};
  const std::vector<std::string> words = letter_words(name);
  return std::any_of(words.begin(), words.end(), [&](const auto& word) { return kResults.contains(word); });
}

/// Whether the name is never used for a result.
bool is_name_of_hyperparameter(std::string_view name) {
  static const std::set<std::string, std::less<>> kNames = {"adam_beta1",    "adam_beta2",
                                                            "batch_size",    "beta1",
                                                            "beta2",         "bs",
                                                            "d_model",       "dim",
                                                            "dropout",       "dropout_rate",
                                                            "embed_dim",     "epochs",
                                                            "gamma",         "heads",
                                                            "hidden",        "hidden_dim",
                                                            "hidden_size",   "layers",
                                                            "learning_rate", "lr",
                                                            "max_epochs",    "max_steps",
                                                            "momentum",      "n_epochs",
                                                            "n_heads",       "n_layers",
                                                            "num_epochs",    "num_heads",
                                                            "num_layers",    "num_train_epochs",
                                                            "num_workers",   "random_seed",
                                                            "seed",          "train_batch_size",
                                                            "warmup",        "warmup_ratio",
                                                            "warmup_steps",  "wd",
                                                            "weight_decay",  "workers"};
  return kNames.contains(attribute_of(lower(name.substr(name.rfind('.') + 1))));
}

/// The line without a logger's prefix (time, level and name), if only "lr=0.1" or "lr: 0.1" is left.
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

/// Whether the values are probably arguments, whatever the command contains. For example, a program that only
/// has defaults may print(vars(args)).
bool has_hyperparameters(const PrintedArguments::Members& members) {
  std::set<std::string_view> found;
  for (const auto& [name, value] : members) {
    if (is_name_of_result(name)) return false;
    if (is_name_of_hyperparameter(name)) found.insert(name);
  }
  return found.size() > 1;
}

}  // namespace

PrintedArguments::PrintedArguments(const std::map<std::string, Json>& arguments) {
  for (const auto& [name, value] : arguments) arguments_[attribute_of(name)] = value;
}

const Json* PrintedArguments::argument(std::string_view name) const {
  const std::string wanted = attribute_of(name);
  const auto found = std::find_if(arguments_.begin(), arguments_.end(),
                                  [&](const auto& each) { return is_same_name(each.first, wanted); });
  return found == arguments_.end() ? nullptr : &found->second;
}

bool PrintedArguments::is_argument(const std::string& name, double value) const {
  const Json* known = argument(name);
  return known && known->is_number() && known->get<double>() == value;
}

void PrintedArguments::add(Dict& dict, std::string_view text, size_t number, const Members& metrics) {
  dict.lines.last = number;
  dict.members.insert(dict.members.end(), metrics.begin(), metrics.end());
  dict.text.append(text).append("\n");
}

void PrintedArguments::close() {
  if (open_ && (open_->form != Form::lines || open_->is_named || open_->members.size() > 1))
    dicts_.push_back(std::move(*open_));
  open_.reset();
}

void PrintedArguments::read(std::string_view line, size_t number, const Members& metrics) {
  constexpr size_t kMostLines = 500;
  if (!metrics.empty()) last_value_ = number;
  const std::string plain = without_colours(line);
  const std::string_view text = trim(plain);
  if (open_ && open_->form != Form::lines) {
    add(*open_, text, number, metrics);
    open_->depth += balance(text);
    if (open_->depth <= 0)
      close();
    else if (number - open_->lines.first > kMostLines)
      open_.reset();
    return;
  }
  if (read_pair(without_log_prefix(plain), number, metrics)) return;
  // Whether the previous line has the name
  const bool is_named = open_ && open_->is_named && open_->members.empty();
  close();
  read_bracket(text, number, metrics, is_named);
  read_inner(text, number, metrics);
  if (!open_ && metrics.empty() && text.ends_with(':') && names_arguments(text))
    open_ = {.form = Form::lines, .lines = {number, number}, .is_named = true};
}

/// Reads a line of YAML, or one of several lines that each print one argument.
bool PrintedArguments::read_pair(std::string_view line, size_t number, const Members& metrics) {
  const std::string_view text = trim(line);
  const std::string_view sign = sign_of_pair(text);
  const bool is_result = std::any_of(metrics.begin(), metrics.end(),
                                     [](const auto& metric) { return is_name_of_result(metric.first); });
  if (sign.empty() || metrics.size() > 1 || is_result || text.find_first_of("{(") != text.npos) return false;
  const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
  const bool goes_on = open_ && (open_->sign.empty() || open_->sign == sign) &&
                       (is_indented || !open_->is_indented.value_or(false));
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
  if (at == text.npos) {
    const auto is_usual = [](const auto& metric) { return is_name_of_hyperparameter(metric.first); };
    if (metrics.size() > 1 && std::all_of(metrics.begin(), metrics.end(), is_usual))
      dicts_.push_back({.form = Form::line, .lines = {number, number}, .members = metrics});
    return;
  }
  Dict dict{.form = form, .lines = {number, number}};
  dict.is_named = is_named || form == Form::object || names_arguments(text.substr(0, at));
  dict.depth = balance(text.substr(at));
  add(dict, text, number, metrics);
  if (dict.depth > 0 || text.ends_with('}') || text.ends_with(')')) open_ = std::move(dict);
  if (open_ && open_->depth <= 0) close();
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
    if (!value.is_number())
      return contains(dict.text, name) &&
             (!value.is_string() || contains(dict.text, value.template get<std::string>()));
    return std::any_of(dict.members.begin(), dict.members.end(), [&](const auto& member) {
      return is_same_name(attribute_of(member.first), name) && value.template get<double>() == member.second;
    });
  };
  const auto is_of_command = [](const auto& argument) { return !argument.first.starts_with("env."); };
  return std::any_of(arguments_.begin(), arguments_.end(), is_of_command) &&
         std::all_of(arguments_.begin(), arguments_.end(), has);
}

bool PrintedArguments::is_of_arguments(const Dict& dict, const HasOther& has_other) const {
  if (dict.is_named) return true;
  if (dict.form == Form::line) return false;
  const auto is_constant = [&](const auto& member) {
    return argument(member.first) || !has_other(member.first, member.second, dict.lines);
  };
  return dict.lines.last < last_value_ && has_all_arguments(dict) &&
         std::all_of(dict.members.begin(), dict.members.end(), is_constant);
}

void PrintedArguments::each_printed(
    const HasOther& has_other,
    const std::function<void(const std::string& name, Lines lines)>& leave_out) const {
  std::vector<const Dict*> all;
  for (const Dict& dict : dicts_) all.push_back(&dict);
  if (open_ && open_->form == Form::lines) all.push_back(&*open_);
  const auto printed = std::stable_partition(
      all.begin(), all.end(), [&](const Dict* dict) { return is_of_arguments(*dict, has_other); });
  for (auto dict = all.begin(); dict != all.end(); ++dict) {
    const auto is_same = [&](const Dict* other) { return other->members == (*dict)->members; };
    if (dict >= printed && std::none_of(all.begin(), printed, is_same)) {
      if (!has_hyperparameters((*dict)->members)) continue;
      for (const auto& [name, value] : (*dict)->members)
        if (is_name_of_hyperparameter(name) && !has_other(name, value, (*dict)->lines))
          leave_out(name, (*dict)->lines);
      continue;
    }
    for (const auto& [name, value] : (*dict)->members)
      if ((*dict)->form == Form::object || is_argument(name, value) || !is_name_of_result(name))
        leave_out(name, (*dict)->lines);
  }
}

}  // namespace kml::tracking
