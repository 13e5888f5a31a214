#include "cli/man_page.h"

#include <doctest/doctest.h>

#include "cli/command.h"
#include "cli/context.h"

namespace man_page_test {

using namespace kml::cli;

TEST_CASE("man page: a page does not refer to itself") {
  GlobalOptions options;
  bool any_refers_to_submit = false;
  for (const ManPage& page : man_pages(command_tree(options))) {
    const std::string name = page.file.substr(0, page.file.find('.'));
    CAPTURE(name);
    std::string own = name;
    for (size_t at = 0; (at = own.find('-', at)) != std::string::npos; at += 2) own.insert(at, 1, '\\');
    if (name != "kml") CHECK(page.text.find(own + "(1)") == std::string::npos);
    any_refers_to_submit |= page.text.find("\"Data\" in kml\\-submit(1)") != std::string::npos;
  }
  CHECK(any_refers_to_submit);
}

}  // namespace man_page_test
