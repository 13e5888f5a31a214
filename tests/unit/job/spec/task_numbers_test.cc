#include "kml/job/spec/task_numbers.h"

#include <doctest/doctest.h>

namespace task_numbers_test {

using kml::spec::TaskNumbers;

TEST_CASE("spec: a task's number gives its index, and the index gives the number") {
  const TaskNumbers numbers = std::get<TaskNumbers>(TaskNumbers::parse("3-7:2,20,10-12"));
  const int expected[] = {3, 5, 7, 20, 10, 11, 12};
  REQUIRE(numbers.count() == 7);
  for (int index = 0; index < 7; ++index) {
    CHECK(numbers.at(index) == expected[index]);
    CHECK(numbers.index_of(expected[index]) == index);
  }
  CHECK(!numbers.at(7));
  for (int other : {0, 4, 9, 13, 21}) CHECK(!numbers.index_of(other));
  CHECK(!numbers.are_indexes());
  CHECK(numbers.text() == "3-7:2,20-20:1,10-12:1");
  CHECK(std::get<TaskNumbers>(TaskNumbers::parse(numbers.text())).text() == numbers.text());
  CHECK(std::get<TaskNumbers>(TaskNumbers::parse("0-4")).are_indexes());
  for (const char* wrong :
       {"", "0-2147483647", "0-2147483648", "5-1", "1-2-3", "1:2:3", "1,1", "-1", "1-", ":2", "0-9:0"})
    CHECK_MESSAGE(std::holds_alternative<std::string>(TaskNumbers::parse(wrong)), wrong);
}

TEST_CASE("spec: the numbers of tasks are written for people in the short form that people type") {
  const std::pair<const char*, const char*> kRows[] = {
      {"3,7,11", "3,7,11"},      {"3-3:1,7-7:1", "3,7"}, {"0-9", "0-9"},
      {"9-12:1,2", "9-12,2"},    {"0-90:10", "0-90:10"}, {"0-95:10", "0-90:10"},
      {"5-6:3,20-21", "5,20-21"}};
  for (const auto& [typed, words] : kRows)
    CHECK(std::get<TaskNumbers>(TaskNumbers::parse(typed)).in_words() == words);
}

TEST_CASE("spec: a task in two ranges is found, however the ranges overlap") {
  struct Numbers {
    const char* text;
    const char* repeated;
  };
  for (const Numbers& numbers : {Numbers{"1-5,3", "3"},
                                 {"3,1-5", "3"},
                                 {"0-10:2,1-11:2", ""},
                                 {"0-90:10,5-95:10", ""},
                                 {"0-99998:2,1-99999:2", ""},
                                 {"0-12:4,6-30:6", "12"},
                                 {"0-8:4,6-30:6", ""},
                                 {"0-100:15,10-100:20", "30"},
                                 {"7-7:5,0-70:7", "7"},
                                 {"0-1,5-6,2-4", ""},
                                 {"0-1,5-6,1-4", "1"},
                                 {"8,0-3,8", "8"},
                                 {"0-2147483640:2147483640,5-10", ""}}) {
    CAPTURE(numbers.text);
    const auto parsed = TaskNumbers::parse(numbers.text);
    const auto* problem = std::get_if<std::string>(&parsed);
    CHECK((problem != nullptr) == (*numbers.repeated != '\0'));
    if (problem) CHECK(problem->ends_with("has task " + std::string(numbers.repeated) + " twice"));
  }
}

}  // namespace task_numbers_test
