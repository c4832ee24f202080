"""The server: one folder of spaces for many programs, through several doors.

    supervisor     opens the listening sockets, starts the others, replaces who dies
    ├── worker     one for each core: answers questions from published states, never takes a write lock
    │   └── doors  http_door.py and others: bytes into a question, an answer into bytes
    └── writer     the only process that changes anything: teaches, forgets, corrects, writes the journal

Start reading with supervisor.py, then worker.py, reception.py and writer.py. Doors only know a `Reception`.
"""
