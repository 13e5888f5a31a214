#include "kml/base/package.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "support/temporary_folder.h"

namespace kml::package_test {

/// The bytes that Python writes with these statements. In them, `z` is a zip archive and `t` a tar.gz, both
/// called "p".
std::string written_by(const std::string& statements) {
  const TemporaryFolder folder;
  const std::string program =
      "import io, sys, tarfile, zipfile, gzip\n"
      "def z(**options): return zipfile.ZipFile('p', 'w', **options)\n"
      "def t(): return tarfile.open('p', 'w:gz')\n"
      "def add(tar, name, text):\n"
      "    entry = tarfile.TarInfo(name)\n"
      "    entry.size = len(text)\n"
      "    tar.addfile(entry, io.BytesIO(text))\n" +
      statements;
  const auto ended =
      run_process({"python3", "-c", "import os; os.chdir('" + folder.path().string() + "')\n" + program});
  REQUIRE(ended.exit_code == 0);
  return read_file(folder.path() / "p");
}

TEST_CASE("package: the only YAML or JSON file in a package is found, in every form of package") {
  const std::vector<std::string> packages = {
      "with z() as p: p.writestr('pipeline.yaml', 'a: 1')",
      "with z(compression=zipfile.ZIP_DEFLATED) as p: p.writestr('pipeline.yaml', 'a: 1')",
      "with z() as p:\n"
      "    p.comment = b'PK'\n"
      "    p.writestr('folder/', '')\n"
      "    p.writestr('folder/pipeline.yml', 'a: 1')\n"
      "    p.writestr('__MACOSX/._pipeline.yml', 'x')\n"
      "    p.writestr('README.md', 'x')",
      "with t() as p: add(p, 'pipeline.yaml', b'a: 1')",
      "with t() as p: add(p, 'notes.txt', b'x'); add(p, 'pipeline.json', b'a: 1')",
      "open('p', 'wb').write(gzip.compress(b'a: 1'))",
      "with tarfile.open('p', 'w') as p: add(p, 'pipeline.yaml', b'a: 1')",
  };
  for (const std::string& statements : packages) {
    CAPTURE(statements);
    CHECK(unpacked_package(written_by(statements), "p").value_or("none") == "a: 1");
  }
  for (const char* plain : {"", "a: 1", "PK: 1", "{\"a\": 1}"}) CHECK(!unpacked_package(plain, "p"));
}

TEST_CASE("package: the error for a package that cannot be used names it, with a reason and a fix") {
  const std::pair<const char*, const char*> packages[] = {
      {"with z() as p: p.writestr('a.txt', 'a: 1')", "it contains no YAML or JSON file"},
      {"with z() as p: p.writestr('a.yaml', '1'); p.writestr('b.yaml', '2')",
       "it contains 2 files: a.yaml, b.yaml"},
      {"with t() as p: add(p, 'a.yaml', b'1'); add(p, 'b.yaml', b'2')",
       "it contains 2 files: a.yaml, b.yaml"},
      {"with z(compression=zipfile.ZIP_DEFLATED) as p: p.writestr('a.yaml', ' ' * (65 << 20))", "too large"},
      {"open('p', 'wb').write(gzip.compress(b' ' * (65 << 20)))", "too large"},
      {"with z(compression=zipfile.ZIP_BZIP2) as p: p.writestr('a.yaml', '1' * 99)",
       "unsupported compression"},
      {"with z() as p: [p.writestr('%d.txt' % i, '') for i in range(1001)]", "more than 1000 files"},
      {"with z() as p: p.writestr('a.yaml', 'a: 1')\n"
       "b = bytearray(open('p', 'rb').read()); b[b.find(b'a: 1')] = 120; open('p', 'wb').write(b)",
       "a.yaml is damaged"},
      {"with z() as p: p.writestr('a.yaml', 'a: 1')\n"
       "b = bytearray(open('p', 'rb').read()); b[b.find(b'PK\\x01\\x02') + 8] |= 1; open('p', 'wb').write(b)",
       "a.yaml is encrypted"},
      {"import lzma; open('p', 'wb').write(lzma.compress(b'a: 1'))", "it must be unpacked with xz"},
      {"import bz2; open('p', 'wb').write(bz2.compress(b'a: 1'))", "it must be unpacked with bzip2"},
      {"open('p', 'wb').write(b'\\x28\\xb5\\x2f\\xfd a')", "it must be unpacked with zstd"},
  };
  for (const auto& [statements, why] : packages) {
    CAPTURE(statements);
    const std::string package = written_by(statements);
    try {
      unpacked_package(package, "p.zip");
      FAIL("it was taken");
    } catch (const Error& error) {
      CHECK(error.code == ErrorCode::usage);
      CHECK_MESSAGE(describe(error).find("p.zip") != std::string::npos, describe(error));
      CHECK_MESSAGE(error.why.find(why) != std::string::npos, describe(error));
    }
  }
}

TEST_CASE("package: reading a truncated or changed package does no harm, and an error gives a reason") {
  for (const char* statements :
       {"with z(compression=zipfile.ZIP_DEFLATED) as p: p.writestr('a.yaml', 'a: 1')",
        "with t() as p: add(p, 'a.yaml', b'a: 1')"}) {
    const std::string whole = written_by(statements);
    const auto look = [&](const std::string& bytes) {
      try {
        unpacked_package(bytes, "p");
      } catch (const Error& error) {
        CHECK(!error.why.empty());
      }
    };
    for (size_t size = 0; size < whole.size(); ++size) look(whole.substr(0, size));
    for (size_t at = 0; at < whole.size(); ++at)
      for (const char other : {'\0', '\xff', 'x'}) {
        std::string changed = whole;
        changed[at] = other;
        look(changed);
      }
  }
}

}  // namespace kml::package_test
