#include "pipeline/runner/claim_store.h"

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::pipeline {

ClaimStore parse_claim_store(std::string_view text) {
  constexpr std::string_view kBegin = "pvc/";
  const Error fault =
      usage_error("--store " + std::string(text) + " is not a store",
                  "a store is a volume claim, pvc/NAME or pvc/NAME/FOLDER, or a bucket, s3://BUCKET",
                  "`kml list claims` lists the volume claims of the namespace");
  if (!text.starts_with(kBegin)) throw fault;
  const std::vector<std::string> parts = split(std::string(text.substr(kBegin.size())), '/');
  for (const std::string& part : parts)
    if (part.empty() || part == "." || part == "..") throw fault;
  ClaimStore store{parts[0], {}, {}};
  for (size_t i = 1; i < parts.size(); ++i) store.folder += (i > 1 ? "/" : "") + parts[i];
  return store;
}

}  // namespace kml::pipeline
