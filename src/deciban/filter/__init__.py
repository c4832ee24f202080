"""The mail filter: a ledger of lessons, four witnesses and one judge; docs/filter.md explains it."""
