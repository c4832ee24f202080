"""The HTTP interface: definitions of what goes in and comes out, the table of operations, what each does."""
