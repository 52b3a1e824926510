"""A file is replaced as a whole, or what was there stays."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from ctucbvi.disk import replace_file
from ctucbvi.errors import InputError
from ctucbvi.library import machine_repair
from ctucbvi.modelfile import load_model, save_model


def full(descriptor: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("m.npz", "m.toml", "m.json"):
        save_model(machine_repair(), tmp_path / name)
    monkeypatch.setattr(os, "fsync", full)
    for name in ("m.npz", "m.toml", "m.json", "new.npz"):
        with pytest.raises(InputError, match=r"cannot be written \(No space left on device\); name a"):
            save_model(machine_repair().with_horizon(2), tmp_path / name)
    assert {path.name for path in tmp_path.iterdir()} == {"m.npz", "m.toml", "m.json"}
    assert all(load_model(path) == machine_repair() for path in tmp_path.iterdir())


def test_an_interruption_leaves_no_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(tmp_path / "new", b"new")
    assert not list(tmp_path.iterdir())


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    file, link, ahead = tmp_path / "there" / "file", tmp_path / "link", tmp_path / "ahead"
    file.write_bytes(b"old, and longer")
    file.chmod(0o640)
    link.symlink_to(file)
    ahead.symlink_to(tmp_path / "there" / "none yet")
    replace_file(link, b"new")
    replace_file(ahead, b"first")
    assert link.is_symlink()
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    assert ahead.is_symlink()
    assert ahead.read_bytes() == b"first"
    (tmp_path / "plain").write_bytes(b"")
    assert ahead.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_name_as_long_as_can_be(tmp_path: Path) -> None:
    replace_file(tmp_path / ("x" * 255), b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["x" * 255]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are none")
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writing = threading.Thread(target=replace_file, args=(tmp_path / "pipe", b"new"))
    writing.start()
    assert (tmp_path / "pipe").read_bytes() == b"new"
    writing.join()
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="whom nothing is forbidden")
def test_what_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text("mine")
    (tmp_path / "m.toml").chmod(0o444)
    with pytest.raises(InputError, match="cannot be written"):
        save_model(machine_repair(), tmp_path / "m.toml")
    assert (tmp_path / "m.toml").read_text() == "mine"
