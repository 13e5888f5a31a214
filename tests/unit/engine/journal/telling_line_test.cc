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
      {"loss=1\n  }\n}\n", "}"},
      {"one\n\n  \n", "one"},
      {"", ""},
  };
  for (const auto& [lines, line] : table) {
    CAPTURE(lines);
    CHECK(engine::telling_line(split(lines, '\n')) == line);
  }
}

}  // namespace telling_line_test
