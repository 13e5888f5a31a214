#include "kml/net/s3/client.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "net/s3/bucket_fixture.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace s3_client_test {

using namespace kml;
using namespace kml::s3;
using Stub = FakeTransport::Stub;

namespace {

/// A bucket whose key is in a profile, independent of the machine's environment.
struct Fixture : BucketFixture {
  EnvironmentVariable key{"AWS_ACCESS_KEY_ID", nullptr}, secret{"AWS_SECRET_ACCESS_KEY", nullptr},
      identity{"AWS_WEB_IDENTITY_TOKEN_FILE", nullptr};
};

Stub fault(int status, const std::string& code, const std::string& more = "") {
  return {.status = status,
          .pieces = {"<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>no &amp; no</Message>" +
                     more + "</Error>"}};
}

Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  return usage_error("");
}

}  // namespace

TEST_CASE("s3 client: keys follow the bucket's prefix, with the bucket in the host") {
  Fixture fixture;
  Client client = fixture.client();
  fixture.server.stub(
      "HEAD", "/team/a%20b/c",
      {.headers = {{"content-length", "12"}, {"last-modified", "Wed, 25 Nov 2026 07:50:10 GMT"}}});
  fixture.server.stub("HEAD", "/team/none", {.status = 404});
  const auto found = client.look(std::vector<std::string>{"a b/c", "none"});
  REQUIRE(found[0]);
  CHECK(found[0]->size == 12);
  CHECK(rfc3339(found[0]->modified) == "2026-11-25T07:50:10Z");
  CHECK(!found[1]);
  CHECK(fixture.endpoints.at(0).url == "https://data.s3.eu-west-1.amazonaws.com");
  CHECK(header_of(fixture.server.requests.at(0), "Host") == "data.s3.eu-west-1.amazonaws.com");
  CHECK(header_of(fixture.server.requests.at(0), "Authorization").find("Credential=AKID/") !=
        std::string::npos);
}

TEST_CASE("s3 client: a request that a busy server rejects is repeated, with growing delays") {
  Fixture fixture;
  Client client = fixture.client();
  fixture.server.stub("PUT", "/team/x", fault(503, "SlowDown"));
  fixture.server.stub("PUT", "/team/x", FakeTransport::break_connection());
  fixture.server.stub("PUT", "/team/x", {});
  fixture.server.stub("PUT", "/team/y", {});
  client.write({{"x", "bytes"}, {"y", "more"}});
  CHECK(fixture.server.requests.size() == 4);
  CHECK(fixture.server.requests.back().body == "bytes");
  REQUIRE(fixture.pauses.size() == 2);
  CHECK(fixture.pauses[0].count() >= 100);
  CHECK(fixture.pauses[1].count() >= 200);
}

TEST_CASE("s3 client: a server that stays busy is an error after several attempts") {
  Fixture fixture;
  Client client = fixture.client();
  for (int i = 0; i < 8; ++i) fixture.server.stub("GET", "/team/x", fault(503, "SlowDown"));
  const Error error = error_of([&] { client.read("x"); });
  CHECK(error.code == ErrorCode::unreachable);
  CHECK(error.message == "S3 could not read s3://data/team/x (503 SlowDown)");
}

TEST_CASE("s3 client: once a server names another region, that region is used") {
  Fixture fixture;
  Client client = fixture.client();
  fixture.server.stub("GET", "/team/x", {.status = 301, .headers = {{"x-amz-bucket-region", "us-west-2"}}});
  fixture.server.stub("GET", "/team/y",
                      fault(400, "AuthorizationHeaderMalformed", "<Region>us-west-2</Region>"));
  fixture.server.stub("GET", "/team/x", {.pieces = {"one"}});
  fixture.server.stub("GET", "/team/y", {.pieces = {"two"}});
  std::vector<std::string> contents(2);
  client.read(std::vector<std::string>{"x", "y"},
              [&](size_t i, std::optional<std::string> content) { contents[i] = content.value(); });
  CHECK(contents == std::vector<std::string>{"one", "two"});
  CHECK(fixture.pauses.empty());
  CHECK(fixture.endpoints.back().url == "https://data.s3.us-west-2.amazonaws.com");
  CHECK(header_of(fixture.server.requests.back(), "Authorization").find("/us-west-2/s3/") !=
        std::string::npos);
}

