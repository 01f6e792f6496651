"""Datasets whose bytes are somewhere else: each route gives the bits of the local file, and errors are one line."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from conftest import Packed, write_packed
from octavo._remote import byte_source, problems
from remote_servers import ObjectServer, RangeStore, serving

KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "deflate": {"compress": "deflate"},
    "lp8": {"compress": "lp8"},
    "lc8": {"compress": "lc8"},
    "masks": {},
}


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each kind."""
    folder = tmp_path_factory.mktemp("remote")
    rng = np.random.default_rng(5)
    paths = {}
    for kind, options in KINDS.items():
        paths[kind] = folder / f"{kind}.h5"
        with octavo.Writer(paths[kind], layout="chw", classes=["a", "b", "c"], **options) as writer:
            for number in range(120):
                image = 8 * number % 150 + np.arange(480).reshape(24, 20) // 8 + rng.integers(0, 4, (3, 24, 20))
                mask = {"mask": rng.integers(0, 3, (24, 20), np.uint8)} if kind == "masks" else {}
                writer.append(image.astype(np.uint8), number % 3, **mask)
    return paths


@pytest.fixture
def server(files: dict[str, Path]) -> Iterator[ObjectServer]:
    with serving() as made:
        for kind, path in files.items():
            made.objects[f"/bucket/{kind}.h5"] = path.read_bytes()
        yield made


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "RETRIES", problems.Retries(first_seconds=0.001))


