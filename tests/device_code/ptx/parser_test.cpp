// What the parser reads, and what it says about what it does not know.
#include "catch.hpp"
#include "ptx/opcodes.hpp"
#include "test_program.hpp"

using namespace device_code;

namespace {

/// The message about a module, or nothing if it can be parsed.
std::string parser_error(const std::string& text) {
  try {
    parse_module(text, "some.ptx");
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

/// The message about a statement in line 4 of a kernel.
std::string error_of(const std::string& statement) {
  return parser_error(".entry kernel(.param .u64 address)\n{\n.reg .b32 %r<4>; .reg .pred %p<2>; .reg .b64 %rd<3>;\n" +
                      statement + "\n}\n");
}

/// The first instruction of a kernel's body.
std::string first_source(const std::string& body) {
  const auto module = parse_module(
      ".file 1 \"/home/me/octavo/kernels/cuda/gather.cu\"\n.file 2 \"other.hpp\", 17, 99 "
      ".file 3 \"/home/me/octavo/lib/lab/src/training/kernels/arithmetic.hpp\"\n"
      ".entry kernel()\n{\n" +
          body + "\nret;\n}\n",
      "some.ptx");
  return describe_source(module->find("kernel")->code[0]);
}

u32 first_word(const std::string& body, std::string_view functions = {}) {
  TestProgram program(body, functions);
  program.run({{1, 1, 1}, {1, 1, 1}});
  CHECK(program.faults().empty());
  return program.a[0];
}

}  // namespace

TEST_CASE("an error names the file, the line and what is unknown", "[unit][device_code]") {
  CHECK(error_of("ret;").empty());
  CHECK(error_of("match.sync %r1;") == "some.ptx: PTX line 4: unknown opcode \"match\"");
  CHECK(error_of("vote.sync.uni.ballot.pred %p1, %p1, -1;") ==
        "some.ptx: PTX line 4: unknown modifier \"ballot\" of \"vote\"");
  CHECK(error_of("add.cc.u32 %r1, %r1, 1;") == "some.ptx: PTX line 4: unknown modifier \"cc\" of \"add\"");
  CHECK(error_of("ld.acquire.u32 %r1, [%rd1];") == "some.ptx: PTX line 4: unknown modifier \"acquire\" of \"ld\"");
  CHECK(error_of("atom.global.inc.u32 %r1, [%rd1], 1;") ==
        "some.ptx: PTX line 4: unknown modifier \"inc\" of \"atom\"");
  CHECK(error_of("setp.lt.and.u32 %p1, %r1, 1, %p1;") == "some.ptx: PTX line 4: unknown modifier \"and\" of \"setp\"");
  CHECK(error_of("add.u32 %r1, %r9, 1;") == "some.ptx: PTX line 4: unknown operand \"%r9\"");
  CHECK(error_of("mov.u32 %r1, %clock;") == "some.ptx: PTX line 4: unknown operand \"%clock\"");
  CHECK(error_of("bra NOWHERE;") == "some.ptx: PTX line 4: unknown label \"NOWHERE\"");
  CHECK(error_of(".branchtargets A;") == "some.ptx: PTX line 4: unknown directive \".branchtargets\"");
  CHECK(error_of(".reg .b128 %x;") == "some.ptx: PTX line 4: unknown type \".b128\"");
  CHECK(error_of("call.uni missing;") == "some.ptx: PTX line 4: unknown function \"missing\"");
  CHECK(error_of("@7 ret;") == "some.ptx: PTX line 4: the guard is not a register");
  CHECK(parser_error(".version 8.3\n.const .b32 table[4];\n") == "some.ptx: PTX line 2: unknown statement \".const\"");
}

TEST_CASE("loads and stores that may race with each other are refused", "[unit][device_code]") {
  const auto refusal = [](const std::string& modifier, const std::string& opcode) {
    return "some.ptx: PTX line 4: unknown modifier \"" + modifier + "\" of \"" + opcode + "\"";
  };
  CHECK(error_of("ld.relaxed.gpu.global.u32 %r1, [%rd1];") == refusal("relaxed", "ld"));
  CHECK(error_of("ld.volatile.shared.u32 %r1, [%rd1];") == refusal("volatile", "ld"));
  CHECK(error_of("st.relaxed.cta.global.u32 [%rd1], %r1;") == refusal("relaxed", "st"));
  CHECK(error_of("st.volatile.global.u32 [%rd1], %r1;") == refusal("volatile", "st"));
  CHECK(error_of("ld.weak.global.u32 %r1, [%rd1];").empty());
  CHECK(error_of("atom.relaxed.gpu.global.add.u32 %r1, [%rd1], 1;").empty());
  CHECK(error_of("red.relaxed.gpu.global.add.u32 [%rd1], 1;").empty());
}

TEST_CASE("an error names what is out of place", "[unit][device_code]") {
  CHECK(error_of("add.u32 %r1, %r1, 1") == "some.ptx: PTX line 5: expected \";\", got \"}\"");
  CHECK(error_of("ld.global.u32 %r1, %rd1;") == "some.ptx: PTX line 4: expected \"[\", got \"%rd1\"");
  CHECK(error_of("ld.global.v2.u32 %r1, [%rd1];") == "some.ptx: PTX line 4: the vector has another number of elements");
  CHECK(error_of("st.global.u32 [%rd1], {%r1, %r2};") ==
        "some.ptx: PTX line 4: the vector has another number of elements");
  CHECK(error_of(".reg .b32 %x<y>;") == "some.ptx: PTX line 4: expected a number, got \"y\"");
  CHECK(error_of("A: A: ret;") == "some.ptx: PTX line 4: a second label \"A\"");
  CHECK(error_of("{ A: bra A; } { A: bra A; }") == "some.ptx: PTX line 4: a second label \"A\"");
  CHECK(parser_error(".entry kernel()\n{\nret;\n") == "some.ptx: PTX line 4: a function does not end");
  CHECK(parser_error(".file 1 \"gather.cu\n") == "some.ptx: PTX line 1: a string does not end");
  CHECK(parser_error(".section .debug_str\n{\n") == "some.ptx: PTX line 3: a section does not end");
}

TEST_CASE("a call must have the arguments that its function declares", "[unit][device_code]") {
  const std::string function = ".func take(.param .b32 value)\n{\nret;\n}\n";
  const auto error = [&](const std::string& call) {
    return parser_error(function + ".entry kernel()\n{\n.reg .b32 %r<2>; .param .b32 first;\n" + call + "\n}\n");
  };
  CHECK(error("call.uni take, (first);").empty());
  CHECK(error("call.uni take;") == "some.ptx: PTX line 8: wrong number of arguments");
  CHECK(error("call.uni take, (first, first);") == "some.ptx: PTX line 8: wrong number of arguments");
  CHECK(error("call.uni take, (%r1);") == "some.ptx: PTX line 8: a call expects declared parameters");
}

TEST_CASE("comments, debug sections and pragmas are skipped", "[unit][device_code]") {
  const std::string sections = ".section .debug_loc\n{\n.b8 1\n.b64 label\n}\n";
  CHECK(first_word("// add.bad %r1;\n.pragma \"nounroll\"; st.global.u32 [%a], 5; // a } comment", sections) == 5);
}

TEST_CASE("a block in braces has registers of its own", "[unit][device_code]") {
  // As inline assembly makes them, also twice and with the names of the function's registers.
  CHECK(first_word(R"(
    mov.u32 %r1, 1;
    {
      .reg .b32 t;
      .reg .b32 %r<2>;
      .reg .pred p, q;
      mov.u32 t, 10;
      mov.u32 %r1, 100;
      { .reg .b32 t; mov.u32 t, 1000; setp.eq.u32 p, t, 1000; }
      @p add.u32 %r3, t, %r1;
    }
    {
      .reg .b32 t;
      mov.u32 t, 7;
      add.u32 %r3, %r3, t;
    }
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%a], %r3;)") == 10 + 100 + 7 + 1);
  CHECK(error_of("{ .reg .b32 t; mov.u32 t, 1; } add.u32 %r1, t, 1;") == "some.ptx: PTX line 4: unknown operand \"t\"");
}

TEST_CASE("constants are integers of any base, floats and doubles by their bits", "[unit][device_code]") {
  CHECK(result_of("mov.u32 %r0, 0x1F", {}) == 31);
  CHECK(result_of("mov.u32 %r0, 012", {}) == 10);
  CHECK(result_of("mov.s32 %r0, -0x10", {}) == 0xFFFFFFF0);
  CHECK(result_of("mov.u64 %rd0, 18446744073709551615", {}) == ~u64{0});
  CHECK(result_of("mov.u32 %r0, 1U", {}) == 1);
  CHECK(result_of("mov.f32 %f0, 0fBF800000", {}) == 0xBF800000);
  CHECK(result_of("mov.f64 %fd0, 0dC000000000000000", {}) == 0xC000000000000000);
}

TEST_CASE("a negative constant has the bits of its type", "[unit][device_code]") {
  CHECK(result_of(
            "or.b32 %r5, %r1, -4; shr.u32 %r5, %r5, 1; mov.u64 %rd6, 0; cvt.u64.u32 %rd6, %r5; add.u64 %rd0, %rd6, 0",
            {0}) == 0x7FFFFFFE);
  // Of an address of 32 bits, only 32 bits count.
  CHECK(first_word(".shared .b32 word; mov.u32 %r1, word; xor.b32 %r1, %r1, -1; xor.b32 %r1, %r1, 0xFFFFFFFF; "
                   "st.shared.u32 [%r1], 6; ld.shared.u32 %r2, [word]; st.global.u32 [%a], %r2;") == 6);
}

TEST_CASE("variables in memory are aligned, and offsets may be in their names", "[unit][device_code]") {
  CHECK(first_word(R"(
    .shared .align 1 .b8 first[3];
    .shared .align 16 .b8 second[16];
    .shared .b16 third[2];
    mov.u32 %r1, first;
    mov.u32 %r2, second+4;
    mov.u32 %r3, third;
    sub.u32 %r2, %r2, %r1;
    sub.u32 %r3, %r3, %r1;
    mad.lo.u32 %r3, %r3, 100, %r2;
    st.global.u32 [%a], %r3;)") == 32 * 100 + 20);
}

TEST_CASE("a module names its target, its functions and their parameters", "[unit][device_code]") {
  const auto module = parse_module(R"(.version 8.3
.target sm_90a, texmode_independent
.address_size 64
.visible .entry kernel(.param .u32 count, .param .align 16 .b8 args[24], .param .u8 flag)
.maxntid 256, 2, 1
.minnctapersm 3
{
.local .align 8 .b8 depot[40];
.shared .f32 sums[32];
ret;
}
.weak .func (.param .b64 result) helper(.param .b64 value) { ret; }
)",
                                   "some.ptx");
  CHECK(module->name == "some.ptx");
  CHECK(module->target == "sm_90a");
  const Function* const kernel = module->find("kernel");
  REQUIRE(kernel != nullptr);
  CHECK(kernel->is_kernel);
  CHECK(kernel->most_threads == 512);
  REQUIRE(kernel->parameters.size() == 3);
  CHECK(kernel->parameters[1].name == "args");
  CHECK(kernel->parameters[1].offset == 16);
  CHECK(kernel->parameters[1].bytes == 24);
  CHECK(kernel->parameters[2].offset == 40);
  CHECK(kernel->parameter_bytes == 41);
  CHECK(kernel->local_bytes == 40);
  CHECK(kernel->shared_bytes == 128);
  CHECK_FALSE(module->find("helper")->is_kernel);
  CHECK(module->find("helper")->result.bytes == 8);
  CHECK(module->find("other") == nullptr);
}

TEST_CASE("an instruction has its text, its line and its modifiers", "[unit][device_code]") {
  const auto module = parse_module(
      ".entry kernel()\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\n\n"
      "@!%p1 ld.global.nc.L1::no_allocate.v2.s32\n  {%r1, %r2}, [%rd1+-8];\n}\n",
      "some.ptx");
  const Instruction& load = module->find("kernel")->code[0];
  CHECK(load.text == "@!%p1 ld.global.nc.L1::no_allocate.v2.s32\n  {%r1, %r2}, [%rd1+-8]");
  CHECK(load.ptx_line == 7);
  CHECK(load.op == Op::ld);
  CHECK(load.space == Space::global);
  CHECK(load.type == Type{TypeKind::signed_integer, 32});
  CHECK(load.is_noncoherent);
  CHECK(load.guard >= 0);
  CHECK(load.is_guard_negated);
  CHECK(load.to.size() == 2);
  CHECK(load.address_offset == -8);
}

TEST_CASE("a line of the source is shown with the line that it was inlined into", "[unit][device_code]") {
  CHECK(first_source(".loc 1 62 7") == "kernels/cuda/gather.cu:62");
  CHECK(first_source(".loc 2 30 5, function_name $L__info_string0, inlined_at 1 166 3") ==
        "other.hpp:30 < kernels/cuda/gather.cu:166");
  CHECK(first_source(".loc 2 30 5, function_name $L__info_string0+17, inlined_at 1 9 3") ==
        "other.hpp:30 < kernels/cuda/gather.cu:9");
  CHECK(first_source(".loc 3 5 7") == "lib/lab/src/training/kernels/arithmetic.hpp:5");
  CHECK(first_source("") == "PTX line 6");
}

TEST_CASE("a second function of a declared name takes its place", "[unit][device_code]") {
  const std::string functions = R"(
.func (.param .b32 result) answer(.param .b32 value)
;
.func (.param .b32 result) first(.param .b32 value)
{
.reg .b32 %r<3>;
{ .param .b32 param0; .param .b32 retval0;
ld.param.b32 %r1, [value];
st.param.b32 [param0], %r1;
call.uni (retval0), answer, (param0);
ld.param.b32 %r2, [retval0];
}
st.param.b32 [result], %r2;
ret;
}
.func (.param .b32 result) answer(.param .b32 value)
{
.reg .b32 %r<3>;
ld.param.b32 %r1, [value];
add.u32 %r1, %r1, 40;
st.param.b32 [result], %r1;
ret;
}
)";
  CHECK(first_word(R"({ .param .b32 param0; .param .b32 retval0;
    st.param.b32 [param0], 2;
    call.uni (retval0), first, (param0);
    ld.param.b32 %r1, [retval0];
    }
    st.global.u32 [%a], %r1;)",
                   functions) == 42);
}

TEST_CASE("types have the names of PTX", "[unit][device_code]") {
  CHECK(find_type("u32") == Type{TypeKind::unsigned_integer, 32});
  CHECK(find_type("bf16x2") == Type{TypeKind::bfloat_pair, 32});
  CHECK(find_type("pred") == Type{TypeKind::predicate, 1});
  CHECK_FALSE(find_type("u128").has_value());
}
