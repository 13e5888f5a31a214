#include "run/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace trainer {

namespace {

[[noreturn]] void usage_error(const std::string& what, const std::string& why, const std::string& fix = "") {
  throw Error(what, why, fix.empty() ? "kml-trainer --help lists the flags" : fix, 2);
}

template <typename Number>
Number number(const std::string& flag, const std::string& text, Number least, Number most) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most)) {
    char range[80];
    snprintf(range, sizeof range, "from %.10g to %.10g", static_cast<double>(least),
             static_cast<double>(most));
    usage_error(
        "--" + flag + "=" + text,
        std::string("it takes a ") + (std::is_integral_v<Number> ? "whole number " : "number ") + range);
  }
  return value;
}

Device device(const std::string& text) {
  if (text == "cpu") return Device::cpu;
  if (text == "auto") return Device::automatic;
  if (text == "cuda") {
    usage_error("--device=cuda", "this kml-trainer was built without CUDA", "pass --device=cpu, or auto");
  }
  usage_error("--device=" + text, "it takes cpu, cuda or auto");
}

Verify verify(const std::string& text) {
  if (text == "auto") return Verify::automatic;
  if (text == "mnist") return Verify::mnist;
  if (text == "custom") return Verify::custom;
  usage_error("--verify=" + text, "it takes auto, mnist or custom");
}

bool single(const std::string& text) {
  if (text != "auto" && text != "single") usage_error("--launch=" + text, "it takes auto or single");
  return text == "single";
}

/// The parser, the help text and the suggestions all come from one table of these.
struct Flag {
  const char* name;
  const char* value;  ///< what it takes, for the help text; null: nothing
  const char* help;
  std::function<void(Options&, const std::string&)> set;
};

constexpr uint64_t kMany = 1'000'000'000;

const std::vector<Flag>& flags() {
  static const std::vector<Flag> table = {
      {"data", "DIR", "folder with the four IDX files (default: where get-mnist puts them)",
       [](Options& o, const std::string& v) { o.data = v; }},
      {"verify", "auto|mnist|custom",
       "auto: take MNIST, or data of the same form with a note, but no mixture of both (a damaged\n"
       "file); mnist: nothing but MNIST's own files, by md5; custom: anything of the right form",
       [](Options& o, const std::string& v) { o.verify = verify(v); }},
      {"max_steps", "N", "steps; each tenth evaluates instead of training (default 1000)",
       [](Options& o, const std::string& v) { o.max_steps = number<uint64_t>("max_steps", v, 0, kMany); }},
      {"learning_rate", "X", "Adam's learning rate (default 0.001)",
       [](Options& o, const std::string& v) {
         o.learning_rate = number<float>("learning_rate", v, 0.0f, 1e30f);
       }},
      {"dropout", "KEEP",
       "probability to KEEP a hidden value in training, as in the TensorFlow demo: 0.9 drops a tenth,\n"
       "1 switches dropout off (default 0.9)",
       [](Options& o, const std::string& v) { o.keep = number<float>("dropout", v, 0.001f, 1.0f); }},
      {"batch-size", "N", "examples an update (default 100)",
       [](Options& o, const std::string& v) { o.batch_size = number<uint32_t>("batch-size", v, 1, 65535); }},
      {"hidden", "N", "hidden units (default 500)",
       [](Options& o, const std::string& v) { o.hidden = number<uint32_t>("hidden", v, 1, 65536); }},
      {"seed", "N", "seed of weights, order and dropout (default 1)",
       [](Options& o, const std::string& v) {
         o.seed = number<uint64_t>("seed", v, 0, std::numeric_limits<uint64_t>::max());
       }},
      {"device", "cpu|cuda|auto", "where to compute (default auto)",
       [](Options& o, const std::string& v) { o.device = device(v); }},
      {"threads", "N",
       "CPU threads (default: all CPUs that this process may use); results are the same for any N",
       [](Options& o, const std::string& v) { o.threads = number<unsigned>("threads", v, 1, 1024); }},
      {"launch", "auto|single",
       "auto: rank and number of ranks as the environment says (torchrun, operators, mpirun); single: alone\n"
       "(default auto)",
       [](Options& o, const std::string& v) { o.single = single(v); }},
      {"fast", nullptr,
       "sum gradients around a ring: any number of ranks, but other last bits with another number; else up\n"
       "to 8 ranks give the same bits as one",
       [](Options& o, const std::string&) { o.fast = true; }},
      {"meeting-timeout", "SECONDS", "how long ranks look for each other (default 600)",
       [](Options& o, const std::string& v) {
         o.meeting_timeout = number<uint32_t>("meeting-timeout", v, 1, 86400);
       }},
      {"checkpoint-dir", "DIR", "keep checkpoints there, and resume from the newest (default: none)",
       [](Options& o, const std::string& v) { o.checkpoint_dir = v; }},
      {"checkpoint-every", "N", "steps between checkpoints; 0: at the end and on SIGTERM only (default 100)",
       [](Options& o, const std::string& v) {
         o.checkpoint_every = number<uint64_t>("checkpoint-every", v, 0, kMany);
       }},
      {"metrics", "FILE", "append JSON lines to FILE; - is stdout (default: none)",
       [](Options& o, const std::string& v) { o.metrics = v; }},
      {"help", nullptr, "show this and exit", [](Options& o, const std::string&) { o.help = true; }},
      {"version", nullptr, "show the version and exit",
       [](Options& o, const std::string&) { o.version = true; }},
  };
  return table;
}

