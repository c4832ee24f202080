"""Contacts are read from what address books write."""

from deciban.filter.contacts import is_known, read_contacts


def test_plain_lists_may_hold_names_comments_and_whole_domains() -> None:
    text = 'ANN@Example.org\n"Bob, the builder" <bob@example.net>\n\n# nobody@example.com\n@club.example\n'
    assert read_contacts(text) == {"ann@example.org", "bob@example.net", "@club.example"}


def test_vcards_of_all_versions_give_their_addresses() -> None:
    cards = (
        "BEGIN:VCARD\nVERSION:2.1\nEMAIL;INTERNET:a@example.org\nNOTE:x@example.com\nEND:VCARD\n"
        "begin:vcard\nversion:4.0\nEMAIL;PREF=1;TYPE=work:B@example.org\nitem2.email:c@example.org\nend:vcard\n"
    )
    assert read_contacts(cards) == {"a@example.org", "b@example.org", "c@example.org"}


def test_any_text_is_read() -> None:
    assert read_contacts("") == read_contacts("no addresses\0here @") == frozenset()


def test_everybody_at_a_listed_domain_is_known() -> None:
    assert is_known("x@club.example", {"@club.example"})
    assert not is_known("x@evil-club.example", {"@club.example"})
    assert not is_known("", {"@club.example"})
