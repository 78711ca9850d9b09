"""Files are replaced whole or not at all, and errors name them."""

import errno
from pathlib import Path

import pytest

from foxtray.files import replacing, replacing_bytes


def test_a_file_is_replaced_only_once_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with replacing(path) as file:
        file.write("old")
    path.chmod(0o640)
    with replacing(path) as file:
        file.write("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    with pytest.raises(TypeError), replacing(path) as file:
        file.write(None)  # type: ignore[arg-type]
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "new"


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_the_standard_output_is_written_to(
    name: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    with replacing(name) as file:
        file.write("text\n")
        file.flush()
    with replacing_bytes(name) as raw:
        raw.write(b"bytes\n")
    assert capfdbinary.readouterr().out == b"text\nbytes\n"


def test_a_full_device_is_named() -> None:
    with replacing("/dev/null") as file:
        file.write("text")
    with pytest.raises(OSError, match="/dev/full") as raised, replacing("/dev/full") as file:
        file.write("text")
    assert raised.value.errno == errno.ENOSPC
    assert raised.value.filename == "/dev/full"


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    path = tmp_path / "no" / "file"
    with pytest.raises(FileNotFoundError) as raised, replacing(path):
        pass
    assert raised.value.filename == str(path)
