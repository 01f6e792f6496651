#include "fetching/digest.hpp"

#include "catch.hpp"

using octavo::fetching::Digest;
using octavo::fetching::DigestKind;

namespace {

std::string digest_of(DigestKind kind, std::initializer_list<std::string_view> pieces) {
  Digest digest(kind);
  for (const std::string_view piece : pieces) digest.add(std::as_bytes(std::span(piece)));
  return digest.finish();
}

}  // namespace

TEST_CASE("MD5 matches RFC 1321 in one piece or several", "[unit][fetch]") {
  CHECK(digest_of(DigestKind::md5, {}) == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(digest_of(DigestKind::md5, {"abc"}) == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(digest_of(DigestKind::md5, {"message ", "", "digest"}) == "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST_CASE("SHA-256 matches FIPS 180 in one piece or several", "[unit][fetch]") {
  CHECK(digest_of(DigestKind::sha256, {}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest_of(DigestKind::sha256, {"a", "bc"}) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
