#include "kube/credentials/renewed_file.h"

#include "kml/core/error.h"
#include "kml/core/files.h"
#include "kml/core/text.h"

namespace kml::kube {

namespace {

constexpr std::chrono::seconds kGoodFor{50};
constexpr size_t kLargest = size_t{1} << 20;

std::string read_token(const std::filesystem::path& path) {
  std::string token(trim(read_file(path, kLargest)));
  if (token.empty())
    throw Error(ErrorCode::auth, "cannot use the token in " + path.string(), "the file is empty");
  return token;
}

std::string read_pem(const std::filesystem::path& path) {
  std::string pem = read_file(path, kLargest);
  if (pem.find("-----BEGIN ") == std::string::npos)
    throw Error(ErrorCode::auth, "cannot use " + path.string(), "it is no PEM file",
                "get it again from where it came");
  return pem;
}

}  // namespace

const std::string& RenewedFile::text() {
  if (!text_.empty() && now_() - read_at_ < kGoodFor) return text_;
  try {
    text_ = content_ == Content::token ? read_token(path_) : read_pem(path_);
    read_at_ = now_();
  } catch (const Error&) {
    if (text_.empty()) throw;
  }
  return text_;
}

}  // namespace kml::kube
