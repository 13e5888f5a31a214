#include "kml/kube/objects/selector.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"

namespace selector_test {

using namespace kml;
using namespace kml::api;

TEST_CASE("selector: equality, sets and existence of labels are understood") {
  Json labels = {{"app", "bert"}, {"tier", "test"}};
  const std::pair<const char*, bool> kCases[] = {
      {"", true},
      {"app=bert", true},
      {"app==bert", true},
      {"app=gpt", false},
      {"app!=gpt", true},
      {"gone!=x", true},
      {"app in (gpt, bert)", true},
      {"app notin (gpt)", true},
      {"app", true},
      {"gone", false},
      {"!gone", true},
      {"!app", false},
      {"app=bert,tier=prod", false},
      {"app in (bert),tier notin (prod,qa)", true},
  };
  for (auto& [text, matches] : kCases)
    CHECK_MESSAGE(LabelSelector::parse(text).matches(labels) == matches, text);
  for (const char* wrong : {"=x", "app in bert", "!app=x", "app > 3", ","})
    CHECK_THROWS_AS_MESSAGE(LabelSelector::parse(wrong), Error, wrong);
}

TEST_CASE("selector: matchLabels and matchExpressions are understood") {
  Json selector = {{"matchLabels", {{"a", "1"}}},
                   {"matchExpressions",
                    {{{"key", "b"}, {"operator", "NotIn"}, {"values", {"2"}}},
                     {{"key", "c"}, {"operator", "DoesNotExist"}}}}};
  CHECK(LabelSelector::from_json(selector).matches({{"a", "1"}, {"b", "3"}}));
  CHECK_FALSE(LabelSelector::from_json(selector).matches({{"a", "1"}, {"b", "2"}}));
  CHECK_FALSE(LabelSelector::from_json(selector).matches({{"a", "1"}, {"c", ""}}));
}

TEST_CASE("selector: a field selector selects by path") {
  Json pod = {{"metadata", {{"name", "p"}}}, {"status", {{"phase", "Running"}}}};
  CHECK(FieldSelector::parse("metadata.name=p,status.phase!=Failed").matches(pod));
  CHECK_FALSE(FieldSelector::parse("status.phase==Failed").matches(pod));
  CHECK(FieldSelector::parse("spec.nodeName=").matches(pod));
}

TEST_CASE("selector: a wrong selector is an error with an example of its kind") {
  const struct {
    const char* text;
    bool is_of_fields;
    const char* why;
  } kCases[] = {{"a in 1", false, "a list in parentheses must follow \"in\""},
                {"=a", false, "one of its terms has no key"},
                {"status.phase", true, "one of its terms has no operator"},
                {"=Failed", true, "one of its terms has no field"}};
  for (const auto& [text, is_of_fields, why] : kCases) {
    CAPTURE(text);
    try {
      if (is_of_fields)
        FieldSelector::parse(text);
      else
        LabelSelector::parse(text);
      FAIL("it was accepted");
    } catch (const Error& error) {
      CHECK(error.why == why);
      CHECK((error.fix.find("status.phase!=Failed") != std::string::npos) == is_of_fields);
    }
  }
}

}  // namespace selector_test