@pytest.fixture
def s3(server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> str:
    settings = {"ENDPOINT_URL": server.url, "ALLOW_HTTP": "true", "REGION": "us-east-1", "ACCESS_KEY_ID": "KEY-ID",
                "SECRET_ACCESS_KEY": "SECRET-VALUE"}  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    return "s3://bucket"


Route = Callable[[str], Any]


@pytest.fixture(params=["http", "s3", "fsspec memory", "fsspec file", "fsspec http", "ranges", "obstore memory"])
def route(request: pytest.FixtureRequest, files: dict[str, Path], server: ObjectServer) -> Route:
    """What opens the file of a kind in one of the ways."""
    if request.param in ("http", "s3", "obstore memory"):
        obstore = pytest.importorskip("obstore")
    if request.param.startswith("fsspec"):
        fsspec = pytest.importorskip("fsspec")
    if request.param == "http":
        return lambda kind: f"{server.url}/bucket/{kind}.h5"
    if request.param == "s3":
        bucket = request.getfixturevalue("s3")
        return lambda kind: f"{bucket}/{kind}.h5"
    if request.param == "fsspec memory":
        for kind, path in files.items():
            fsspec.filesystem("memory").pipe_file(f"/files/{kind}.h5", path.read_bytes())
        return lambda kind: f"memory://files/{kind}.h5"
    if request.param == "fsspec file":
        return lambda kind: fsspec.core.OpenFile(fsspec.filesystem("file"), str(files[kind]))
    if request.param == "fsspec http":
        pytest.importorskip("aiohttp")
        return lambda kind: (fsspec.filesystem("http"), f"{server.url}/bucket/{kind}.h5")
    if request.param == "ranges":
        return lambda kind: octavo.remote_file(RangeStore(files[kind].read_bytes()), "a.h5")
    store = obstore.store.MemoryStore()
    for kind, path in files.items():
        obstore.put(store, f"{kind}.h5", path.read_bytes())
    return lambda kind: (store, f"{kind}.h5")


def batches(data: Any, **options: Any) -> list[bytes]:
    """The bytes of two epochs, shuffled."""
    with octavo.Loader(data, batch_size=32, shuffle=True, seed=3, framework="numpy", device="cpu", **options) as loader:
        return [part.tobytes() for _ in range(2) for batch in loader for part in batch]


@pytest.mark.parametrize("kind", KINDS)
def test_batches_are_those_of_the_local_file(route: Route, files: dict[str, Path], kind: str) -> None:
    assert batches(route(kind), residency="streamed") == batches(files[kind])


@pytest.mark.parametrize("kind", ["plain", "lp8", "masks"])
@pytest.mark.parametrize("residency", [{"residency": "device"}, {"residency": "hybrid", "resident": 50},
                                       {"residency": "window", "window": 40}, {"verify": False}])  # fmt: skip
def test_every_residency_reads_remotely(files: dict[str, Path], kind: str, residency: dict[str, Any]) -> None:
    store = RangeStore(files[kind].read_bytes())
    assert batches((store, "a.h5"), **residency) == batches(files[kind], **residency)


def test_everything_that_reads_accepts_a_remote_file(route: Route, files: dict[str, Path]) -> None:
    remote, local = octavo.Dataset(route("masks")), octavo.Dataset(files["masks"])
    split = remote["train"]
    assert (split.images[5:60] == local["train"].images[5:60]).all()
    assert (split.images[[3, 100]] == local["train"].images[[3, 100]]).all()
    assert (split.masks[:] == local["train"].masks[:]).all()
    assert (split.labels == local["train"].labels).all()
    assert (split.mean_image == local["train"].mean_image).all()
    assert remote.provenance == local.provenance
    assert remote.digest == local.digest
    assert octavo.info(route("masks"))["splits"] == octavo.info(files["masks"])["splits"]
    assert octavo.plan(route("masks"), memory="1GiB")["split"] == octavo.plan(files["masks"], memory="1GiB")["split"]
    assert len(octavo.Store(route("masks"), device="cpu")) == 120
    assert octavo.view(route("masks"), count=2).png == octavo.view(files["masks"], count=2).png


def test_a_path_is_the_address_without_secrets(files: dict[str, Path], server: ObjectServer) -> None:
    pytest.importorskip("obstore")
    address = server.url.replace("//", "//user:PASSWORD@")
    dataset = octavo.Dataset(f"{address}/bucket/plain.h5?signature=SIGNATURE")
    assert dataset.path == f"{server.url}/bucket/plain.h5"
    loader = octavo.Loader(dataset, batch_size=32, device="cpu", framework="numpy")
    next(iter(loader))
    for text in (repr(dataset), repr(loader), json.dumps(loader.state_dict(), default=str), str(octavo.info(dataset))):
        assert "SIGNATURE" not in text
        assert "PASSWORD" not in text
    server.objects.clear()
    with pytest.raises(FileNotFoundError) as error:
        octavo.Dataset(f"{address}/bucket/plain.h5?signature=SIGNATURE")
    assert "SIGNATURE" not in str(error.value)
    assert "PASSWORD" not in str(error.value)


@pytest.mark.parametrize("residency", ["streamed", "device"])
def test_shards_are_read_remotely(files: dict[str, Path], tmp_path: Path, server: ObjectServer, residency: str) -> None:
    pytest.importorskip("obstore")
    job = octavo.ShardedPack(files["plain"], tmp_path / "out", shards=3)
    for shard in range(3):
        job(shard)
    job.merge()
    for path in (tmp_path / "out").iterdir():
        server.objects[f"/shards/{path.name}"] = path.read_bytes()
    expected = batches(files["plain"])
    assert batches(f"{server.url}/shards/", residency=residency) == expected
    dataset = octavo.Dataset(f"{server.url}/shards/dataset.json?signature=1")
    assert batches(pickle.loads(pickle.dumps(dataset)), residency=residency) == expected
    assert in_child(lambda: batches(dataset, residency=residency) == expected)
    fsspec = pytest.importorskip("fsspec")
    local = (fsspec.filesystem("file"), f"{tmp_path}/out/dataset.json")
    assert batches(local, residency=residency) == expected
    del server.objects["/shards/shard-00001-of-00003.h5"]
    with pytest.raises(FileNotFoundError, match=r"shard-00001-of-00003\.h5"):
        octavo.Dataset(f"{server.url}/shards/")


# ---- What is read when ---------------------------------------------------------------------------------------------


def test_nothing_is_read_before_a_dataset_is_opened(files: dict[str, Path]) -> None:
    store = RangeStore(files["plain"].read_bytes())
    source = octavo.remote_file(store, "a.h5")
    assert (store.heads, store.calls) == (0, [])
    octavo.Dataset(source)
    assert store.heads == 1
    assert 1 <= len(store.ranges) <= 4


def test_the_samples_of_a_batch_are_asked_for_together(tmp_path: Path) -> None:
    packed = write_packed(tmp_path / "a.h5", 400, (3, 64, 64))
    store = RangeStore(packed.path.read_bytes())
    # Every 20th sample: 240 KiB apart, so nothing is joined.
    rows = np.arange(10, 400, 20)
    loaded = octavo.Store((store, "a.h5"), residency="streamed", device="cpu", threads=1)
    store.calls.clear()
    images, _ = loaded.gather(rows, framework="numpy")
    assert (images == octavo.Store(packed.path, device="cpu").gather(rows, framework="numpy")[0]).all()
    sample = [call for call in store.calls if call[0][1] - call[0][0] == 3 * 64 * 64]
    assert sum(map(len, sample)) == len(rows)
    assert max(map(len, sample)) > 1


def test_samples_are_requested_once_and_early(tmp_path: Path) -> None:
    packed = write_packed(tmp_path / "a.h5", 160, (3, 200, 200))
    store = RangeStore(packed.path.read_bytes())
    options: Any = {"batch_size": 4, "shuffle": True, "residency": "streamed", "device": "cpu", "framework": "numpy"}
    with octavo.Loader((store, "a.h5"), **options) as loader:
        batches = iter(loader)
        for _ in range(10):
            next(batches)
            time.sleep(0.02)  # as a training step; each batch is there when it is wanted
        deadline = time.monotonic() + 10
        while sum(end - begin for begin, end in store.ranges) < 100 * 3 * 200 * 200:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        for _ in batches:
            pass
    # The first samples of the next epoch are requested, too.
    assert sum(end - begin for begin, end in store.ranges) < 1.5 * packed.path.stat().st_size


def test_neighbors_are_one_request(tmp_path: Path) -> None:
    packed = write_packed(tmp_path / "a.h5", 400, (3, 64, 64))
    store = RangeStore(packed.path.read_bytes())
    loaded = octavo.Store((store, "a.h5"), residency="streamed", device="cpu", threads=1)
    store.calls.clear()
    # Every other sample: gaps of 12 KiB.
    loaded.gather(np.arange(0, 60, 2), framework="numpy")
    assert len(store.ranges) <= 4
    assert sum(end - begin for begin, end in store.ranges) < 64 * 3 * 64 * 64


def test_large_reads_are_several_requests(tmp_path: Path) -> None:
    packed = write_packed(tmp_path / "a.h5", 1000, (3, 64, 64))
    store = RangeStore(packed.path.read_bytes())
    split = octavo.Dataset((store, "a.h5"))["train"]
    store.calls.clear()
    assert (split.images[:] == packed.codes).all()
    assert 4 <= len(store.ranges) <= 9
    assert max(end - begin for begin, end in store.ranges) > 2 << 20
    # No byte is read twice.
    assert sum(end - begin for begin, end in store.ranges) < packed.path.stat().st_size


# ---- The cache on a local disk ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_cached_dataset_is_fetched_once(kind: str, files: dict[str, Path], tmp_path: Path) -> None:
    store = RangeStore(files[kind].read_bytes())
    expected = batches(files[kind])
    for is_first in (True, False):
        store.calls.clear()
        dataset = octavo.Dataset((store, "a.h5"), cache=tmp_path / "cache", cache_size="1GiB")
        assert batches(dataset, residency="streamed") == expected
        assert bool(store.ranges) == is_first or len(store.ranges) <= 1  # the header, to compare it
        assert pickle.loads(pickle.dumps(dataset._source))._cache == (str(tmp_path / "cache"), 1 << 30)
        dataset.close()


def test_a_full_or_unusable_cache_is_not_an_error(files: dict[str, Path], tmp_path: Path) -> None:
    source = octavo.remote_file(RangeStore(files["plain"].read_bytes()), "a.h5")
    expected = batches(files["plain"])
    assert batches(octavo.Dataset(source, cache=tmp_path / "small", cache_size=300_000)) == expected
    in_use = sum(file.stat().st_blocks * 512 for file in (tmp_path / "small").rglob("*") if file.is_file())
    assert in_use <= 300_000
    (tmp_path / "file").write_text("no folder")
    with pytest.warns(RuntimeWarning, match="reading goes on without the cache"):
        dataset = octavo.Dataset(source, cache=tmp_path / "file" / "cache")
    assert batches(dataset) == expected


@pytest.mark.parametrize(("size", "message"), [(0, "above 0"), ("many", "many"), (-5, "above 0")])
def test_an_invalid_size_of_a_cache_is_refused(size: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        octavo.Dataset("s3://bucket/a.h5", cache=tmp_path, cache_size=size)
    with pytest.raises(ValueError, match="there is no cache"):
        octavo.Dataset("s3://bucket/a.h5", cache_size=1)


def test_a_small_read_keeps_the_block_around_it(files: dict[str, Path]) -> None:
    store = RangeStore(files["plain"].read_bytes())
    split = octavo.Dataset((store, "a.h5"))["train"]
    for number in range(20):
        split.images[number]
    assert len(store.ranges) < 12


# ---- Processes and threads -----------------------------------------------------------------------------------------


def in_child(work: Callable[[], bool]) -> bool:
    """Whether `work` returns True in a child of fork()."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs is an error
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("route", ["http", "s3", "fsspec memory", "fsspec http", "ranges"], indirect=True)
def test_a_child_of_fork_reads(route: Route, files: dict[str, Path]) -> None:
    expected = batches(files["plain"])
    dataset = octavo.Dataset(route("plain"))
    assert batches(dataset, residency="streamed") == expected
    assert in_child(lambda: batches(dataset, residency="streamed") == expected)
    assert batches(dataset, residency="streamed") == expected


@pytest.mark.parametrize("route", ["obstore memory"], indirect=True)
def test_a_store_that_cannot_be_pickled_is_an_error_after_fork(route: Route) -> None:
    split = octavo.Dataset(route("plain"))["train"]

    def fails() -> bool:
        with pytest.raises(OSError, match=r"obstore does not work after fork\(\), and its store has no pickle: "):
            split.images[:]
        return True

    assert in_child(fails)


def test_a_child_reads_on_while_its_parent_reads_ahead(files: dict[str, Path]) -> None:
    expected = batches(files["plain"], residency="streamed")
    store = RangeStore(files["plain"].read_bytes())
    with octavo.Loader((store, "a.h5"), batch_size=32, shuffle=True, seed=3, framework="numpy", device="cpu",
                       residency="streamed") as loader:  # fmt: skip
        iterator = iter(loader)
        first = [part.tobytes() for part in next(iterator)]
        rest = lambda: [part.tobytes() for batch in iterator for part in batch]  # noqa: E731
        assert in_child(lambda: first + rest() == expected[: len(expected) // 2])
        assert first + rest() == expected[: len(expected) // 2]


def test_pickles_have_the_address_and_no_secrets(s3: str, files: dict[str, Path]) -> None:
    pytest.importorskip("obstore")
    loader = octavo.Loader(f"{s3}/plain.h5", batch_size=32, framework="numpy", device="cpu", seed=1)
    next(iter(loader))
    for made in (loader.dataset.dataset, loader.dataset, loader._store, loader):
        content = pickle.dumps(made)
        assert b"s3://bucket/plain.h5" in content
        assert b"SECRET-VALUE" not in content
        assert type(pickle.loads(content)) is type(made)
    again = pickle.loads(pickle.dumps(loader))
    assert [batch[0].tobytes() for batch in again] == [batch[0].tobytes() for batch in loader]


def test_another_process_reads_what_it_gets_as_a_pickle(server: ObjectServer) -> None:
    pytest.importorskip("obstore")
    dataset = octavo.Dataset(f"{server.url}/bucket/plain.h5")
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)['train'].images[7].sum())"
    ended = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(dataset), capture_output=True, check=True)
    assert int(ended.stdout) == dataset["train"].images[7].sum()


SLOW = """
    import signal, sys, threading, time
    import octavo
    from remote_servers import RangeStore

    store = RangeStore(open(sys.argv[1], "rb").read())
    dataset = octavo.Dataset((store, "a.h5"))
    loader = octavo.Loader(dataset, batch_size=8, shuffle=True, framework="numpy", device="cpu", residency="streamed")
    iterator = iter(loader)
    next(iterator)
    store.seconds = 1000
"""


def run_slow(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Runs code after SLOW, whose store does not answer any more. If it hangs, its errors say where."""
    program = (
        "import faulthandler; faulthandler.dump_traceback_later(60, exit=True)\n"
        + textwrap.dedent(SLOW)
        + textwrap.dedent(code)
    )
    search = os.pathsep.join([str(Path(__file__).parent.parent), *sys.path])
    return subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=100,
        env={**os.environ, "PYTHONPATH": search},
    )  # fmt: skip


def test_the_interpreter_ends_while_threads_wait(files: dict[str, Path]) -> None:
    ended = run_slow(
        """
        threading.Thread(target=lambda: dataset["train"].images[:], daemon=True).start()
        time.sleep(0.1)
        sys.exit(7)
        """,
        files["plain"],
    )
    assert (ended.returncode, ended.stderr) == (7, "")


def test_ctrl_c_ends_a_read(files: dict[str, Path]) -> None:
    ended = run_slow(
        """
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
        try:
            octavo.Dataset((store, "b.h5"))["train"].images[:]
        except KeyboardInterrupt:
            sys.exit(8)
        """,
        files["plain"],
    )
    assert (ended.returncode, ended.stderr) == (8, "")


def test_many_threads_read_one_dataset(files: dict[str, Path]) -> None:
    local = octavo.Dataset(files["plain"])["train"]
    remote = octavo.Dataset((RangeStore(files["plain"].read_bytes()), "a.h5"))
    same = []

    def read(begin: int) -> None:
        split = remote["train"]
        same.extend((split.images[number] == local.images[number]).all() for number in range(begin, 120, 8))

    threads = [threading.Thread(target=read, args=(begin,)) for begin in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same == [True] * 120


# ---- Errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["http", "s3"])
def test_a_missing_object_and_denied_access_are_named(scheme: str, server: ObjectServer, s3: str) -> None:
    pytest.importorskip("obstore")
    folder = s3 if scheme == "s3" else f"{server.url}/bucket"
    with pytest.raises(FileNotFoundError, match=r'open ".*/none\.h5": there is no such object.*; check the address'):
        octavo.Dataset(f"{folder}/none.h5")
    server.statuses = [403]
    with pytest.raises(PermissionError, match=r'open ".*/plain\.h5": access is denied.*; check the credentials'):
        octavo.Dataset(f"{folder}/plain.h5")


def test_a_missing_file_of_fsspec_is_named() -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(FileNotFoundError, match=r'open "memory://none\.h5": there is no such object'):
        octavo.Dataset("memory://none.h5")


def test_a_server_that_is_busy_is_asked_again(server: ObjectServer, files: dict[str, Path]) -> None:
    pytest.importorskip("obstore")
    server.statuses = [503, 429]
    split = octavo.Dataset(f"{server.url}/bucket/plain.h5")["train"]
    server.statuses = [500]
    assert (split.images[:] == octavo.Dataset(files["plain"])["train"].images[:]).all()


def test_a_server_without_ranges_is_refused(server: ObjectServer) -> None:
    pytest.importorskip("obstore")
    server.ignores_ranges = True
    with pytest.raises(OSError, match=r"it cannot be read in ranges, so copy the file first"):
        octavo.Dataset(f"{server.url}/bucket/plain.h5")


def test_an_object_that_changes_is_an_error_of_the_next_read(server: ObjectServer) -> None:
    pytest.importorskip("obstore")
    split = octavo.Dataset(f"{server.url}/bucket/plain.h5")["train"]
    assert {headers.get("if-match") for headers in server.headers} == {None, '"1"'}
    server.etag = '"2"'
    with pytest.raises(OSError, match=r'read ".*plain\.h5": the file was changed while it was read; open it again'):
        split.images[:]


def test_a_weak_etag_is_compared_but_not_sent(server: ObjectServer, files: dict[str, Path]) -> None:
    pytest.importorskip("obstore")
    server.etag = 'W/"1"'
    assert batches(f"{server.url}/bucket/plain.h5") == batches(files["plain"])
    assert all("if-match" not in headers for headers in server.headers)
    split = octavo.Dataset(f"{server.url}/bucket/plain.h5")["train"]
    server.etag = 'W/"2"'
    with pytest.raises(OSError, match="the file was changed while it was read"):
        split.images[:]


def test_what_has_no_conditions_is_described_again(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_source, "CHECK_SECONDS", 0.0)
    store = RangeStore(files["plain"].read_bytes())
    loaded = octavo.Store((store, "a.h5"), residency="streamed", device="cpu")
    loaded.gather([1, 2], framework="numpy")
    store.version = "2"
    with pytest.raises(OSError, match=r'read "RangeStore/a\.h5": the file was changed while it was read'):
        loaded.gather([1, 2], framework="numpy")


def test_a_short_answer_is_repeated_and_then_an_error(files: dict[str, Path]) -> None:
    store = RangeStore(files["plain"].read_bytes())
    split = octavo.Dataset((store, "a.h5"))["train"]
    store.cuts = 2
    expected = octavo.Dataset(files["plain"])["train"].images[:]
    assert (split.images[:] == expected).all()
    other = octavo.Dataset((store, "a.h5"))["train"]
    store.cuts = 1000
    with pytest.raises(OSError, match=r'"RangeStore/a\.h5": asked for bytes \d+ to \d+, got \d+ of \d+; try again'):
        other.images[:]
    store.cuts = 0
    assert (other.images[:] == expected).all()


def test_exceptions_of_a_store_are_one_line_without_secrets(files: dict[str, Path]) -> None:
    store = RangeStore(files["plain"].read_bytes())
    split = octavo.Dataset((store, "a.h5"))["train"]
    store.failures = [ConnectionResetError("reset")]
    split.images[:]
    store.failures = [OSError("first\nsecond https://me:PASSWORD@host/a?key=SECRET")] * 1000
    other = octavo.Dataset((RangeStore(store.content), "a.h5"))["train"]
    other.dataset._source._source.failures = store.failures
    with pytest.raises(OSError, match=r'read "RangeStore/a.h5": first second https://host/a; ') as error:
        other.images[:]
    assert "\n" not in str(error.value)
    assert type(error.value) is OSError


def test_a_truncated_object_is_an_error(files: dict[str, Path]) -> None:
    with pytest.raises(octavo.FormatError, match=r'open "RangeStore/a\.h5": .* it was truncated'):
        octavo.Dataset((RangeStore(files["plain"].read_bytes()[:-100]), "a.h5"))
    with pytest.raises(octavo.FormatError, match=r'open "RangeStore/a\.h5": '):
        octavo.Dataset((RangeStore(b""), "a.h5"))


def test_a_damaged_sample_is_named(packed: Packed) -> None:
    content = bytearray(packed.path.read_bytes())
    content[content.index(packed.codes[30].tobytes()) + 3] ^= 1
    with pytest.raises(octavo.FormatError, match=r'read "RangeStore/a\.h5": .*sample 30 is damaged'):
        batches((RangeStore(bytes(content)), "a.h5"), residency="streamed")


def test_missing_packages_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_source, "is_installed", lambda name: False)
    with pytest.raises(
        ImportError, match=r'open "s3://b/k\.h5": .* needs the extra .*\[remote\]; run: pip install obstore$'
    ):
        octavo.Dataset("s3://b/k.h5?versionId=1")
    with pytest.raises(ImportError, match=r'open "hf://b/k\.h5": reading hf:// needs fsspec; run: pip install fsspec'):
        octavo.Dataset("hf://b/k.h5")


def test_a_route_without_obstore_is_fsspec(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").pipe_file("/files/plain.h5", files["plain"].read_bytes())
    chained = "simplecache::memory://files/plain.h5"
    assert batches(chained, residency="streamed") == batches(files["plain"])


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"pass the path of a local file, without file:"):
        octavo.Dataset(f"file://{tmp_path}/a.h5")
    with pytest.raises(TypeError, match=r"object has neither get_ranges\(\) and head\(\) nor cat_ranges\(\) and info"):
        octavo.remote_file(object(), "a.h5")
    with pytest.raises(TypeError, match="got int; pass a store and a path, or an address"):
        octavo.remote_file(3)
    with pytest.raises(TypeError, match="path is of type int; pass a str"):
        octavo.remote_file(RangeStore(b""), 3)
