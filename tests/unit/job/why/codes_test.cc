#include <doctest/doctest.h>

#include <set>
#include <string_view>

#include "job/why/objects.h"
#include "kml/job/why/cause.h"

namespace codes_test {

using namespace kml;
using namespace kml::test;

TEST_CASE("why: each cause has a different word, on which scripts can rely") {
  CHECK(text_of(CauseCode::none).empty());
  CHECK(text_of(CauseCode::suspended) == "suspended");
  CHECK(text_of(CauseCode::queue_too_large) == "queue-too-large");
  CHECK(text_of(CauseCode::out_of_memory) == "out-of-memory");
  CHECK(text_of(CauseCode::failed) == "failed");
  std::set<std::string_view> texts;
  for (const job::CauseInfo& info : job::cause_infos()) {
    INFO(info.text);
    CHECK(info.code != CauseCode::none);
    CHECK(texts.insert(info.text).second);
    CHECK(text_of(info.code) == info.text);
    CHECK(!info.meaning.empty());
    CHECK(job::make_cause(info.code, "", "").outlook == info.outlook);
  }
  CHECK(texts.size() == static_cast<size_t>(CauseCode::failed));
}

}  // namespace codes_test
