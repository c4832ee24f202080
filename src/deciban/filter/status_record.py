"""The status of a filter as a record of plain values, for JSON and the server."""

from __future__ import annotations

from deciban.decibans import DECIBANS_A_NAT
from deciban.filter.status import LabelExams
from deciban.filter.threshold import Assurance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.filter.alerts import Alert
    from deciban.filter.status import Quality, Status
    from deciban.ledger import Lesson


def status_record(status: Status, lessons: dict[bytes, Lesson], alerts: list[Alert]) -> dict[str, object]:
    """A status ready for JSON; docs/json.md describes the fields."""
    return {
        "alerts": [alert.as_dict() for alert in alerts],
        "lessons": status.lessons,
        "examined": status.examined,
        "right": status.right,
        "cost": status.threshold.cost,
        "promise": status.threshold.promise,
        "standing": status.standing,
        "assurance": {name: getattr(status.assurance, name) for name in Assurance.field_names},
        "overall": _quality_record(status.overall),
        "recent": _quality_record(status.recent),
        "labels": {
            label: {name: getattr(exams, name) for name in LabelExams.field_names}
            for label, exams in status.by_label.items()
        },
        "curve": status.curve,
        "folded": {"lessons": status.folded.lessons, "until": status.folded.until / 1e6},
        "shared": status.shared
        and {name: getattr(status.shared, name) for name in ("path", "digest", "lessons")},
        "belief": status.belief,
        "kept_mails": {"count": status.mails.count, "bytes": status.mails.size},
        "doubts": [
            {
                "digest": doubt.digest.hex(),
                "label": doubt.label,
                "best": doubt.best,
                "decibans": doubt.nats * DECIBANS_A_NAT,
                "sender": lessons[doubt.digest].sender,
                "subject": lessons[doubt.digest].subject,
                "source": lessons[doubt.digest].source,
            }
            for doubt in status.doubts
        ],
    }


def _quality_record(quality: Quality) -> dict[str, object]:
    return {name: getattr(quality, name) for name in (*quality.field_names, "lost_at_most", "missed_at_most")}
