#include "format/chunks/chunk_reader.hpp"

#include "support/file.hpp"

#include <algorithm>
#include <cstring>

#include <octavo/errors.hpp>

#include "support/hash.hpp"

namespace octavo::dataset_file {

bool read_chunk(const ByteSource& file, const Codec& codec, const StoredChunk& chunk, std::span<std::byte> out,
                std::uint64_t* stored_hash) {
  if (!chunk.is_encoded) {
    file.read_at(chunk.extent.offset, out);
    if (stored_hash != nullptr) *stored_hash = hash_bytes(out);
    return true;
  }
  DecodedChunk room(static_cast<std::size_t>(chunk.extent.bytes));
  const std::span<std::byte> stored = room.bytes();
  file.read_at(chunk.extent.offset, stored);
  if (stored_hash != nullptr) *stored_hash = hash_bytes(stored);
  return codec.decode(stored, out);
}

std::string describe_chunk(const SplitEntry& split, std::int64_t number) {
  const ChunkLayout layout = split.chunk_layout();
  return "chunk " + std::to_string(number) + ", which holds samples " + std::to_string(layout.first_row(number)) +
         " to " + std::to_string(layout.end_row(number) - 1);
}

void ChunkReader::decode_into(const SplitEntry& split, std::int64_t number, std::span<std::byte> out) const {
  const ChunkedImages& images = *split.chunked;
  if (read_chunk(file_, *images.codec, images.chunks[static_cast<std::size_t>(number)], out)) return;
  throw FormatError("read " + quoted(file_.name()) + ": " + dataset_path(split, "images") + " is damaged in " +
                    describe_chunk(split, number) +
                    " (it cannot be inflated); run `octavo verify` to find all damage, or get the file again");
}

std::shared_ptr<const DecodedChunk> ChunkReader::chunk(const SplitEntry& split, std::int64_t number) const {
  const StoredChunk& stored = split.chunked->chunks[static_cast<std::size_t>(number)];
  if (auto kept = cache_.find(stored)) return kept;
  const auto decoded = std::make_shared<DecodedChunk>(static_cast<std::size_t>(split.chunk_layout().chunk_bytes()));
  decode_into(split, number, decoded->bytes());
  cache_.keep(stored, decoded);
  return decoded;
}

void ChunkReader::start(const SplitEntry& split, std::int64_t number) const {
  const StoredChunk& stored = split.chunked->chunks[static_cast<std::size_t>(number)];
  if (cache_.find(stored) == nullptr) file_.start_read(stored.extent.offset, stored.extent.bytes);
}

void ChunkReader::read_rows(const SplitEntry& split, std::int64_t first_row, std::int64_t count,
                            std::span<std::byte> codes) const {
  const ChunkLayout layout = split.chunk_layout();
  const auto bytes_of = [&](std::int64_t rows) { return static_cast<std::size_t>(rows * layout.sample_bytes); };
  for (std::int64_t row = first_row; row < first_row + count;) {
    const std::int64_t number = layout.chunk_of(row);
    const std::int64_t begin = layout.first_row(number);
    const std::int64_t end = std::min(layout.end_row(number), first_row + count);
    const std::span<std::byte> out = codes.subspan(bytes_of(row - first_row), bytes_of(end - row));
    if (out.size() == bytes_of(layout.samples_per_chunk))
      decode_into(split, number, out);
    else
      std::memcpy(out.data(), chunk(split, number)->bytes().data() + bytes_of(row - begin), out.size());
    row = end;
  }
}

}  // namespace octavo::dataset_file