TEST_CASE("s3 client: an error names the key and the right that is missing") {
  Fixture fixture;
  Client client = fixture.client();
  fixture.server.stub("PUT", "/team/x", fault(403, "AccessDenied"));
  Error error = error_of([&] { client.write({{"x", ""}}); });
  CHECK(error.code == ErrorCode::auth);
  CHECK(error.message == "S3 could not write s3://data/team/x (403 AccessDenied)");
  CHECK(error.why ==
        "access key AKID (from profile dev of ~/.aws/credentials) is not allowed to do s3:PutObject");

  fixture.server.stub("GET", "/", fault(404, "NoSuchBucket"));
  error = error_of([&] { client.list("v1/"); });
  CHECK(error.code == ErrorCode::usage);
  CHECK(error.message == "no bucket data at https://data.s3.eu-west-1.amazonaws.com");

  Stub skewed = fault(403, "RequestTimeTooSkewed");
  skewed.headers = {{"date", "Wed, 25 Nov 2026 07:50:10 GMT"}};
  fixture.server.stub("GET", "/team/x", skewed);
  error = error_of([&] { client.read("x"); });
  CHECK(error.why ==
        "this machine's clock differs too much from the server's, which shows Wed, 25 Nov 2026 07:50:10 GMT");
  CHECK(error.fix == "set the clock: timedatectl set-ntp true");

  // This 404 is not about a missing object.
  fixture.server.stub("GET", "/team/x", fault(404, "XAdminUserNotFound"));
  CHECK(error_of([&] { client.read("x"); }).why.starts_with("unknown access key AKID"));
  fixture.server.stub("GET", "/team/x", fault(403, "InvalidAccessKeyId"));
  CHECK(error_of([&] { client.read("x"); }).why.starts_with("unknown access key AKID"));
  fixture.server.stub("GET", "/team/x", fault(403, "SignatureDoesNotMatch"));
  CHECK(error_of([&] { client.read("x"); }).why.starts_with("the secret is wrong for access key AKID"));
}

TEST_CASE("s3 client: an entry is written only if it does not exist yet") {
  Fixture fixture;
  Client client = fixture.client();
  fixture.server.stub("PUT", "/team/x", {});
  CHECK(client.write_new("x", "1"));
  CHECK(header_of(fixture.server.requests.back(), "If-None-Match") == "*");
  fixture.server.stub("PUT", "/team/x", fault(412, "PreconditionFailed"));
  CHECK(!client.write_new("x", "1"));
  // A server that does not know the condition.
  fixture.server.stub("PUT", "/team/x", fault(501, "NotImplemented"));
  fixture.server.stub("HEAD", "/team/x", {.status = 404});
  fixture.server.stub("PUT", "/team/x", {});
  CHECK(client.write_new("x", "1"));
}

TEST_CASE("s3 client: a list is read to its last page") {
  Fixture fixture;
  Client client = fixture.client();
  const std::string page = "/?encoding-type=url&list-type=2&prefix=team%2Fac%2F";
  fixture.server.stub(
      "GET", page,
      {.pieces = {"<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a/b=</"
                  "NextContinuationToken><Contents><Key>team/ac/z%2F</Key><Size>3</Size>"
                  "<LastModified>2026-01-02T03:04:05.000Z</LastModified></Contents></ListBucketResult>"}});
  fixture.server.stub(
      "GET", "/?continuation-token=a%2Fb%3D&encoding-type=url&list-type=2&prefix=team%2Fac%2F",
      {.pieces = {
           "<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType><Contents>"
           "<Key>team/ac/a%2520b</Key><Size>0</Size></Contents></ListBucketResult>"}});
  const std::vector<Object> objects = client.list("ac/");
  REQUIRE(objects.size() == 2);
  CHECK(objects[0].key == "ac/a%20b");
  CHECK(objects[1].key == "ac/z%2F");  // a server that does not encode keys
  CHECK(objects[1].size == 3);
  CHECK(rfc3339(objects[1].modified) == "2026-01-02T03:04:05Z");
}

