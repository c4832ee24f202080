"""Runs ``deciban`` again and again, each time with one system call that fails: python -m tests.shim.runner

Reads one JSON object a line: folder, arguments, call, n, error, lasting. For each, a child of this process
arms the shim (failing_calls.c, which must be preloaded) and runs the command; the answer is one JSON object:
the exit code, what it said, how often each call was made on files of the folder, and whether a lock was
upgraded, or one on a state held while something was forced to the disk.
"""

import ctypes
import json
import os
import sys
import tempfile

import deciban.filter.changing
import deciban.filter.checking
import deciban.filter.foundation
import deciban.filter.kept_mail
import deciban.filter.mail
import deciban.filter.replaying
import deciban.filter.safekeeping
import deciban.filter.shared_filter
import deciban.filter.status
import deciban.filter.word_evidence
import deciban.journal.desk
import deciban.journal.journal_writer
import deciban.journal.sqlite_journal
import deciban.ledger.exchange
import deciban.ledger.sqlite_copy
import deciban.ledger.sqlite_salvage  # noqa: F401 (all is read from the disk before something fails)
from deciban.cli import main
from deciban.cli.verbs import VERBS, load_verb
from deciban.filter import learned

# A batch is cut off after some seconds; on a slow machine a verb would do part of its work, durably.
learned.BATCH_SECONDS = float("inf")
FILE_CALLS = ("write", "pwrite", "fsync", "fdatasync", "ftruncate", "fallocate", "mmap", "read", "pread")
CALLS = (*FILE_CALLS, "fcntl", "open", "unlink", "link", "rename", "sendfile")


def child(order: dict, said: int) -> int:
    """Run one command with what it says in a file; its exit code."""
    shim = ctypes.CDLL(None)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.dup2(os.open(order.get("stdin", os.devnull), os.O_RDONLY), 0)
    call = order["call"].encode()
    shim.shim_arm(os.fsencode(order["folder"]), call, order["n"], order["error"], order["lasting"])
    try:
        code = main(order["arguments"])
    finally:
        counts = {name: shim.shim_count(name.encode()) for name in CALLS}
        locks = {"held": shim.shim_held(), "upgraded": shim.shim_upgraded()}
        shim.shim_arm(b"-", b"open", 0, 0, 0)
        sys.stdout.flush()
        os.write(said, b"\n" + json.dumps([counts, locks]).encode())
    return code


def run(order: dict) -> dict:
    """What became of one command."""
    with tempfile.TemporaryFile() as said:
        process = os.fork()
        if not process:
            code = 99
            try:
                code = child(order, said.fileno())
            finally:
                os._exit(code)
        _, status = os.waitpid(process, 0)
        code = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text, _, told = said.read().decode(errors="replace").rpartition("\n")
        counts, locks = json.loads(told) if code >= 0 else ({}, {})
        return {"code": code, "said": text, "counts": counts, "locks": locks}


if __name__ == "__main__":
    for verb in VERBS:
        load_verb(verb)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
