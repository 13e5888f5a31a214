#include "tracking/runs/argument_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "kml/base/text.h"

namespace kml::tracking {

std::string attribute_of(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

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

bool means_arguments(std::string_view word) {
  constexpr std::array<std::string_view, 16> kEnds = {
      "args",   "argument", "arguments",  "config",   "configuration", "cfg",     "conf",     "hparams",
      "params", "options",  "parameters", "settings", "namespace",     "environ", "argparse", "flags"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return word.ends_with(end); });
}

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

bool is_name_of_cost(std::string_view name) {
  static const std::set<std::string, std::less<>> kCosts = {
      "time", "seconds", "runtime", "duration", "elapsed", "memory", "speed", "fps", "latency", "flops"};
  const std::vector<std::string> words = letter_words(name);
  return std::any_of(words.begin(), words.end(), [&](const auto& word) { return kCosts.contains(word); });
}

bool is_same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace kml::tracking