TEST_CASE("s3 client: a list from something that is not a bucket is an error") {
  struct Row {
    std::string entries, message, why;
  };
  std::string many;
  for (int i = 0; i < 10'001; ++i) many += "<Contents><Key>team/a</Key></Contents>";
  for (const Row& row :
       {Row{many, "the list of s3://data/team is too large", "a page has more than 10000 objects"},
        Row{"<Contents><Key>x</Key></Contents>", "cannot read the list of s3://data/team",
            "it contains an object with another prefix: x"},
        Row{"<IsTruncated>true</IsTruncated>", "cannot read the list of s3://data/team",
            "the server does not say where the list continues"}}) {
    CAPTURE(row.why);
    Fixture fixture;
    Client client = fixture.client();
    fixture.server.stub("GET", "/", {.pieces = {"<ListBucketResult>" + row.entries + "</ListBucketResult>"}});
    const Error error = error_of([&] { client.list(""); });
    CHECK(error.message == row.message);
    CHECK(error.why == row.why);
  }
}

TEST_CASE("s3 client: an incomplete list is an error, not an empty bucket") {
  for (const char* body :
       {"", "{}", "<html>Sign in</html>", "<ListBucketResult><Contents><Key>team/a</Key></Con",
        "<ListAllMyBucketsResult></ListAllMyBucketsResult>"}) {
    CAPTURE(body);
    Fixture fixture;
    Client client = fixture.client();
    fixture.server.stub("GET", "/", {.pieces = {body}});
    const Error error = error_of([&] { client.list(""); });
    CHECK(error.code == ErrorCode::unreachable);
    CHECK(error.message == "cannot read the list of s3://data/team");
  }
}

TEST_CASE("s3 client: a web page is not an answer, so nothing was written, removed or found") {
  Fixture fixture;
  Client client = fixture.client();
  const Stub page{.pieces = {"<html>Sign in</html>"}, .headers = {{"content-type", "text/html"}}};
  const std::vector<std::string> keys{"x"};
  const auto refuses = [&](const char* method, const std::function<void()>& call) {
    CAPTURE(method);
    fixture.server.stub(method, "/team/x", page);
    CHECK(error_of(call).code == ErrorCode::unreachable);
  };
  refuses("PUT", [&] { client.write({{"x", "1"}}); });
  refuses("PUT", [&] { client.write_new("x", "1"); });
  refuses("HEAD", [&] { client.look("x"); });
  refuses("GET", [&] { client.read("x"); });
  refuses("DELETE", [&] { client.remove(keys); });
}

TEST_CASE("s3 client: an expired key is read again once, as a tool may have renewed it") {
  Fixture fixture;
  const TemporaryFolder folder;
  const EnvironmentVariable config{"AWS_CONFIG_FILE", (folder.path() / "none").c_str()},
      keys{"AWS_SHARED_CREDENTIALS_FILE", (folder.path() / "keys").c_str()}, profile{"AWS_PROFILE", "dev"};
  Client client = fixture.client();
  write_file_atomically(folder.path() / "keys",
                        "[dev]\naws_access_key_id = NEW\naws_secret_access_key = s\n");
  fixture.server.stub("GET", "/team/x", fault(400, "ExpiredToken"));
  fixture.server.stub("GET", "/team/y", fault(403, "ExpiredTokenException"));
  fixture.server.stub("GET", "/team/x", {.pieces = {"one"}});
  fixture.server.stub("GET", "/team/y", {.pieces = {"two"}});
  std::vector<std::string> contents(2);
  client.read(std::vector<std::string>{"x", "y"},
              [&](size_t i, std::optional<std::string> content) { contents[i] = content.value(); });
  CHECK(contents == std::vector<std::string>{"one", "two"});
  CHECK(header_of(fixture.server.requests.front(), "Authorization").find("Credential=AKID/") !=
        std::string::npos);
  CHECK(header_of(fixture.server.requests.back(), "Authorization").find("Credential=NEW/") !=
        std::string::npos);
  for (int i = 0; i < 2; ++i) fixture.server.stub("GET", "/team/x", fault(400, "ExpiredToken"));
  const Error error = error_of([&] { client.read("x"); });
  CHECK(error.code == ErrorCode::auth);
  CHECK(error.why == "access key NEW (from profile dev of ~/.aws/credentials) has expired");
}

TEST_CASE("s3 client: each reason to reject a key has a separate explanation") {
  const struct {
    int status;
    const char *code, *why;
    bool is_read_again;
  } kCases[] = {
      {400, "ExpiredToken", "access key AKID (from profile dev of ~/.aws/credentials) has expired", true},
      {403, "ExpiredTokenException", "access key AKID (from profile dev", true},
      {400, "InvalidToken", "the session token is wrong for access key AKID", true},
      {403, "InvalidAccessKeyId", "unknown access key AKID", false},
      {403, "SignatureDoesNotMatch", "the secret is wrong for access key AKID", false},
      {403, "AccessDenied", "access key AKID (from profile dev of ~/.aws/credentials) is not allowed",
       false}};
  const TemporaryFolder folder;
  const EnvironmentVariable config{"AWS_CONFIG_FILE", (folder.path() / "none").c_str()},
      keys{"AWS_SHARED_CREDENTIALS_FILE", (folder.path() / "keys").c_str()}, profile{"AWS_PROFILE", "dev"};
  write_file_atomically(folder.path() / "keys",
                        "[dev]\naws_access_key_id = AKID\naws_secret_access_key = s\n");
  for (const auto& [status, code, why, is_read_again] : kCases) {
    CAPTURE(code);
    Fixture fixture;
    Client client = fixture.client();
    for (int i = 0; i < (is_read_again ? 2 : 1); ++i)
      fixture.server.stub("GET", "/team/x", fault(status, code));
    const Error error = error_of([&] { client.read("x"); });
    CHECK(error.code == ErrorCode::auth);
    CHECK(error.why.starts_with(why));
  }
}

TEST_CASE("s3 client: a large file is uploaded in parts, which are removed if one fails") {
  Fixture fixture;
  Client client = fixture.client();
  const TemporaryFolder folder;
  const size_t size = (size_t{8} << 20) + 5;
  write_file_atomically(folder.path() / "large", std::string(size, 'x'));
  const Stub begun{.pieces = {"<R><UploadId>u/1</UploadId></R>"}};
  fixture.server.stub("POST", "/team/large?uploads=", begun);
  fixture.server.stub("PUT", "/team/large?partNumber=1&uploadId=u%2F1", {.headers = {{"etag", "\"one\""}}});
  fixture.server.stub("PUT", "/team/large?partNumber=2&uploadId=u%2F1", {.headers = {{"etag", "\"two\""}}});
  fixture.server.stub("POST", "/team/large?uploadId=u%2F1", {.pieces = {"<R><ETag>all</ETag></R>"}});
  client.send_file("large", folder.path() / "large", size);
  CHECK(fixture.server.requests[2].body.size() == 5);
  CHECK(fixture.server.requests.back().body ==
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"one\"</ETag></Part>"
        "<Part><PartNumber>2</PartNumber><ETag>\"two\"</ETag></Part></CompleteMultipartUpload>");

  fixture.server.stub("POST", "/team/large?uploads=", begun);
  fixture.server.stub("PUT", "/team/large?partNumber=1&uploadId=u%2F1", {});
  fixture.server.stub("PUT", "/team/large?partNumber=2&uploadId=u%2F1", fault(403, "AccessDenied"));
  fixture.server.stub("DELETE", "/team/large?uploadId=u%2F1", {.status = 204});
  CHECK(error_of([&] { client.send_file("large", folder.path() / "large", size); }).code == ErrorCode::auth);
  // A response with status 200 can still be an error, because S3 sends the status early while it assembles
  // the parts.
  fixture.server.stub("POST", "/team/large?uploads=", begun);
  fixture.server.stub("PUT", "/team/large", {});
  fixture.server.stub("PUT", "/team/large", {});
  fixture.server.stub("POST", "/team/large?uploadId=u%2F1", fault(200, "InternalError"));
  fixture.server.stub("DELETE", "/team/large?uploadId=u%2F1", {.status = 204});
  CHECK(error_of([&] { client.send_file("large", folder.path() / "large", size); }).reason ==
        "InternalError");
}

TEST_CASE("s3 client: an object's age is reset by a copy onto itself, if the server allows that") {
  Fixture fixture;
  Client client = fixture.client();
  const Object object{"a b", 3, *parse_rfc3339("2026-11-01T00:00:00Z")};
  const auto copied = [](const char* time) {
    return Stub{.pieces = {std::string("<R><LastModified>") + time + "</LastModified></R>"}};
  };
  fixture.server.stub("PUT", "/team/a%20b", copied("2026-11-25T07:50:10.000Z"));
  CHECK(client.touch(object));
  CHECK(header_of(fixture.server.requests.back(), "X-Amz-Copy-Source") == "/data/team/a%20b");
  fixture.server.stub("PUT", "/team/a%20b", copied("2026-11-01T00:00:00.000Z"));
  CHECK(!client.touch(object));
  fixture.server.stub("PUT", "/team/a%20b", fault(200, "InternalError"));
  CHECK(error_of([&] { client.touch(object); }).reason == "InternalError");
}

TEST_CASE("s3 client: a piece whose connection breaks is requested again") {
  Fixture fixture;
  Client client = fixture.client();
  const TemporaryFolder folder;
  const Fd file(::open((folder.path() / "got").c_str(), O_WRONLY | O_CREAT, 0600));
  const size_t first = size_t{8} << 20;
  fixture.server.stub("GET", "/team/large", {.status = 206, .pieces = {std::string(first, 'a')}});
  fixture.server.stub("GET", "/team/large", FakeTransport::break_connection());
  fixture.server.stub("GET", "/team/large", {.status = 206, .pieces = {"end"}});
  client.get_file("large", first + 3, file.get());
  CHECK(header_of(fixture.server.requests.back(), "Range") == "bytes=8388608-8388610");
  const std::string got = read_file(folder.path() / "got");
  CHECK(got.size() == first + 3);
  CHECK(got.ends_with("aaend"));

  fixture.server.stub("GET", "/team/large", {.status = 404});
  CHECK(error_of([&] { client.get_file("large", 3, file.get()); }).reason == kObjectGone);
  fixture.server.stub("GET", "/team/large", {.status = 206, .pieces = {"toolong"}});
  CHECK(error_of([&] { client.get_file("large", 3, file.get()); }).reason == kObjectGone);
}

TEST_CASE("s3 client: a download that was killed continues after the pieces that are certainly complete") {
  const size_t round = size_t{32} << 20;  // the pieces that are transferred at the same time
  const std::vector<std::pair<size_t, size_t>> rows = {
      {0, 0}, {1, 0}, {round - 1, 0}, {round, 0}, {round + 1, round}, {round + 8, round}, {round + 9, round}};
  for (const auto& [written, kept] : rows) {
    CAPTURE(written);
    Fixture fixture;
    Client client = fixture.client();
    const TemporaryFolder folder;
    const Fd file(::open((folder.path() / "got").c_str(), O_WRONLY | O_CREAT, 0600));
    CHECK(write_whole(file.get(), std::string(std::min(written, round), 'a') +
                                      std::string(written - std::min(written, round), '?')));
    if (kept == 0)
      for (int i = 0; i < 4; ++i)
        fixture.server.stub("GET", "/team/large", {.status = 206, .pieces = {std::string(round / 4, 'a')}});
    fixture.server.stub("GET", "/team/large", {.status = 206, .pieces = {"12345678"}});
    client.get_file("large", round + 8, file.get(), true);
    CHECK(fixture.server.requests.size() == (kept == 0 ? 5 : 1));
    CHECK(header_of(fixture.server.requests.back(), "Range") == "bytes=33554432-33554439");
    CHECK(read_file(folder.path() / "got").substr(0, round + 8) == std::string(round, 'a') + "12345678");
  }
}

}  // namespace s3_client_test
