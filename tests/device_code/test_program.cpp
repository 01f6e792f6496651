#include "test_program.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <stdexcept>
#include <utility>

namespace device_code {
namespace {

constexpr std::string_view kHead = R"(
.version 8.3
.target sm_80
.address_size 64
.file 1 "test.cu"
)";

constexpr std::string_view kParameters = R"(
.visible .entry test(.param .u64 test_a, .param .u64 test_b, .param .u64 test_c)
{
.reg .pred %p<10>;
.reg .b16 %rs<10>, %rb<10>;
.reg .b32 %r<10>, %thread, %lane;
.reg .b64 %rd<10>, %a, %b, %c, %mine;
.reg .f32 %f<10>;
.reg .f64 %fd<10>;
ld.param.u64 %a, [test_a];
ld.param.u64 %b, [test_b];
ld.param.u64 %c, [test_c];
mov.u32 %thread, %ntid.x;
mov.u32 %lane, %ctaid.x;
mul.lo.u32 %thread, %thread, %lane;
mov.u32 %lane, %tid.x;
add.u32 %thread, %thread, %lane;
mov.u32 %lane, %laneid;
mad.wide.u32 %mine, %thread, 4, %a;
)";

constexpr u32 kThreads = 33;  // a warp and a part of one

/// The 0th register that an instruction sets.
std::string result_register(std::string_view instruction) {
  for (const char* const name : {"%p0", "%rs0", "%rb0", "%r0", "%rd0", "%f0", "%fd0"}) {
    if (instruction.find(name) != std::string_view::npos) return name;
  }
  throw std::logic_error("the instruction sets none of the registers 0");
}

/// PTX that puts operand k, the k-th double word of buffer b, into the registers k of each type.
std::string loads_of(std::size_t operands) {
  std::string text;
  for (std::size_t k = 1; k <= operands; ++k) {
    const std::string number = std::to_string(k), address = "[%b+" + std::to_string(8 * (k - 1)) + "];\n";
    text += "ld.global.u16 %rs" + number + ", " + address;
    text += "ld.global.u16 %rb" + number + ", " + address;
    text += "ld.global.u32 %r" + number + ", " + address;
    text += "ld.global.f32 %f" + number + ", " + address;
    text += "ld.global.u64 %rd" + number + ", " + address;
    text += "ld.global.f64 %fd" + number + ", " + address;
  }
  return text;
}

/// PTX that sets %p<k> to whether operand k is not 0. Apart, because setp needs defined operands.
std::string predicates_of(std::size_t operands, std::string_view instruction) {
  std::string text;
  for (std::size_t k = 1; k <= operands; ++k) {
    const std::string number = std::to_string(k);
    if (instruction.find("%p" + number) == std::string_view::npos) continue;
    text += "setp.ne.u64 %p" + number + ", %rd" + number + ", 0;\n";
  }
  return text;
}

/// PTX that stores the 0th register, of the type of `name`, as a double word of buffer a.
std::string store_of(const std::string& name) {
  std::string text = "mad.wide.u32 %mine, %thread, 8, %a;\n";
  if (name == "%p0") return text + "selp.b32 %r9, 1, 0, %p0;\nst.global.u32 [%mine], %r9;\n";
  const bool is_short = name == "%rs0" || name == "%rb0", is_long = name == "%rd0" || name == "%fd0";
  return text +
         (is_short  ? "st.global.b16"
          : is_long ? "st.global.b64"
                    : "st.global.b32") +
         " [%mine], " + name + ";\n";
}

std::vector<u32> words_of(const std::vector<u64>& double_words) {
  std::vector<u32> words;
  for (const u64 one : double_words) {
    words.push_back(static_cast<u32>(one));
    words.push_back(static_cast<u32>(one >> 32));
  }
  return words;
}

/// The value that all threads agree on.
u64 common(const std::vector<u64>& of_threads, std::string_view instruction) {
  const auto is_other = [&](u64 value) { return value != of_threads[0]; };
  if (std::any_of(of_threads.begin(), of_threads.begin() + kThreads, is_other)) {
    throw std::runtime_error("the lanes disagree about " + std::string(instruction));
  }
  return of_threads[0];
}

bool is_race(std::string_view fault) { return fault.substr(0, 5) == "race:"; }

}  // namespace

TestBuffer::TestBuffer(std::vector<u32> values) : words_(std::move(values)) {
  // The vector is never resized, so its elements stay where they are.
  object_.begin = reinterpret_cast<u64>(words_.data());
  object_.end = object_.begin + sizeof(u32) * words_.size();
}

void TestBuffer::track(const std::vector<u32>& undefined) {
  object_.undefined.resize(object_.end - object_.begin);
  std::memcpy(object_.undefined.data(), undefined.data(), object_.undefined.size());
}

