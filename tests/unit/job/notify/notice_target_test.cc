#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "job/notify/notify.h"
#include "kml/base/files.h"
#include "net/s3/bucket_fixture.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace kml::job::notice_target_test {

TEST_CASE("notice target: Slack and desktops show a program's output as plain text") {
  const Notice notice{.job = "bert",
                      .namespace_name = "lab",
                      .context = "a&b",
                      .text = "job bert failed",
                      .why = "RuntimeError: <!channel> & <http://evil.test|here>"};
  const std::string shown =
      "job bert failed (a&amp;b/lab)\nRuntimeError: &lt;!channel&gt; &amp; &lt;http://evil.test|here&gt;";
  const auto no_variable = [](const std::string&) { return std::string(); };

  FakeTransport server;
  server.stub("POST", "/hook", {});
  NoticeTarget::parse("slack:https://hooks.test/hook", no_variable).send(notice, [&](const http::Endpoint&) {
    return std::make_unique<s3::LentTransport>(server);
  });
  CHECK(Json::parse(server.requests.at(0).body) == Json{{"text", shown}});

  const TemporaryFolder folder;
  const auto program = folder.path() / "notify-send";
  write_file_atomically(program,
                        "#!/bin/sh\nfor word; do last=$word; done\nprintf %s \"$last\" >\"$0.said\"\n", 0700);
  const EnvironmentVariable path("PATH", (folder.path().string() + ":" + std::getenv("PATH")).c_str());
  NoticeTarget::parse("desktop", no_variable).send(notice, {});
  CHECK(read_file(program.string() + ".said") == shown);
}

}  // namespace kml::job::notice_target_test
