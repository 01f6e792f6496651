#!/usr/bin/env python3
"""What the CUDA compiler made of the kernels: registers and spills from its own report, the width of loads and stores
from the machine code.

cuda_code_test.py NVCC SOURCE_FOLDER ARCHITECTURE...
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

NVCC, SOURCES, ARCHITECTURES = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
MOST_REGISTERS = 64  # of 65,536 a multiprocessor: 4 blocks of 256 threads stay resident, enough to hide the memory
LOAD, STORE = 0x181, 0x186  # LDG and STG: the low 9 bits of an instruction's opcode, from compute capability 7.5 on
WIDTHS = {0: 8, 1: 8, 2: 16, 3: 16, 4: 32, 5: 64, 6: 128}  # bits, by the size field of LDG and STG


def compile_kernels(source, architecture, folder):
    """The cubin, and the compiler's report."""
    cubin = folder / f"{source.stem}-{architecture}.cubin"
    command = [NVCC, "-std=c++20", "-O3", "-cubin", f"-arch=sm_{architecture}", "--resource-usage",
               f"-I{SOURCES}", "-o", str(cubin), str(source)]
    return cubin, subprocess.run(command, capture_output=True, text=True, check=True).stderr


def resource_usage(report):
    """Registers and bytes spilled of each kernel."""
    pattern = re.compile(r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores, (\d+) bytes spill loads.*?"
                         r"Used (\d+) registers", re.S)
    return {name: dict(registers=int(registers), spilled=int(stores) + int(loads))
            for name, stores, loads, registers in pattern.findall(report)}


def memory_widths(cubin):
    """Of each kernel, the widths in bits of its global loads and stores, one an instruction."""
    data = cubin.read_bytes()
    section_table, = struct.unpack_from("<Q", data, 40)
    section_count, names_section = struct.unpack_from("<HH", data, 60)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, section_table + 64 * i) for i in range(section_count)]
    names = sections[names_section][4]
    kernels = {}
    for section in sections:
        start = names + section[0]
        name = data[start:data.index(b"\0", start)].decode()
        if not name.startswith(".text."):
            continue
        widths = {LOAD: [], STORE: []}
        for at in range(section[4], section[4] + section[5], 16):
            low, high = struct.unpack_from("<QQ", data, at)
            if low & 0x1FF in widths and low & 0xE00:
                widths[low & 0x1FF].append(WIDTHS[high >> 9 & 7])
        kernels[name[len(".text."):]] = dict(loads=widths[LOAD], stores=widths[STORE])
    return kernels


class CudaCode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
            jobs = [(source, architecture) for architecture in ARCHITECTURES
                    for source in sorted((SOURCES / "cuda").glob("*.cu"))]
            made = list(pool.map(lambda job: compile_kernels(*job, pathlib.Path(folder)), jobs))
            cls.usage = [(architecture, name, usage) for (_, architecture), (_, report) in zip(jobs, made)
                         for name, usage in resource_usage(report).items()]
            cls.widths = [(architecture, name, widths) for (_, architecture), (cubin, _) in zip(jobs, made)
                          for name, widths in memory_widths(cubin).items()]

    def test_every_kernel_was_seen(self):
        for kernel in ("gather_vectors", "gather_values", "copy_rows", "sum_codes", "fold_maps", "advance_cursor"):
            for architecture in ARCHITECTURES:
                self.assertTrue(any(kernel in name for seen, name, _ in self.usage if seen == architecture), kernel)
                self.assertTrue(any(kernel in name for seen, name, _ in self.widths if seen == architecture), kernel)

    def test_no_kernel_spills_or_takes_too_many_registers(self):
        for architecture, name, usage in self.usage:
            with self.subTest(architecture=architecture, kernel=name):
                self.assertEqual(usage["spilled"], 0)
                self.assertLessEqual(usage["registers"], MOST_REGISTERS)

    def test_the_gather_stores_16_bytes_at_once(self):
        seen = 0
        for architecture, name, widths in self.widths:
            if "gather_vectors" not in name:
                continue
            seen += 1
            with self.subTest(architecture=architecture, kernel=name):
                self.assertGreaterEqual(widths["stores"].count(128), 4)
                # Beside the values only labels are stored: 4 bytes at a time, or 8 where they are widened to int64. The
                # error is an atomic operation.
                self.assertEqual(set(widths["stores"]) - {32, 64, 128}, set())
                # One of 8 for two of 4 (as stored, as float32), however often the compiler repeats the loop.
                self.assertEqual(widths["stores"].count(32), 2 * widths["stores"].count(64))
        self.assertEqual(seen, 6 * len(ARCHITECTURES))  # three types, with and without a mean image

    def test_the_gather_loads_the_codes_of_a_store_at_once(self):
        for architecture, name, widths in self.widths:
            if "gather_vectors" in name:
                with self.subTest(architecture=architecture, kernel=name):
                    codes = 32 if "gather_vectorsIf" in name else 64
                    self.assertGreaterEqual(widths["loads"].count(codes), 4)
                    self.assertLessEqual(widths["loads"].count(8), 1)  # the flag of a cursor's order


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
