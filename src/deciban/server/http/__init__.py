"""HTTP/1.1 for doors: requests in, responses out, with every limit looked at before work is done.

httptools parses; `HttpConnection` is one connection, `HttpService` all those of a door in one worker.
"""
