#include <doctest/doctest.h>

#include <filesystem>
#include <random>

#include "kml/base/files.h"
#include "kml/base/yaml.h"
#include "kml/job/render/render.h"
#include "support/settings.h"

namespace mutation_test {

using namespace kml;
namespace fs = std::filesystem;

namespace {

constexpr int kMutationsPerFile = 150;

/// Tokens with a meaning in YAML and templates.
const std::vector<std::string> kTokens = {
    "$if: ",     "$then: ",    "$each: ",    "$do: ",
    "$splice: ", "${",         "}",          "$$",
    "&a ",       "*a",         "<<: ",       "!!int ",
    "!!binary ", "- ",         ": ",         "\n",
    "\n---\n",   "[",          "]",          "{",
    "}",         "\"",         "'",          "|\n",
    ">-\n",      "#",          "? ",         "%",
    "\t",        "\\x",        "\xff",       std::string(1, '\0'),
    "\r",        "~",          "1e999",      "-9223372036854775808",
    "spec",      "containers", "replicas: ", "\xef\xbb\xbf",
};

/// The text with a few pieces removed, repeated, moved or inserted.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (size_t edits = 1 + below(4); edits > 0; --edits) {
    const size_t at = below(text.size() + 1);
    const size_t length = std::min<size_t>(below(12), text.size() - at);
    switch (below(5)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, kTokens[below(kTokens.size())]); break;
      case 2: text.insert(below(text.size() + 1), text.substr(at, length)); break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 4: text.replace(at, length, kTokens[below(kTokens.size())]); break;
    }
  }
  return text;
}

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (const char* folder : {"templates", "tests/golden/yaml", "tests/golden/render/in"})
    for (const auto& entry : fs::directory_iterator(fs::path(KML_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".yaml") texts.push_back(read_file(entry.path()));
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// Runs a step that may reject its input only with an Error.
template <typename Function>
void may_refuse(Function function) {
  try {
    function();
  } catch (const Error&) {
  }
}

}  // namespace

TEST_CASE("mutations: random text is either read or rejected, and never crashes kml") {
  std::mt19937 random(20260101);
  const auto overlay = spec::parse_settings(flags({{"gpus", "a100:1"},
                                                   {"env", "A=1"},
                                                   {"mount", "pvc/a:/a"},
                                                   {"shm", "1Gi"},
                                                   {"label", "a=b"},
                                                   {"priority", "p"},
                                                   {"nodes", "2"},
                                                   {"queue", "q"},
                                                   {"node-selector", "a=b"},
                                                   {"pull-secret", "s"},
                                                   {"cpu", "1"}}),
                                            {"python", "train.py"});
  for (const std::string& seed : seeds())
    for (int i = 0; i < kMutationsPerFile; ++i) {
      const std::string text = mutated(seed, random);
      INFO(text);
      may_refuse([&] {
        for (const yaml::Node& document : yaml::parse(text, "f")) {
          const Json value = yaml::to_json(document, "f");
          CHECK(yaml::to_json(yaml::parse_one(yaml::to_yaml(value), "written"), "written") == value);
        }
      });
      may_refuse([&] { render::render(overlay, render::parse_template(text, "t", "f")); });
      may_refuse([&] { render::render(overlay, render::parse_manifests(text, "f")); });
    }
}

}  // namespace mutation_test
