#include "kml/engine/journal/telling_line.h"

#include <doctest/doctest.h>

#include "kml/base/text.h"

namespace telling_line_test {

using namespace kml;

TEST_CASE("telling line: the exception after the last traceback is chosen, whatever its message looks like") {
  const std::string frame =
      "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    raise X\n";
  const std::pair<std::string, std::string> table[] = {
      {frame + "ValueError: bad config: {\n  'a': 1\n}", "ValueError: bad config: {"},
      {frame + "__main__.run.<locals>.Stop: x:\n{\n}\n\n", "__main__.run.<locals>.Stop: x:"},
      {frame + "KeyboardInterrupt", "KeyboardInterrupt"},
      {frame + "AssertionError\n", "AssertionError"},
      {frame + "ZeroDivisionError: division by zero\n\nThe above exception was the direct cause:\n\n" +
           frame + "RuntimeError: (\n    1\n)",
       "RuntimeError: ("},
      {"  File \"a.py\", line 1\n    x = = 1\n        ^\nSyntaxError: invalid syntax",
       "SyntaxError: invalid syntax"},
      {frame + "json.decoder.JSONDecodeError: Expecting value: line 1\nbye",
       "json.decoder.JSONDecodeError: Expecting value: line 1"},
      {"sh: 1: train: not found", "sh: 1: train: not found"},
      {"loss=1\n  }\n}\n", ""},
      {"{\n    \"parameters\": {}\n}", ""},
      {"[\n 1\n]", ""},
      {"total\n=====\n\n", ""},
      {"7", "7"},
      {"é", "é"},
      {"one\n\n  \n", "one"},
      {"", ""},
  };
  for (const auto& [lines, line] : table) {
    CAPTURE(lines);
    CHECK(engine::telling_line(split(lines, '\n')) == line);
  }
}

TEST_CASE("telling line: an exception that the program caught is not chosen") {
  const std::string caught =
      "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    raise X\nOSError: x\n";
  struct Row {
    std::string cause, lines, line;
  };
  const Row kRows[] = {{"exit code 2", caught + "training without it\n", "training without it"},
                       {"exit code 137 (as after signal 9)", caught + "step 7", "step 7"},
                       {"exit code 2", caught + "\n \n", "OSError: x"},
                       {"exit code 1", caught + "wandb: done", "OSError: x"},
                       {"reached its time limit", caught + "step 7", "OSError: x"},
                       {"", caught + "step 7", "OSError: x"}};
  for (const auto& [cause, lines, line] : kRows) {
    CAPTURE(cause);
    CHECK(engine::telling_line(split(lines, '\n'), cause) == line);
  }
}

}  // namespace telling_line_test
