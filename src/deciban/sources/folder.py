"""Messages of a folder, whatever it is: a Maildir, an MH folder, or a tree of files that hold messages.

A plain folder is read with all folders in it, files first, each in natural order (9 before 10). Every
file is recognised by its content, so a folder may hold single messages, mboxes and archives side by side.
Hidden files and the indexes of mail programs are passed over; links to folders are reported, not followed,
since they may lead in circles.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from deciban.sources.file_names import in_natural_order, passed_over
from deciban.sources.found_file import messages_of
from deciban.sources.maildir import is_maildir, read_maildir
from deciban.sources.mh import is_mh, read_mh
from deciban.sources.progress import Progress, reason_of
from deciban.sources.raw_message import RawMessage


def read_folder(folder: str, progress: Progress) -> Iterator[RawMessage]:
    """The messages in the folder and, where it is a plain one, in the folders within."""
    waiting = [folder]  # a stack instead of recursion: folders may be nested deeper than Python's calls
    while waiting:
        place = waiting.pop()
        if is_maildir(place):
            yield from read_maildir(place, progress)
        elif is_mh(place):
            yield from read_mh(place, progress)
        else:
            files, folders = _listing(place, progress)
            yield from messages_of(files, progress)
            waiting += reversed(folders)


def folder_size(folder: str) -> int:
    """The bytes of all files in the folder that are not passed over: what reading it will consume, nearly."""
    total = 0
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if passed_over(entry.name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif os.path.isfile(entry.path):
                        total += entry.stat().st_size
        except OSError:
            continue  # reading will report it
    return total


def _listing(folder: str, progress: Progress) -> tuple[list[str], list[str]]:
    """The paths of the files and of the folders in a plain folder, each in natural order."""
    files: dict[str, str] = {}  # paths by names
    folders: dict[str, str] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if passed_over(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders[entry.name] = entry.path
                elif entry.is_symlink() and os.path.isdir(entry.path):  # entry.is_dir() raises on a circle
                    progress.skip(entry.path, "a link to a folder; name it to have it read")
                else:
                    files[entry.name] = entry.path
    except OSError as error:
        progress.skip(folder, reason_of(error))
    return _ordered(files), _ordered(folders)


def _ordered(paths: dict[str, str]) -> list[str]:
    return [paths[name] for name in in_natural_order(paths)]
