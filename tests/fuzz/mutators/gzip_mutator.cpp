// Mutates gzip files of one member, and repairs the CRC and length.
#include <zlib.h>

#include "mutate.hpp"

using namespace octavo::fuzz;

namespace {

// A header without name and comment, as in the seeds.
constexpr std::size_t kHeaderBytes = 10;
constexpr std::size_t kMostInflated = std::size_t{1} << 20;

void repair_member(std::string& bytes) {
  if (bytes.size() <= kHeaderBytes || bytes[3] != 0) return;
  z_stream stream = {};
  if (inflateInit2(&stream, -15) != Z_OK) return;
  static std::string out(kMostInflated, '\0');  // static, because clearing it would dominate the run time
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data() + kHeaderBytes);
  stream.avail_in = static_cast<uInt>(bytes.size() - kHeaderBytes);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&stream, Z_FINISH);
  const std::size_t end = kHeaderBytes + stream.total_in;
  const std::size_t length = stream.total_out;
  inflateEnd(&stream);
  if (status != Z_STREAM_END) return;
  bytes.resize(end + 8);
  put_number(bytes, end, crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(length)), 4);
  put_number(bytes, end + 4, length, 4);
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  return mutate_and_repair(data, size, max_size, seed, &repair_member);
}