std::string with_dashes(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

const Flag& find_flag(const std::string& name) {
  const std::string wanted = with_dashes(name);
  const auto& table = flags();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Flag& flag) { return with_dashes(flag.name) == wanted; });
  if (found != table.end()) return *found;
  const auto distance = [&](const Flag& flag) { return edit_distance(wanted, with_dashes(flag.name)); };
  const auto nearest = std::min_element(
      table.begin(), table.end(), [&](const Flag& a, const Flag& b) { return distance(a) < distance(b); });
  usage_error("unknown flag --" + name, "there is none of that name",
              distance(*nearest) <= 2 + wanted.size() / 4
                  ? std::string("did you mean --") + nearest->name + "?"
                  : "");
}

}  // namespace

Options parse_options(std::span<const char* const> arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (!argument.starts_with("--") || argument.size() == 2) {
      usage_error("unexpected argument " + argument, "kml-trainer takes flags only");
    }
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Flag& flag = find_flag(name);
    std::string value;
    if (flag.value && equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (flag.value) {
      if (++i == arguments.size()) usage_error("--" + name, std::string("a value is missing: ") + flag.value);
      value = arguments[i];
    } else if (equals != std::string::npos) {
      usage_error(argument, "--" + name + " takes no value");
    }
    flag.set(options, value);
  }
  return options;
}

std::string help_text() {
  std::string text =
      "Usage: kml-trainer [FLAG]...\n"
      "Trains the network of TensorFlow's mnist_with_summaries demo, and prints \"Accuracy at step N: A\" "
      "every ten\n"
      "steps. Stops with a checkpoint and exit status 143 on SIGTERM, and resumes from it to the same "
      "bits.\n\n";
  for (const Flag& flag : flags()) {
    text += std::string("  --") + flag.name + (flag.value ? std::string(" ") + flag.value : "") + "\n      ";
    for (const char* c = flag.help; *c; ++c)
      text += *c == '\n' ? std::string("\n      ") : std::string(1, *c);
    text += "\n";
  }
  return text +
         "\nIn names of flags - and _ are the same; --name value and --name=value too.\n"
         "Exit status: 0 done, 1 error, 2 wrong usage, 143 stopped by SIGTERM, 130 by SIGINT,\n"
         "138 another rank was stopped or lost, or the ranks did not meet: start all again.\n";
}

}  // namespace trainer
