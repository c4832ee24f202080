"""A message as a record for machines: what the filter sees in it, whole, ready for JSON.

Hashes and digests are hexadecimal text, because many readers of JSON round integers above 2^53.
"""

from __future__ import annotations

from deciban.sources import RawMessage
from deciban.text import Message

TYPE_CHECKING = False
if TYPE_CHECKING:  # the views are loaded only where features are asked for
    from deciban.text.views import Traced


def message_record(raw: RawMessage, message: Message, features: dict[str, list[Traced]]) -> dict[str, object]:
    """The fields of one line of `deciban read --json`; docs/cli.md describes them."""
    record: dict[str, object] = {
        "id": raw.id,
        "bytes": len(raw.data),
        "cut": raw.cut,
        "mail": message.is_mail,
        "digest": message.digest.hex(),
        "headers": [header._asdict() for header in message.headers],
        "parts": [part._asdict() for part in message.parts],
        "links": [link._asdict() for link in message.links],
        "markup": message.markup,
        "facts": message.facts,
        "text": message.text,
        "hidden": message.hidden,
    }
    if features:
        record["features"] = {
            view: [_feature(traced) for traced in found] for view, found in features.items()
        }
    return record


def _feature(traced: Traced) -> dict[str, object]:
    return {
        "hash": f"{traced.hash:016x}",
        "name": traced.name,
        "places": [place._asdict() for place in traced.places],
    }
