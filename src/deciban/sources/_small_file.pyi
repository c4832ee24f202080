MOST_BYTES: int
MOST_FILES: int

def read_small_files(paths: list[str]) -> list[bytes | None]: ...
