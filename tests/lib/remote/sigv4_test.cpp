// Signatures of requests, against published examples.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "remote/sha256.hpp"
#include "remote/sigv4.hpp"

using namespace octavo::remote;

TEST_CASE("SHA-256 has the published digests", "[unit][remote]") {
  // FIPS 180-2, appendix B, and the empty text, which is in the documentation of Signature Version 4.
  CHECK(hex_text(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex_text(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex_text(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex_text(sha256(std::string(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("HMAC has the published codes", "[unit][remote]") {
  // RFC 4231, test cases 1 and 6: a short key, and one longer than a block.
  CHECK(hex_text(hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hex_text(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("a GET of a range is signed as in the documentation of S3", "[unit][remote]") {
  // "Example: GET Object" of https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
  const AccessKey key{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
  const std::time_t time = 1'369'353'600;  // 2013-05-24T00:00:00Z
  const auto headers =
      signature_headers(parse_url("https://examplebucket.s3.amazonaws.com/test.txt"), key, "us-east-1", time,
                        {"Range: bytes=0-9"}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(std::ranges::count(headers, "x-amz-date: 20130524T000000Z") == 1);
  CHECK(std::ranges::count(headers,
                           "Authorization: AWS4-HMAC-SHA256 "
                           "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                           "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                           "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41") == 1);
}
