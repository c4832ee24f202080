"""Problem details (RFC 9457): what went wrong, as a code for programs and a sentence with a way out.

>>> from deciban.errors import NoSuchSpace
>>> problem = problem_of(NoSuchSpace("There is no such space."))
>>> problem["status"], problem["code"], problem["detail"]
(404, 'no-such-space', 'There is no such space.')

What is wrong with our own files is told without their paths; the log has the rest.
"""

from __future__ import annotations

import re
from typing import Any

from deciban.errors import DecibanError

PROBLEM_JSON = "application/problem+json"
# The class of an error, its status, and what the status is called in words.
STATUSES = {
    "BadRequest": (400, "The request cannot be followed"),
    "BadLabel": (400, "This cannot be a label"),
    "BadSetting": (400, "A value cannot be meant"),
    "BadSpaceName": (400, "This cannot be the name of a space"),
    "WrongUsage": (400, "The request cannot be followed"),
    "DamagedSource": (400, "The data cannot be read"),
    "UnpacksTooMuch": (413, "The body is too large once it is unpacked"),
    "UnknownKey": (401, "A valid key is needed"),
    "NotAllowed": (403, "The key does not open this"),
    "NoSuchPage": (404, "There is nothing at this address"),
    "NoSuchSpace": (404, "There is no such space"),
    "NoSuchEntry": (404, "There is no such entry"),
    "NoSuchLabel": (404, "There is no such label"),
    "NoSuchSource": (404, "This is not there"),
    "WrongMethod": (405, "This address does not take this method"),
    "TooSlow": (408, "The request arrived too slowly"),
    "SpaceExists": (409, "There is a space of this name"),
    "FoldedLesson": (409, "The lesson cannot be taken back"),
    "OverQuota": (409, "The space is full"),
    "TooManyLabels": (409, "The space has as many labels as it can have"),
    "SharedFilterChanged": (409, "The shared filter is another one now"),
    "TooMuch": (413, "The request is too large"),
    "UnknownContent": (415, "This kind of content is not known"),
    "Misdirected": (421, "This is another server"),
    "TooOften": (429, "The key is used too often"),
    "NotReady": (503, "Try again in a moment"),
    "LedgerBusy": (503, "Try again in a moment"),
    "CannotWrite": (507, "Nothing can be written now"),
}
# What is told of our own failures.
OWN = {
    "CannotWrite": "The server cannot write, because its disk is full or its files are read-only. Nothing "
    "was changed by this request. Its administrator finds more in the log.",
    "LedgerBusy": "Another change of this space takes long. Try again in a moment.",
    "DamagedLedger": "The database of this space is damaged. Its administrator runs deciban check.",
    "DamagedStore": "The registry or the journal is damaged. The administrator runs deciban check.",
    "DamagedSnapshot": "The state of this space is damaged, and is made again. Try again in a moment.",
}
FAULT = "Something unforeseen happened. The log of the server has more under the id of this request."


def code_of(name: str) -> str:
    """The code of an error, from the name of its class.

    >>> code_of("NoSuchSpace")
    'no-such-space'
    """
    return re.sub(r"(?<!^)([A-Z])", r"-\1", name).lower()


def problem_of(error: BaseException, request_id: str = "") -> dict[str, Any]:
    """The problem that an error is; one that is not in the tables is told as the kind of error that it is.

    >>> from deciban.errors import DiskFull
    >>> problem_of(DiskFull("The disk is full."))["code"]
    'cannot-write'
    """
    kinds = [kind.__name__ for kind in type(error).__mro__]
    name = next((kind for kind in kinds if kind in STATUSES or kind in OWN), kinds[0])
    status, title = STATUSES.get(name, (500, "The server cannot do this now"))
    known = isinstance(error, DecibanError)
    detail = OWN.get(name) or (str(error) if known and name in STATUSES else FAULT)
    return problem(status, name, title, detail, request_id)


def problem(status: int, name: str, title: str, detail: str, request_id: str = "") -> dict[str, Any]:
    """A problem, as it is sent."""
    code = code_of(name)
    record = {"type": f"urn:deciban:{code}", "title": title, "status": status, "detail": detail, "code": code}
    return {**record, "request_id": request_id} if request_id else record
