#include "kml/net/s3/settings.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace s3_settings_test {

using namespace kml;
using namespace kml::s3;

namespace {

/// An environment without any settings of this machine.
struct BareEnvironment {
  EnvironmentVariable region{"AWS_REGION", nullptr}, other{"AWS_DEFAULT_REGION", nullptr},
      endpoint{"AWS_ENDPOINT_URL", nullptr}, own{"AWS_ENDPOINT_URL_S3", nullptr},
      authorities{"AWS_CA_BUNDLE", nullptr}, profile{"AWS_PROFILE", nullptr};
};

}  // namespace

TEST_CASE("s3 settings: a URL gives a bucket and its prefix") {
  CHECK(parse_bucket("s3://data", "--store").url() == "s3://data");
  const Bucket bucket = parse_bucket("s3://data.eu/team/kml/", "--store");
  CHECK(bucket.name == "data.eu");
  CHECK(bucket.prefix == "team/kml");
  for (const char* text : {"s3:/data", "s3://", "s3://ab", "s3://Data", "s3://a..b", "s3://data//x",
                           "s3://data/../x", "s3://-data", "pvc/data", "s3://da_ta"})
    CHECK_THROWS_AS(parse_bucket(text, "--store"), Error);
}

TEST_CASE(
    "s3 settings: the bucket is in the host for AWS, in the path for other servers, unless the profile says "
    "otherwise") {
  const BareEnvironment bare;
  Profile profile;
  Settings settings = settings_for({"data", ""}, profile);
  CHECK(settings.url() == "https://data.s3.us-east-1.amazonaws.com");
  CHECK(settings.path() == "/");
  CHECK(settings_for({"da.ta", ""}, profile).url() == "https://s3.us-east-1.amazonaws.com");
  CHECK(settings_for({"da.ta", ""}, profile).path() == "/da.ta/");
  profile.values = {{"region", "cn-north-1"}};
  CHECK(settings_for({"data", ""}, profile).url() == "https://data.s3.cn-north-1.amazonaws.com.cn");

  profile.values = {{"endpoint_url", "http://minio:9000/"}};
  CHECK(settings_for({"data", ""}, profile).url() == "http://minio:9000");
  CHECK(settings_for({"data", ""}, profile).path() == "/data/");
  profile.values["s3.addressing_style"] = "virtual";
  CHECK(settings_for({"data", ""}, profile).url() == "http://data.minio:9000");

  const EnvironmentVariable region("AWS_REGION", "eu-west-1"), own("AWS_ENDPOINT_URL_S3", "https://own");
  CHECK(settings_for({"data", ""}, profile).url() == "https://data.own");
  CHECK(settings_for({"data", ""}, profile).region == "eu-west-1");
  const EnvironmentVariable wrong("AWS_ENDPOINT_URL_S3", "minio:9000");
  CHECK_THROWS_AS(settings_for({"data", ""}, profile), Error);
}

TEST_CASE("s3 settings: are read from the files of a profile") {
  const BareEnvironment bare;
  const TemporaryFolder folder;
  write_file_atomically(
      folder.path() / "config",
      "# mine\n[default]\nregion = eu-west-1\n\n[profile dev]\nregion=us-west-2 ; near\ns3 =\n"
      "  addressing_style = path\n  max_queue_size = 5\nendpoint_url = http://x\n");
  write_file_atomically(folder.path() / "credentials",
                        "[dev]\naws_access_key_id = ID\naws_secret_access_key = a=b#c\n");
  const EnvironmentVariable config("AWS_CONFIG_FILE", (folder.path() / "config").c_str()),
      keys("AWS_SHARED_CREDENTIALS_FILE", (folder.path() / "credentials").c_str());
  CHECK(read_profile().value("region") == "eu-west-1");
  const EnvironmentVariable name("AWS_PROFILE", "dev");
  const Profile profile = read_profile();
  CHECK(profile.value("region") == "us-west-2");
  CHECK(profile.value("s3.addressing_style") == "path");
  CHECK(profile.value("endpoint_url") == "http://x");
  CHECK(profile.credentials.at("aws_secret_access_key") == "a=b#c");
  const EnvironmentVariable other("AWS_PROFILE", "dve");
  try {
    read_profile();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.message == "no AWS profile \"dve\"");
    CHECK(error.fix.starts_with("did you mean \"dev\"? the profiles are "));
  }
}

}  // namespace s3_settings_test