std::vector<u64> TestBuffer::double_words() const { return double_words_at(words_.data()); }
std::vector<u64> TestBuffer::undefined_bits() const { return double_words_at(object_.undefined.data()); }

std::vector<u64> TestBuffer::double_words_at(const void* begin) const {
  std::vector<u64> found(words_.size() / 2);
  std::memcpy(found.data(), begin, sizeof(u64) * found.size());
  return found;
}

std::string test_module(std::string_view body, std::string_view functions) {
  return std::string(kHead) + std::string(functions) + std::string(kParameters) + ".loc 1 1 1\n" + std::string(body) +
         "\nret;\n}\n";
}

TestProgram::TestProgram(std::string_view body, std::string_view functions)
    : machine(*this), module_(parse_module(test_module(body, functions), "test.ptx")) {}

void TestProgram::run(const Shape& shape) {
  const u64 addresses[] = {a.object().begin, b.object().begin, c.object().begin};
  machine.launch(*module_->find("test"), shape.grid, shape.block, {&addresses[0], &addresses[1], &addresses[2]});
}

std::string TestProgram::faults() const {
  std::set<std::string_view> names;
  for (const Finding& finding : machine.findings.all()) names.insert(name_of(finding.fault));
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

MemoryObject* TestProgram::find(u64 address) {
  for (TestBuffer* const buffer : {&a, &b, &c}) {
    if (address >= buffer->object().begin && address < buffer->object().end) return &buffer->object();
  }
  return nullptr;
}

std::vector<MachineOptions> all_orders() {
  std::vector<MachineOptions> orders(1);
  for (u32 seed = 1; seed <= 6; ++seed) {
    MachineOptions options;
    options.is_random = true;
    options.seed = seed;
    options.resident_blocks = 1 + seed % 3;
    orders.push_back(options);
  }
  return orders;
}

namespace {

std::set<std::string> faults_of_orders(std::string_view body, const Shape& shape, std::string_view functions) {
  std::set<std::string> found;
  for (const MachineOptions& options : all_orders()) {
    TestProgram program(body, functions);
    program.machine.options = options;
    program.run(shape);
    found.insert(program.faults());
  }
  return found;
}

}  // namespace

std::string faults_of(std::string_view body, const Shape& shape, std::string_view functions) {
  TestProgram program(body, functions);
  program.run(shape);
  return program.faults();
}

std::string faults_in_all_orders(std::string_view body, const Shape& shape, std::string_view functions) {
  const std::set<std::string> found = faults_of_orders(body, shape, functions);
  if (found.size() == 1) return *found.begin();
  std::string text = "different orders find different faults:";
  for (const std::string& faults : found) text += " [" + faults + "]";
  return text;
}

bool has_race(std::string_view body, const Shape& shape) {
  const std::set<std::string> found = faults_of_orders(body, shape, {});
  if (found.size() == 1 && found.begin()->empty()) return false;
  if (std::all_of(found.begin(), found.end(), is_race)) return true;
  throw std::logic_error(faults_in_all_orders(body, shape));
}

Computed computed_by(std::string_view instruction, const std::vector<u64>& operands,
                     const std::vector<u64>& undefined_bits) {
  const std::string name = result_register(instruction);
  TestProgram program(loads_of(operands.size()) + predicates_of(operands.size(), instruction) +
                      std::string(instruction) + ";\n" + store_of(name));
  program.b = TestBuffer(words_of(operands));
  program.a.track(std::vector<u32>(program.a.words().size(), 0));
  if (!undefined_bits.empty()) program.b.track(words_of(undefined_bits));
  program.run({{1, 1, 1}, {kThreads, 1, 1}});
  Computed computed{common(program.a.double_words(), instruction), common(program.a.undefined_bits(), instruction),
                    program.faults()};
  if (name == "%p0" && computed.undefined != 0) computed.undefined = 1;
  return computed;
}

u64 result_of(std::string_view instruction, const std::vector<u64>& operands) {
  const Computed computed = computed_by(instruction, operands);
  if (!computed.faults.empty()) throw std::runtime_error(std::string(instruction) + ": " + computed.faults);
  return computed.value;
}

u64 undefined_bits_of(std::string_view instruction, const std::vector<u64>& operands,
                      const std::vector<u64>& undefined_bits) {
  const Computed computed = computed_by(instruction, operands, undefined_bits);
  const std::string expected = computed.undefined == 0 ? "" : "undefined value stored";
  if (computed.faults != expected) throw std::runtime_error(std::string(instruction) + ": " + computed.faults);
  return computed.undefined;
}

u64 bits(float value) { return std::bit_cast<u32>(value); }
u64 bits(double value) { return std::bit_cast<u64>(value); }

}  // namespace device_code
