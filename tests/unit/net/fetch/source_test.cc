#include "kml/net/fetch/source.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/net/fetch/fetch.h"
#include "support/environment.h"

namespace fetch_source_test {

using namespace kml;
using namespace kml::fetch;

namespace {

const std::string kSum(64, 'a');

}  // namespace

TEST_CASE("data sources: a SOURCE that a user types is split into its parts") {
  struct Row {
    std::string text, place, version, folder;
  };
  for (const Row& row :
       {Row{"https://h/a/b.tar?x=1#sha256=" + kSum, "https://h/a/b.tar?x=1", kSum, ""},
        Row{"hf://ana/net", "models/ana/net", "main", ""},
        Row{"hf://models/ana/net@v1", "models/ana/net", "v1", ""},
        Row{"hf://datasets/ana/rows", "datasets/ana/rows", "main", ""},
        Row{"hf://datasets/ana/rows/data/train/", "datasets/ana/rows", "main", "data/train"},
        Row{"hf://datasets/ana/rows@main/data", "datasets/ana/rows", "main", "data"},
        Row{"hf://datasets/ana/rows@refs/pr/12/data", "datasets/ana/rows", "refs/pr/12", "data"},
        Row{"hf://datasets/ana/rows@refs/convert/parquet", "datasets/ana/rows", "refs/convert/parquet", ""},
        Row{"hf://ana/net@feature%2Fx", "models/ana/net", "feature/x", ""},
        Row{"hf://ana/net/a@b", "models/ana/net", "main", "a@b"},
        Row{"s3://data/a/b/", "s3://data/a/b", "", ""}, Row{"gs://my_data/a", "gs://my_data/a", "", ""}}) {
    CAPTURE(row.text);
    const Source source = parse_source(row.text, "--data");
    CHECK(source.place == row.place);
    CHECK(source.version == row.version);
    CHECK(source.folder == row.folder);
    CHECK(parse_source(source.text(), "--data").key() == source.key());
  }
  CHECK(parse_source("hf://a/b@x", "").key() != parse_source("hf://a/b@y", "").key());
}

TEST_CASE(
    "data sources: a SOURCE is rejected if it could lead elsewhere, could change unnoticed, or contains a "
    "secret") {
  const std::string sum = "#sha256=" + kSum;
  const std::vector<std::string> texts = {"",
                                          "https://h/a",
                                          "https://h" + sum,
                                          "https://h/" + sum,
                                          "https:///a" + sum,
                                          "https://h/a#sha256=x",
                                          "https://ana:x@h/a" + sum,
                                          "https://token@h/a" + sum,
                                          "https://h/a?sig=x" + sum,
                                          "https://h/a?x=1&X-Amz-Signature=x" + sum,
                                          "https://h/a b" + sum,
                                          "https://h/a\x1b[2J" + sum,
                                          "ftp://h/a" + sum,
                                          "hf://",
                                          "hf://net",
                                          "hf://a/..",
                                          "hf://../a",
                                          "hf://a/b@",
                                          "hf://a/b@main/..",
                                          "hf://a/b/../c",
                                          "s3://",
                                          "s3://A",
                                          "s3://data/../x",
                                          "s3://data#list=x",
                                          "gs://",
                                          "gs://a//b"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_source(text, "--data"), Error);
  }
}

TEST_CASE("data sources: a Google bucket is reached through Google's S3 API") {
  const EnvironmentVariable other("AWS_ENDPOINT_URL", "http://minio:9000"),
      emulator("STORAGE_EMULATOR_HOST", nullptr);
  const s3::Settings settings = bucket_settings(parse_source("gs://my_data/a", "--data"));
  CHECK(settings.url() + settings.path() == "https://storage.googleapis.com/my_data/");
  CHECK(settings.bucket.prefix == "a");
  CHECK(bucket_settings(parse_source("s3://data/a", "--data")).url() == "http://minio:9000");
  const EnvironmentVariable own("STORAGE_EMULATOR_HOST", "http://localhost:4443");
  CHECK(bucket_settings(parse_source("gs://data", "--data")).url() == "http://localhost:4443");
}

}  // namespace fetch_source_test
