#include "kml/net/s3/credentials.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "net/s3/bucket_fixture.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace s3_credentials_test {

using namespace kml;
using namespace kml::s3;

namespace {

struct SetClock final : Clock {
  Time time = *parse_rfc3339("2026-01-01T00:00:00Z");
  Time now() const override { return time; }
};

struct Fixture : BucketFixture {
  EnvironmentVariable id{"AWS_ACCESS_KEY_ID", nullptr}, secret{"AWS_SECRET_ACCESS_KEY", nullptr},
      token{"AWS_SESSION_TOKEN", nullptr}, identity{"AWS_WEB_IDENTITY_TOKEN_FILE", nullptr},
      role{"AWS_ROLE_ARN", nullptr}, full{"AWS_CONTAINER_CREDENTIALS_FULL_URI", nullptr},
      relative{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", nullptr},
      machine{"AWS_EC2_METADATA_DISABLED", "true"}, sts{"AWS_ENDPOINT_URL_STS", nullptr};
  SetClock clock;
  Profile profile = {"default", true, {}, {}};

  CredentialSource source() { return CredentialSource(profile, "eu-west-1", make_transport(), clock); }
};

}  // namespace

TEST_CASE(
    "s3 credentials: the environment precedes the profile, and having no credentials or only half of them is "
    "an error") {
  Fixture fixture;
  CHECK_THROWS_AS(fixture.source().get(), Error);
  fixture.profile.values = {{"aws_access_key_id", "CONFIG"}, {"aws_secret_access_key", "s"}};
  CHECK(fixture.source().get().key_id == "CONFIG");
  fixture.profile.credentials = {
      {"aws_access_key_id", "FILE"}, {"aws_secret_access_key", "s"}, {"aws_session_token", "t"}};
  CHECK(fixture.source().get().key_id == "FILE");
  CHECK(fixture.source().get().token == "t");
  const EnvironmentVariable id("AWS_ACCESS_KEY_ID", "ENV");
  CHECK_THROWS_AS(fixture.source().get(), Error);  // one of the two variables is set without the other
  const EnvironmentVariable secret("AWS_SECRET_ACCESS_KEY", "s");
  CHECK(fixture.source().get().key_id == "ENV");
}

TEST_CASE("s3 credentials: a web identity provides credentials, which are renewed before they expire") {
  Fixture fixture;
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "token", "TOKEN+1\n");
  const EnvironmentVariable file("AWS_WEB_IDENTITY_TOKEN_FILE", (folder.path() / "token").c_str()),
      role("AWS_ROLE_ARN", "arn:aws:iam::1:role/r"), name("AWS_ROLE_SESSION_NAME", "me");
  const auto lend = [&](const std::string& id, const std::string& until) {
    fixture.server.stub(
        "POST", "/",
        {.pieces = {"<A><Credentials><AccessKeyId>" + id +
                    "</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
                    "<Expiration>" +
                    until + "</Expiration></Credentials></A>"}});
  };
  CredentialSource source = fixture.source();
  lend("ONE", "2026-01-01T01:00:00Z");
  CHECK(source.get().key_id == "ONE");
  CHECK(fixture.endpoints.at(0).url == "https://sts.eu-west-1.amazonaws.com");
  CHECK(fixture.server.requests.at(0).body ==
        "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&"
        "RoleSessionName=me&WebIdentityToken=TOKEN%2B1");
  fixture.clock.time += std::chrono::minutes(54);
  CHECK(source.get().key_id == "ONE");
  fixture.clock.time += std::chrono::minutes(2);
  lend("TWO", "2026-01-01T02:00:00Z");
  CHECK(source.get().key_id == "TWO");
  fixture.clock.time += std::chrono::hours(1);
  fixture.server.stub("POST", "/",
                      {.status = 403, .pieces = {"<E><Code>AccessDenied</Code><Message>no</Message></E>"}});
  try {
    source.get();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::auth);
    CHECK(error.why == "STS rejected role arn:aws:iam::1:role/r: AccessDenied no");
  }
}

TEST_CASE("s3 credentials: a program, a container or a machine provides credentials") {
  Fixture fixture;
  fixture.profile.values = {
      {"credential_process",
       "echo '{\"Version\": 1, \"AccessKeyId\": \"PROGRAM\", \"SecretAccessKey\": \"s\"}'"}};
  CHECK(fixture.source().get().key_id == "PROGRAM");
  fixture.profile.values = {{"credential_process", "exit 3"}};
  CHECK_THROWS_AS(fixture.source().get(), Error);
  fixture.profile.values.clear();

  const std::string lent =
      R"({"AccessKeyId": "LENT", "SecretAccessKey": "s", "Token": "t", "Expiration": "2026-01-01T06:00:00Z"})";
  {
    const EnvironmentVariable url("AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                  "http://169.254.170.23/v1/credentials"),
        token("AWS_CONTAINER_AUTHORIZATION_TOKEN", "pod");
    fixture.server.stub("GET", "/v1/credentials", {.pieces = {lent}});
    CHECK(fixture.source().get().token == "t");
    CHECK(header_of(fixture.server.requests.back(), "Authorization") == "pod");
  }
  const EnvironmentVariable machine("AWS_EC2_METADATA_DISABLED", nullptr);
  fixture.server.stub("PUT", "/latest/api/token", {.pieces = {"session"}});
  fixture.server.stub("GET", "/latest/meta-data/iam/security-credentials/", {.pieces = {"trainer\n"}});
  fixture.server.stub("GET", "/latest/meta-data/iam/security-credentials/trainer", {.pieces = {lent}});
  CHECK(fixture.source().get().origin == "the machine's role trainer");
  CHECK(header_of(fixture.server.requests.back(), "X-aws-ec2-metadata-token") == "session");
  // A machine outside AWS.
  fixture.server.stub("PUT", "/latest/api/token", FakeTransport::break_connection());
  CHECK_THROWS_AS(fixture.source().get(), Error);
}

}  // namespace s3_credentials_test
