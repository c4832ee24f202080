"""Header field names: which are known, and which a filter or a mail store adds after the message was sent.

Single names are looked up in a table (_name_table.pxd) that is filled at import; families of names (X-Spam-…,
List-…, Content-…) are told by their beginning.

The added ones are left out of the canonical form, so that a message has one digest before and after it was
tagged, delivered, stored and fetched. They are: verdicts of filters; flags, numbers and lengths that mbox,
Maildir, IMAP stores and mail programs keep in headers; and what final delivery writes (RFC 5321:
Return-Path; Postfix, Exim and Dovecot: Delivered-To, X-Original-To, Envelope-To, Delivery-Date). A
classifier that runs in front of the mailbox sees none of the latter, one that learns from the mailbox sees
them all.
"""

from deciban.text._content cimport *
from deciban.text._name_table cimport NO_NAME, Names, enter_name, name_hash, number_of
from deciban.text._tags cimport begins_tag

cdef Names TABLE

KNOWN = {
    HEADER_RECEIVED: "received",
    HEADER_FROM: "from",
    HEADER_SENDER: "sender",
    HEADER_REPLY_TO: "reply-to mail-followup-to",
    HEADER_TO: "to apparently-to",
    HEADER_CC: "cc",
    HEADER_BCC: "bcc",
    HEADER_SUBJECT: "subject",
    HEADER_DATE: "date",
    HEADER_MESSAGE_ID: "message-id",
    HEADER_IN_REPLY_TO: "in-reply-to",
    HEADER_REFERENCES: "references",
    HEADER_ERRORS_TO: "errors-to",
    HEADER_ORGANIZATION: "organization organisation",
    HEADER_USER_AGENT: "user-agent",
    HEADER_X_MAILER: "x-mailer",
    HEADER_MIME_VERSION: "mime-version",
    HEADER_CONTENT_TYPE: "content-type",
    HEADER_CONTENT_TRANSFER_ENCODING: "content-transfer-encoding",
    HEADER_CONTENT_DISPOSITION: "content-disposition",
    HEADER_CONTENT_ID: "content-id",
    HEADER_CONTENT_DESCRIPTION: "content-description",
    HEADER_PRECEDENCE: "precedence",
    HEADER_DKIM_SIGNATURE: "dkim-signature domainkey-signature arc-seal arc-message-signature",
    HEADER_AUTHENTICATION: "authentication-results received-spf arc-authentication-results",
    HEADER_NEWS: "newsgroups path xref nntp-posting-host nntp-posting-date followup-to distribution",
    FIELD_ADDED: (
        "status lines content-length return-path delivered-to delivery-date envelope-to "
        "x-status x-uid x-uidl x-keywords x-imap x-imapbase x-tuid x-sieve x-account-key x-bogosity "
        "x-ham-report x-text-classification x-popfile-link x-original-to x-envelope-to x-envelope-from "
        "x-gmail-labels x-gm-thrid x-gm-msgid x-offlineimap x-label"
    ),
}


cdef void fill_table() except *:
    """Enters every known name."""
    for kind, names in KNOWN.items():
        for name in names.encode().split():
            enter_name(&TABLE, name, kind)


cdef int extension_kind(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """An X-… field by its beginning: written by filters and mail programs, or by whoever sent the mail."""
    if (
        begins_tag(source, start, end)
        or starts_with(source, start, end, b"x-rspamd")
        or starts_with(source, start, end, b"x-dspam")
        or starts_with(source, start, end, b"x-crm114")
        or starts_with(source, start, end, b"x-mozilla-")
        or starts_with(source, start, end, b"x-evolution")
        or starts_with(source, start, end, b"x-kmail-")
    ):
        return FIELD_ADDED
    return HEADER_EXTENSION


cdef int field_kind(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """The HeaderKind of the name [start, end), or FIELD_ADDED."""
    cdef int kind = number_of(&TABLE, name_hash(source, start, end, True))
    if kind != NO_NAME:
        return kind
    if starts_with(source, start, end, b"x-"):
        return extension_kind(source, start, end)
    if starts_with(source, start, end, b"content-"):
        return HEADER_CONTENT_OTHER
    if starts_with(source, start, end, b"list-"):
        return HEADER_LIST
    if starts_with(source, start, end, b"resent-"):
        return HEADER_RESENT
    return HEADER_OTHER


cdef Py_ssize_t field_name_end(const Buffer* source, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """The place of the colon if the line [start, end) begins a header field, else -1.

    RFC 5322: printable ASCII without the colon. The obsolete white space before the colon is not tolerated,
    since prose has colons too ("re : your mail").
    """
    cdef Py_ssize_t place = start
    cdef int byte
    while place < end:
        byte = byte_at(source, place)
        if byte == c":":
            return place if place > start else -1
        if byte <= 32 or byte >= 127:
            return -1
        place += 1
    return -1


fill_table()
