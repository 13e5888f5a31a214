#include "kube/credentials/token_file.h"

#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/core/text.h"

namespace kml::kube {

namespace {

constexpr std::chrono::seconds kGoodFor{50};
constexpr size_t kLargestToken = size_t{1} << 20;

}  // namespace

const std::string& TokenFile::token() {
  if (!token_.empty() && now_() - read_at_ < kGoodFor) return token_;
  try {
    std::string fresh(trim(read_file(path_, kLargestToken)));
    if (fresh.empty())
      throw Error(ErrorCode::auth, "cannot use the token in " + path_.string(), "the file is empty");
    token_ = std::move(fresh);
    read_at_ = now_();
  } catch (const Error&) {
    if (token_.empty()) throw;
  }
  return token_;
}

}  // namespace kml::kube
